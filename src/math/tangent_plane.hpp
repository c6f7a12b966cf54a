// SPDX-License-Identifier: BSD-2-Clause
// Vectors and 2 x 2 matrices in the plane orthogonal to a normal, without Eigen.
#pragma once

#include <cmath>

#include "math/double3.hpp"

namespace tactum {

struct Double2 {
  double x, y;

  friend Double2 operator+(Double2 a, Double2 b) { return {a.x + b.x, a.y + b.y}; }
  friend Double2 operator-(Double2 a, Double2 b) { return {a.x - b.x, a.y - b.y}; }
  friend Double2 operator-(Double2 a) { return {-a.x, -a.y}; }
  friend Double2 operator*(double s, Double2 a) { return {s * a.x, s * a.y}; }
  friend double dot(Double2 a, Double2 b) { return a.x * b.x + a.y * b.y; }
  friend double cross(Double2 a, Double2 b) { return a.x * b.y - a.y * b.x; }
  double norm() const { return std::sqrt(x * x + y * y); }
};

struct Matrix22 {
  double xx, xy, yx, yy;

  static Matrix22 zero() { return {0.0, 0.0, 0.0, 0.0}; }
  static Matrix22 scaled_identity(double s) { return {s, 0.0, 0.0, s}; }
  static Matrix22 outer(Double2 a, Double2 b) {
    return {a.x * b.x, a.x * b.y, a.y * b.x, a.y * b.y};
  }

  friend Matrix22 operator+(const Matrix22& a, const Matrix22& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.yx + b.yx, a.yy + b.yy};
  }
  friend Matrix22 operator-(const Matrix22& a, const Matrix22& b) {
    return {a.xx - b.xx, a.xy - b.xy, a.yx - b.yx, a.yy - b.yy};
  }
  friend Matrix22 operator*(double s, const Matrix22& a) {
    return {s * a.xx, s * a.xy, s * a.yx, s * a.yy};
  }
  friend Double2 operator*(const Matrix22& a, Double2 v) {
    return {a.xx * v.x + a.xy * v.y, a.yx * v.x + a.yy * v.y};
  }
  friend Matrix22 operator*(const Matrix22& a, const Matrix22& b) {
    return {a.xx * b.xx + a.xy * b.yx, a.xx * b.xy + a.xy * b.yy, a.yx * b.xx + a.yy * b.yx,
            a.yx * b.xy + a.yy * b.yy};
  }
  Matrix22 transposed() const { return {xx, yx, xy, yy}; }
};

/// Two unit vectors that make a right-handed frame with the unit normal (Duff et al., JCGT 2017).
struct TangentPlane {
  Double3 first, second, normal;

  explicit TangentPlane(Double3 n) : normal(n) {
    const double sign = std::copysign(1.0, n.z);
    const double a = -1.0 / (sign + n.z);
    const double b = n.x * n.y * a;
    first = {1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    second = {b, sign + n.y * n.y * a, -n.y};
  }
  TangentPlane(Double3 t1, Double3 t2, Double3 n) : first(t1), second(t2), normal(n) {}

  Double2 coordinates(Double3 v) const { return {dot(first, v), dot(second, v)}; }
  Double3 vector(Double2 c) const { return c.x * first + c.y * second; }
  /// This plane expressed in the axes of a frame whose rotation is given.
  TangentPlane in_frame(const Matrix3& R) const {
    return {transposed_product(R, first), transposed_product(R, second),
            transposed_product(R, normal)};
  }
};

}  // namespace tactum
