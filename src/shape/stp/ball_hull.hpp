// SPDX-License-Identifier: BSD-2-Clause
// The ball hull of points: the intersection of all balls of one radius that contain them. It is
// represented by the points on its boundary and the triangles between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shape/stp/wide_numbers.hpp"

namespace tactum {

/// Precision of the decisions: 64 bits, or 113, which take some twenty times as long.
enum class Digits { extended, quadruple };

struct BallHull {
  /// The ball of a triangle; vectors are relative to the origin of half edge 3 f, its least corner.
  struct Ball {
    Wide3 circumcenter, normal;   ///< normal of unit length, outward
    Wide height, squared_radius;  ///< squared_radius of the circumcircle
    Wide3 center;                 ///< circumcenter - height * normal
  };
  /// Half edges 3 f, 3 f + 1, 3 f + 2 of each triangle f, counter-clockwise seen from outside;
  /// `origin` holds indices of points.
  std::vector<std::int32_t> origin, twin;
  std::vector<std::uint8_t> wide;  ///< for each half edge: whether the arc of centers of its edge
                                   ///< is longer than half a turn
  std::vector<Ball> balls;         ///< one for each triangle
  std::vector<std::int32_t> carrier;  ///< the one or two points that determine a hull without
                                      ///< triangles
  bool is_sound = true;  ///< false: rounding left a decision open, and the other fields mean
                         ///< nothing
};

/// Ball hull of points in general position, for balls of radius `alpha`, at least that of the
/// smallest ball around them. A point nearer than `apart` to a vertex counts as that vertex.
BallHull ball_hull(std::span<const Wide3> points, Wide alpha, Wide apart, Digits digits);

}  // namespace tactum
