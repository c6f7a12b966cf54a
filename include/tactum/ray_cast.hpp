// SPDX-License-Identifier: BSD-2-Clause
// The first point of a convex shape on a ray.
#pragma once

#include <limits>

#include "tactum/pose.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// Answer of a ray cast, in the world frame and in metres.
struct RayHit {
  bool hit = false;
  double distance = std::numeric_limits<double>::infinity();  ///< from the origin along the ray; 0
                                                              ///< where it starts inside
  Vector3 point = Vector3::Zero();                            ///< on the ray, where it enters
  Vector3 normal = Vector3::UnitZ();                          ///< unit, out of the shape
  explicit operator bool() const { return hit; }
};

/// The ray { origin + t direction / |direction| : 0 <= t <= max_distance } against a shape at X.
/// The direction may have any length but zero. A ray that passes within 1e-12 of the shape
/// (relative to the shape and its distance from the origin of the ray) may count as hit. Throws
/// InvalidInput on numbers that are not finite, a zero direction, a negative max_distance or a bad
/// pose.
RayHit ray_cast(const Shape& shape, const Pose& X, const Vector3& origin, const Vector3& direction,
                double max_distance = std::numeric_limits<double>::infinity());

}  // namespace tactum
