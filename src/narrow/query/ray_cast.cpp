// SPDX-License-Identifier: BSD-2-Clause
// Conservative advancement along the ray, from plane to plane.
//
// A query of the point against the shape proves a plane between them; the ray cannot hit the shape
// before it has crossed that plane, and never will if it does not come nearer to it. On a polytope
// the planes are those of features, so the search ends after a few. On a smooth shape it is
// Newton's method, which halves the gap where the ray only grazes. (The idea is in van den Bergen,
// "Ray casting against general convex objects", 2004.)
#include "tactum/ray_cast.hpp"

#include <algorithm>
#include <cmath>

#include "core/format_number.hpp"
#include "math/pose_check.hpp"
#include "shape/check/shape_checks.hpp"
#include "tactum/distance.hpp"

namespace tactum {
namespace {

constexpr double kHit = 1e-12;   ///< largest gap, relative to the scale, that counts as a hit
constexpr int kMaxPlanes = 128;  ///< most planes; a grazing ray halves the gap at every plane, and
                                 ///< 2^-40 is enough

/// Distance that a ray travels before it enters the ball around a bounded shape; infinite when it
/// never does.
double ball_entry(const Shape& shape, const Pose& X, const Vector3& origin, const Vector3& unit) {
  const double radius = shape.core().bounding_radius * (1.0 + kHit);
  if (!std::isfinite(radius)) return 0.0;
  const Vector3 to_center = X.translation - origin;
  const double along = to_center.dot(unit), aside = (to_center - along * unit).norm();
  if (aside > radius || along < -radius) return std::numeric_limits<double>::infinity();
  return std::max(0.0, along - std::sqrt((radius - aside) * (radius + aside)));
}

}  // namespace

RayHit ray_cast(const Shape& shape, const Pose& X, const Vector3& origin, const Vector3& direction,
                double max_distance) {
  for (int i = 0; i < 3; ++i) check_coordinate(origin[i], "origin[" + std::to_string(i) + "]");
  if (!(max_distance >= 0.0))
    throw InvalidInput("max_distance", exact_text(max_distance),
                       "give zero, a length in metres, or infinity");
  const Vector3 unit = checked_direction(direction, "direction");
  const Pose X_WS = check_pose(X, "X").pose;
  const Shape point(Sphere{});

  RayHit miss, hit;
  double t = ball_entry(shape, X_WS, origin, unit);
  if (!std::isfinite(t)) return miss;
  for (int plane = 0; plane < kMaxPlanes && t <= max_distance; ++plane) {
    const Pose here{.rotation = Matrix3::Identity(), .translation = origin + t * unit};
    // a ray that is parallel to a plane but for rounding meets it beyond all lengths
    if (!is_point(here.translation)) return miss;
    const Distance gap = distance(shape, X_WS, point, here, {.tolerance = 1e-13});
    hit = {true, t, here.translation, gap.normal};
    if (gap.lower <= kHit * pair_scale(shape, X_WS, point, here)) return hit;
    const double approach = -gap.normal.dot(unit);
    if (!(approach > 0.0)) return miss;
    t += gap.lower / approach;
  }
  return t <= max_distance ? hit : miss;
}

}  // namespace tactum
