// SPDX-License-Identifier: BSD-2-Clause
// Three doubles for chains of dependent operations that are on the critical path of a query.
//
// Eigen's vectors travel through memory in packets, and a packet load right after the scalar stores
// of its parts stalls; the numbers of a Double3 stay in registers. Everything that is not on a
// critical path uses Eigen.
#pragma once

#include <algorithm>
#include <cmath>

#include "tactum/pose.hpp"

namespace tactum {

struct Double3 {
  double x, y, z;

  friend Double3 operator+(Double3 a, Double3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Double3 operator-(Double3 a, Double3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Double3 operator-(Double3 a) { return {-a.x, -a.y, -a.z}; }
  friend Double3 operator*(double s, Double3 a) { return {s * a.x, s * a.y, s * a.z}; }
  /// Product entry by entry.
  friend Double3 operator*(Double3 a, Double3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
  friend double dot(Double3 a, Double3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Double3 cross(Double3 a, Double3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  double squared_norm() const { return x * x + y * y + z * z; }
  double norm() const { return std::sqrt(squared_norm()); }
  double largest() const { return std::max(std::max(x, y), z); }
  double smallest() const { return std::min(std::min(x, y), z); }
};

inline Double3 to_double3(const Vector3& v) { return {v.x(), v.y(), v.z()}; }
inline Vector3 to_vector3(Double3 v) { return {v.x, v.y, v.z}; }

/// The vector at unit length; a zero vector stays zero.
inline Double3 unit_or_zero(Double3 v) {
  const double norm = v.norm();
  return norm > 0.0 ? (1.0 / norm) * v : Double3{0.0, 0.0, 0.0};
}

/// The number in [-limit, limit] nearest to `value`.
inline double clamped(double value, double limit) {
  return std::min(limit, std::max(-limit, value));
}

/// R v for a matrix in memory.
inline Double3 product(const Matrix3& R, Double3 v) {
  const double* r = R.data();
  return {r[0] * v.x + r[3] * v.y + r[6] * v.z, r[1] * v.x + r[4] * v.y + r[7] * v.z,
          r[2] * v.x + r[5] * v.y + r[8] * v.z};
}

/// R' v for a matrix in memory.
inline Double3 transposed_product(const Matrix3& R, Double3 v) {
  const double* r = R.data();
  return {r[0] * v.x + r[1] * v.y + r[2] * v.z, r[3] * v.x + r[4] * v.y + r[5] * v.z,
          r[6] * v.x + r[7] * v.y + r[8] * v.z};
}

}  // namespace tactum
