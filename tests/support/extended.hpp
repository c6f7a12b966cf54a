// SPDX-License-Identifier: BSD-2-Clause
// Extended precision for everything that judges the library: 64-bit mantissa, so that rounding here
// is 2048 times smaller than there.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cfloat>
#include <cmath>
#include <limits>

#include "tactum/pose.hpp"

namespace tactum::testing {

using Real = long double;
using Vec3 = Eigen::Matrix<Real, 3, 1>;
using Mat3 = Eigen::Matrix<Real, 3, 3>;

static_assert(LDBL_MANT_DIG >= 64, "the oracles need a long double that is wider than double");

inline constexpr Real kDoubleEpsilon = std::numeric_limits<double>::epsilon();
inline constexpr Real infinite = std::numeric_limits<Real>::infinity();

inline Vec3 widen(const Vector3& v) { return v.cast<Real>(); }
inline Mat3 widen(const Matrix3& m) { return m.cast<Real>(); }
inline Vector3 narrow(const Vec3& v) { return v.cast<double>(); }

/// Angle between two unit vectors, accurate also when it is tiny.
inline Real angle_between(const Vec3& a, const Vec3& b) {
  return 2 * std::atan2((a - b).norm(), (a + b).norm());
}

/// Two unit vectors that complete the unit vector `n` to a right-handed basis.
inline void tangent_basis(const Vec3& n, Vec3& u, Vec3& v) {
  int smallest = 0;
  n.cwiseAbs().minCoeff(&smallest);
  u = n.cross(Vec3::Unit(smallest)).normalized();
  v = n.cross(u);
}

}  // namespace tactum::testing
