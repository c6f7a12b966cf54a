// SPDX-License-Identifier: BSD-2-Clause
// The points that carry the intersection of all balls of one radius that hold a set, and the
// triangles between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shape/stp/wide_numbers.hpp"

namespace tactum {

/// What decisions are made with: 64 bits, or 113, which take some twenty times as long.
enum class Digits { extended, quadruple };

struct BallHull {
  /// The ball of a triangle; places seen from the origin of half edge 3 f, its least corner.
  struct Ball {
    Wide3 circumcenter, normal;   ///< the normal unit and outward
    Wide height, squared_radius;  ///< the latter of the circumcircle
    Wide3 center;                 ///< circumcenter - height * normal
  };
  /// Half edges 3 f, 3 f + 1, 3 f + 2 of each triangle f, counter-clockwise seen from outside;
  /// `origin` counts in the points.
  std::vector<std::int32_t> origin, twin;
  std::vector<std::uint8_t> wide;  ///< of each half edge: whether the arc of centres of its edge is
                                   ///< longer than half a turn
  std::vector<Ball> balls;         ///< of each triangle
  std::vector<std::int32_t> carrier;  ///< without triangles: the one or two points that carry all
  bool is_sound = true;  ///< false: rounding got in the way, and the rest means nothing
};

/// For points in general position and balls of radius `alpha`, at least that of the smallest ball
/// around them. A point nearer than `apart` to one that carries counts as that one.
BallHull ball_hull(std::span<const Wide3> points, Wide alpha, Wide apart, Digits digits);

}  // namespace tactum
