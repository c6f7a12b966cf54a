// SPDX-License-Identifier: BSD-2-Clause
// Unit normal of a triangle that stays orthogonal to its edges when the triangle is a sliver.
#pragma once

#include <Eigen/Geometry>

#include "tactum/pose.hpp"

namespace tactum {

/// Unit vector along e1 x e2, or zero when the edges are parallel within rounding. The cross
/// product of almost parallel edges is off by eps / sin(angle) in every direction; removing its
/// components along the edge and across it leaves an error of eps along the edge.
inline Vector3 triangle_normal(const Vector3& e1, const Vector3& e2) {
  constexpr double flat = 8.0 * 2.220446049250313e-16;
  const Vector3 cross = e1.cross(e2);
  const double length = cross.norm();
  const double squared = e1.squaredNorm();
  if (!(length > flat * std::sqrt(squared) * e2.norm())) return Vector3::Zero();
  Vector3 normal = cross / length;
  const Vector3 across = e2 - (e2.dot(e1) / squared) * e1;
  const double height = across.squaredNorm();
  if (height > 0.0) normal -= (normal.dot(across) / height) * across;
  normal -= (normal.dot(e1) / squared) * e1;  // last, because the short vector across is inexact
                                              // itself
  return normal.normalized();
}

}  // namespace tactum
