// SPDX-License-Identifier: BSD-2-Clause
// The algebra of the cone |v_T| <= v_N of three numbers (tangent, tangent, normal), for interior
// points: Jordan's product, positive spectral values, and the scaling of Nesterov and Todd.
//
// Spectrum   v = high c_+ + low c_-, with high, low = v_N +- |v_T| and c_+- = (+-v_T / |v_T|, 1) /
// 2;
//            v is inside the cone where both are positive. The unit is (0, 0, 1).
// Scaling    The symmetric W with W X = W^-1 F, for F and X inside the cone. It maps the cone onto
//            itself, so that directions that it scales treat both alike [Nesterov and Todd 1998].
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tactum::second_order_cone {

using Vector = Eigen::Vector3d;

constexpr double kLeastNumber = 1e-100;  // that a positive number is taken for

/// The matrix of the product of Jordan with v: (v_N w_T + w_N v_T, v.w).
inline Eigen::Matrix3d arrow(const Vector& v) {
  Eigen::Matrix3d out;
  out << v.z(), 0, v.x(), 0, v.z(), v.y(), v.x(), v.y(), v.z();
  return out;
}

/// Product of both spectral values of v, each of them no less than what rounding leaves of it:
/// steps that end near the boundary may leave 0.
inline double determinant(const Vector& v) {
  const double tangent = v.head<2>().norm(), high = std::max(v.z() + tangent, kLeastNumber),
               low = std::max(v.z() - tangent, std::numeric_limits<double>::epsilon() * high);
  return high * low;
}

/// The solution w of arrow(v) w = p, for v inside the cone.
inline Vector arrow_solve(const Vector& v, const Vector& p) {
  const double along = v.head<2>().dot(p.head<2>()),
               normal = (v.z() * p.z() - along) / determinant(v);
  Vector w;
  w.head<2>() = (p.head<2>() - normal * v.head<2>()) / std::max(v.z(), kLeastNumber);
  w.z() = normal;
  return w;
}

/// The positive root t of t^2 - v t = squared.
inline double positive_root(double v, double squared) {
  const double root = std::sqrt(v * v + 4.0 * squared);
  return v > 0 ? 0.5 * (v + root) : 2.0 * squared / (root - v);
}

/// v with positive spectral values: nearly v where v is inside the cone, nearly 0 where -v is. The
/// product of Jordan of rounded(v) and rounded(-v) is (0, 0, squared).
inline Vector rounded(const Vector& v, double squared) {
  const double length = v.head<2>().norm(), high = positive_root(v.z() + length, squared),
               low = positive_root(v.z() - length, squared);
  Vector out(0.0, 0.0, 0.5 * (high + low));
  if (length > 0) out.head<2>() = (0.5 * (high - low) / length) * v.head<2>();
  return out;
}

/// How far v may move along d without leaving the cone, as a multiple of d.
inline double way_to_boundary(const Vector& v, const Vector& d) {
  const double a = d.z() * d.z() - d.head<2>().squaredNorm(),
               b = v.z() * d.z() - v.head<2>().dot(d.head<2>()),
               c = std::max(v.z() * v.z() - v.head<2>().squaredNorm(), 0.0);
  double way = std::numeric_limits<double>::infinity();
  const double discriminant = b * b - a * c;
  if (discriminant >= 0) {
    const double divisor = std::sqrt(discriminant) - b;
    if (divisor > 0) way = c / divisor;
  }
  if (d.z() < 0) way = std::min(way, -v.z() / d.z());
  return way;
}

struct Scaling {
  Eigen::Matrix3d W, inverse;
  Vector point;  ///< W X = W^-1 F
};

inline Scaling scaling(const Vector& F, const Vector& X) {
  const double size_F = std::sqrt(determinant(F)), size_X = std::sqrt(determinant(X));
  const Vector f = F / size_F, x = X / size_X;
  const Vector mirrored(-x.x(), -x.y(), x.z());
  Vector v = (f + mirrored) / std::sqrt(2.0 * (1.0 + std::max(f.dot(x), 0.0)));  // the scaling
                                                                                 // point
  v.z() += 1.0;
  v /= std::sqrt(2.0 * v.z());
  const Vector u(-v.x(), -v.y(), v.z());
  const double eta = std::sqrt(size_F / size_X);
  const Eigen::Matrix3d mirror = Vector(-1.0, -1.0, 1.0).asDiagonal();
  Scaling out;
  out.W = eta * (2.0 * v * v.transpose() - mirror);
  out.inverse = (1.0 / eta) * (2.0 * u * u.transpose() - mirror);
  out.point = out.W * X;
  return out;
}

/// The scaling of two positive numbers, in the entry of the normal: that of a cone of one
/// dimension. Rounding may have left 0 of a number.
inline Scaling scaling_of_numbers(double F, double X) {
  const double root = std::sqrt(std::max(F, kLeastNumber) / std::max(X, kLeastNumber));
  return {root * Eigen::Matrix3d::Identity(), (1.0 / root) * Eigen::Matrix3d::Identity(),
          Vector(0.0, 0.0, root * X)};
}

}  // namespace tactum::second_order_cone
