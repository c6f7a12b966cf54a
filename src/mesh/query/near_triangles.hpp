// SPDX-License-Identifier: BSD-2-Clause
// All triangles of a mesh within a distance of something, in no order that means anything.
#pragma once

#include "mesh/query/placed_mesh.hpp"
#include "mesh/query/triangle_core.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// The triangle as a flat hull: a point or a segment where it is degenerate.
inline Shape triangle_shape(const Mesh& mesh, std::int32_t triangle) {
  Points corners(3, 3);
  for (int k = 0; k < 3; ++k) corners.col(k) = mesh.vertices().col(mesh.triangles()(k, triangle));
  return Convex::from_points(corners);
}

/// Calls visit(triangle) for every triangle that is not proved to be farther than `largest` m from
/// the convex shape at X in the frame of the mesh.
template <class Visit>
void visit_near_shape(const Mesh& mesh, const Shape& shape, const Pose& X, double largest,
                      Visit&& visit) {
  const double slack = 64.0 * kEpsilon * (mesh.reach() + X.translation.stableNorm());
  const double limit = std::nextafter(largest + slack, std::numeric_limits<double>::infinity());
  const auto near = [&](const auto& bound, const auto& look) {
    mesh.tree().least(limit, bound, [&](std::int32_t triangle) {
      check_interrupt();
      if (look(triangle)) visit(triangle);
      return limit;
    });
  };
  if (shape.kind() == ShapeKind::half_space) {
    const Double3 up = to_double3(Vector3(X.rotation * shape.core().size));
    const Double3 positive = {std::abs(up.x), std::abs(up.y), std::abs(up.z)};
    const double plane = shape.core().offset + dot(up, to_double3(X.translation));
    near(
        [&](const MeshTree::Node& node) {
          return dot(up, node.center()) - dot(positive, node.half()) - plane;
        },
        [&](std::int32_t triangle) {
          const Triangle3 t = mesh_triangle(mesh, triangle);
          return std::min({dot(up, t[0]), dot(up, t[1]), dot(up, t[2])}) - plane <= limit;
        });
    return;
  }
  const Aabb box = shape.aabb(X);
  const Double3 lower = to_double3(box.lower), upper = to_double3(box.upper);
  near(
      [&](const MeshTree::Node& node) {
        const Double3 low = lower - node.high(), high = node.low() - upper;
        const Double3 gap = {std::max(0.0, std::max(low.x, high.x)),
                             std::max(0.0, std::max(low.y, high.y)),
                             std::max(0.0, std::max(low.z, high.z))};
        return gap.norm();
      },
      [&](std::int32_t triangle) {
        TrianglePair found;
        const TriangleCoreLimits limits{
            .gap = 0.0, .max_iterations = 32, .stop_above = limit, .scale = mesh.reach()};
        return triangle_core_distance(mesh_triangle(mesh, triangle), shape.core(), X, limits,
                                      found) != TriangleCoreOutcome::farther;
      });
}

/// Calls visit(triangle_a, triangle_b) for every pair that is not proved to be farther apart than
/// `largest` m.
template <class Visit>
void visit_near_mesh(const Mesh& a, const Mesh& b, const Pose& X_AB, double largest,
                     Visit&& visit) {
  const double limit = largest +
                       64.0 * kEpsilon * (a.reach() + b.reach() + X_AB.translation.stableNorm());
  visit_near_triangles(a.tree(), b.tree(), NodePairBound(a.tree(), b.tree(), X_AB), limit,
                       [&](std::int32_t ta, std::int32_t tb) {
                         const TrianglePair found = triangle_distance(
                             mesh_triangle(a, ta), placed(X_AB, mesh_triangle(b, tb)));
                         if (found.lower <= limit) visit(ta, tb);
                         return limit;
                       });
}

}  // namespace tactum
