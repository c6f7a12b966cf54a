// SPDX-License-Identifier: BSD-2-Clause
// The plane of a triangle, as accurate as a sliver allows.
#pragma once

#include <Eigen/Geometry>
#include <array>

#include "tactum/pose.hpp"

namespace tactum {

struct TrianglePlane {
  Vector3 corner;  ///< a point of the plane: one end of the longest edge
  Vector3 along;   ///< unit, that edge; zero when the corners coincide
  Vector3 normal;  ///< unit, counter-clockwise; zero when the corners lie on a line
  double height;   ///< of the triangle over its longest edge, in the direction normal x along
};

/// Plane of the triangle a, b, c. The normal comes from the longest edge and the part of another
/// one orthogonal to it, both at unit length: its component along the edge is then at rounding
/// however thin the triangle is, where a cross product of edges would tilt it.
inline TrianglePlane triangle_plane(const Vector3& a, const Vector3& b, const Vector3& c) {
  const std::array<Vector3, 3> corners = {a, b, c};
  int longest = 0;
  double longest_squared = -1.0;
  for (int k = 0; k < 3; ++k) {
    const double squared = (corners[(k + 1) % 3] - corners[k]).squaredNorm();
    if (squared > longest_squared) longest_squared = squared, longest = k;
  }
  const Vector3& corner = corners[longest];
  const Vector3 base = corners[(longest + 1) % 3] - corner;
  const double length = base.norm();
  if (length <= 0.0) return {corner, Vector3::Zero(), Vector3::Zero(), 0.0};
  const Vector3 along = base / length;
  Vector3 across = corners[(longest + 2) % 3] - corner;
  for (int pass = 0; pass < 2; ++pass) across -= along * along.dot(across);
  const double height = across.norm();
  if (height <= 0.0) return {corner, along, Vector3::Zero(), 0.0};
  return {corner, along, along.cross(across / height).normalized(), height};
}

}  // namespace tactum
