// SPDX-License-Identifier: BSD-2-Clause
// Two unit vectors that complete a unit vector to a right-handed orthonormal frame.
#pragma once

#include <cmath>

#include "tactum/pose.hpp"

namespace tactum {

/// Two columns that span the plane orthogonal to the unit vector `n`; without branches apart from
/// one sign (Duff et al., JCGT 2017).
inline Eigen::Matrix<double, 3, 2> tangent_basis(const Vector3& n) {
  const double sign = std::copysign(1.0, n.z());
  const double a = -1.0 / (sign + n.z());
  const double b = n.x() * n.y() * a;
  Eigen::Matrix<double, 3, 2> basis;
  basis << 1.0 + sign * n.x() * n.x() * a, b, sign * b, sign + n.y() * n.y() * a, -sign * n.x(),
      -n.y();
  return basis;
}

}  // namespace tactum
