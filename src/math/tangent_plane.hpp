// SPDX-License-Identifier: BSD-2-Clause
// Vectors and 2 x 2 matrices in the plane orthogonal to a normal, on plain numbers.
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

/// A symmetric 2 x 2 matrix.
struct Symmetric2 {
  double xx, xy, yy;

  double trace() const { return xx + yy; }
  double determinant() const { return xx * yy - xy * xy; }
  Double2 operator*(Double2 v) const { return {xx * v.x + xy * v.y, xy * v.x + yy * v.y}; }
};

/// Two orthogonal unit vectors that span a plane.
struct TangentBasis {
  Double3 x, y;

  Double2 project(Double3 v) const { return {dot(x, v), dot(y, v)}; }
  Double3 lift(Double2 v) const { return v.x * x + v.y * y; }
};

/// Basis of the plane orthogonal to the unit vector n, right-handed with n; branch-free apart from
/// one sign (Duff et al., JCGT 2017).
inline TangentBasis tangent_basis(Double3 n) {
  const double sign = std::copysign(1.0, n.z);
  const double a = -1.0 / (sign + n.z);
  const double b = n.x * n.y * a;
  return {{1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}};
}

/// Columns span the plane orthogonal to the unit vector n, as tangent_basis(Double3) has them.
inline Eigen::Matrix<double, 3, 2> tangent_basis(const Vector3& n) {
  const TangentBasis basis = tangent_basis(to_double3(n));
  Eigen::Matrix<double, 3, 2> columns;
  columns << to_vector3(basis.x), to_vector3(basis.y);
  return columns;
}

/// A plane with its unit normal.
struct TangentPlane : TangentBasis {
  Double3 normal;

  explicit TangentPlane(Double3 n) : TangentBasis(tangent_basis(n)), normal(n) {}
  TangentPlane(Double3 first, Double3 second, Double3 n) : TangentBasis{first, second}, normal(n) {}

  /// The plane in the axes of a frame whose rotation is given.
  TangentPlane in_frame(const Matrix3& R) const {
    return {transposed_product(R, x), transposed_product(R, y), transposed_product(R, normal)};
  }
};

}  // namespace tactum
