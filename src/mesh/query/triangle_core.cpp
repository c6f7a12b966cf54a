// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/query/triangle_core.hpp"

#include <cmath>

#include "math/constants.hpp"
#include "narrow/gjk/simplex.hpp"
#include "shape/check/triangle_plane.hpp"
#include "shape/support/core_support.hpp"

namespace tactum {
namespace {

Double3 in_frame(const Pose& X, Double3 p) {
  return product(X.rotation, p) + to_double3(X.translation);
}

/// Takes the swept radius of B off a pair of a triangle and a core.
void sweep(double radius, TrianglePair& pair) {
  pair.lower -= radius;
  pair.upper -= radius;
  pair.point_b = pair.point_b - radius * pair.normal;
}

void solve_point(const Triangle3& triangle, Double3 p, TrianglePair& result) {
  const Double3 q = nearest_on_triangle(triangle, p);
  const double distance = (p - q).norm();
  result.lower = result.upper = distance;
  result.point_a = q;
  result.point_b = p;
  if (distance > 0.0) {
    result.normal = (1.0 / distance) * (p - q);
    return;
  }
  const Vector3 normal = triangle_plane(to_vector3(triangle[0]), to_vector3(triangle[1]),
                                        to_vector3(triangle[2]))
                             .normal;
  if (!normal.isZero(0.0)) result.normal = to_double3(normal);
}

/// GJK on w = b - a for a of the triangle and b of the core.
class TriangleGjk {
 public:
  TriangleGjk(const Triangle3& triangle, const CoreShape& core, const Pose& X,
              const TriangleCoreLimits& limits)
      : triangle_(triangle), core_(core), X_(X), limits_(limits) {}

  TriangleCoreOutcome run(Double3 first, TrianglePair& result) {
    result.lower = -kInfinity;
    simplex_.push(support(first));
    SimplexProjection near = project_origin(simplex_, limits_.scale);
    double last = kInfinity;
    for (int k = 0; k < limits_.max_iterations; ++k) {
      if (near.contains_origin) return TriangleCoreOutcome::overlaps;
      const MinkowskiPoint point = support(near.normal);
      const double height = dot(near.normal, to_double3(point.w));
      if (height > result.lower) {
        result.lower = height;
        result.normal = near.normal;
      }
      if (result.lower > limits_.stop_above) return TriangleCoreOutcome::farther;
      if (near.distance - result.lower <= limits_.gap) return finish(near, result);
      if (is_known(point) || !(near.distance < last)) break;
      last = near.distance;
      simplex_.push(point);
      near = project_origin(simplex_, limits_.scale);
    }
    if (near.contains_origin) return TriangleCoreOutcome::overlaps;
    finish(near, result);
    return TriangleCoreOutcome::unfinished;
  }

 private:
  MinkowskiPoint support(Double3 n) {
    int visited = 0;
    std::size_t best = 0;
    for (std::size_t i = 1; i < 3; ++i)
      if (dot(n, triangle_[i]) > dot(n, triangle_[best])) best = i;
    const PlainCorePoint b = core_support(core_, -transposed_product(X_.rotation, n), visited);
    MinkowskiPoint point;
    point.a = to_vector3(triangle_[best]);
    point.b_B = to_vector3(b.point);
    point.w = to_vector3(in_frame(X_, b.point) - triangle_[best]);
    point.piece = {static_cast<std::int32_t>(best), b.piece};
    return point;
  }

  bool is_known(const MinkowskiPoint& point) const {
    for (int i = 0; i < simplex_.size; ++i)
      if (simplex_.points[static_cast<std::size_t>(i)].w == point.w) return true;
    return false;
  }

  /// The normal is along the two points; `lower` may be the separation along an earlier one.
  TriangleCoreOutcome finish(const SimplexProjection& near, TrianglePair& result) const {
    result.upper = near.distance;
    result.normal = near.normal;
    result.point_a = to_double3(simplex_.point_a());
    result.point_b = to_double3(simplex_.point_b());
    return TriangleCoreOutcome::solved;
  }

  const Triangle3& triangle_;
  const CoreShape& core_;
  const Pose& X_;
  const TriangleCoreLimits& limits_;
  Simplex simplex_;
};

}  // namespace

TriangleCoreOutcome triangle_core_distance(const Triangle3& triangle, const CoreShape& core,
                                           const Pose& X, const TriangleCoreLimits& limits,
                                           TrianglePair& result) {
  const double radius = core.radius + core.inner_radius;
  if (core.kind == CoreShape::Kind::point) {
    solve_point(triangle, in_frame(X, to_double3(core.center)), result);
    sweep(radius, result);
    return TriangleCoreOutcome::solved;
  }
  if (core.kind == CoreShape::Kind::segment) {
    const Double3 low = in_frame(X, to_double3(core.center) - to_double3(core.size)),
                  high = in_frame(X, to_double3(core.center) + to_double3(core.size));
    result = triangle_distance(triangle, {low, high, high});
    sweep(radius, result);
    return TriangleCoreOutcome::solved;
  }
  TriangleCoreLimits own = limits;
  own.stop_above += radius;
  const Double3 between = in_frame(X, to_double3(core.center)) - triangle[0];
  const double length = between.norm();
  const Double3 first = length > 0.0 ? (1.0 / length) * between : Double3{0.0, 0.0, 1.0};
  const TriangleCoreOutcome outcome = TriangleGjk(triangle, core, X, own).run(first, result);
  if (outcome != TriangleCoreOutcome::overlaps) sweep(radius, result);
  return outcome;
}

double lowest_of_core(const CoreShape& core, const Pose& X, Double3 n) {
  int visited = 0;
  const Double3 down = -transposed_product(X.rotation, n);
  const Double3 point = in_frame(X, core_support(core, down, visited).point);
  return dot(n, point) - core.radius - core.inner_radius;
}

}  // namespace tactum
