// SPDX-License-Identifier: BSD-2-Clause
// Two meshes: branch and bound over pairs of triangles, in the frame of A.
//
// Every pair of triangles has a lower and an upper bound; the least of each, with the bounds of the
// boxes that were left out, bounds the pair of surfaces. Where a solid takes part and nothing
// crosses, points of all components decide whether something is inside.
#include "mesh/query/mesh_distance.hpp"

#include "mesh/query/mesh_answer.hpp"
#include "mesh/query/solid_overlap.hpp"
#include "narrow/query/try_distance.hpp"

namespace tactum {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct PlacedPair {
  PlacedPair(const Mesh& a_, const Pose& X_WA, const Mesh& b_, const Pose& X_WB)
      : checked_a(check_pose(X_WA, "X_WA")),
        checked_b(check_pose(X_WB, "X_WB")),
        a(a_),
        b(b_),
        X_AB(relative_mesh_pose(checked_a.pose, checked_b.pose)),
        frame(checked_a.pose, checked_a.corrected || checked_b.corrected, a.reach(), b.reach(),
              X_AB.translation) {}

  Triangle3 triangle_a(std::int32_t t) const { return mesh_triangle(a, t); }
  Triangle3 triangle_b(std::int32_t t) const { return placed(X_AB, mesh_triangle(b, t)); }
  bool has(std::int32_t t, const Mesh& mesh) const { return t >= 0 && t < mesh.triangles().cols(); }

  const CheckedPose checked_a, checked_b;
  const Mesh& a;
  const Mesh& b;
  const Pose X_AB;
  const MeshFrame frame;
};

/// Looks at one pair of triangles.
void look(const PlacedPair& pair, std::int32_t ta, std::int32_t tb, NodePairBound& bound,
          NearestPair& nearest) {
  const Triangle3 a = pair.triangle_a(ta), b = pair.triangle_b(tb);
  if (nearest.found() && nearest.settles(separation(a, b, nearest.best().normal))) return;
  if (nearest.take(triangle_distance(a, b), ta, tb)) bound.look_along(nearest.best().normal);
}

/// The depth of what is inside a solid although no surfaces cross.
double depth_inside(const PlacedPair& pair) {
  double depth = 0.0;
  if (pair.a.is_solid()) depth = depth_of_components(pair.a, pair.b, pair.X_AB);
  if (pair.b.is_solid())
    depth = std::max(depth, depth_of_components(pair.b, pair.a, inverse(pair.X_AB)));
  return depth;
}

Parting parting_of(const PlacedPair& pair, Double3 pair_normal) {
  const Matrix3& R = pair.X_AB.rotation;
  const Double3 middle = placed(pair.X_AB, pair.b.tree().node(0).center()) -
                         pair.a.tree().node(0).center();
  const double length = middle.norm();
  const Double3 directions[] = {
      {1.0, 0.0, 0.0},      {0.0, 1.0, 0.0},
      {0.0, 0.0, 1.0},      to_double3(R.col(0)),
      to_double3(R.col(1)), to_double3(R.col(2)),
      pair_normal,          length > 0.0 ? (1.0 / length) * middle : pair_normal};
  return best_parting(pair.a, directions, [&](Double3 n) {
    const Double3 n_B = transposed_product(R, n);
    return dot(n, to_double3(pair.X_AB.translation)) - mesh_support(pair.b, -n_B).height;
  });
}

}  // namespace

GeometryDistance mesh_distance(const Mesh& a, const Pose& X_WA, const Mesh& b, const Pose& X_WB,
                               const DistanceOptions& options) {
  check_distance_options(options);
  const PlacedPair pair(a, X_WA, b, X_WB);
  NearestPair nearest(pair.frame, options.cutoff);
  NodePairBound bound(pair.X_AB);
  if (options.warm_start != nullptr) {
    const auto [ta, tb] = options.warm_start->vertices;
    if (pair.has(ta, a) && pair.has(tb, b)) look(pair, ta, tb, bound, nearest);
  }
  const double left_out = visit_near_triangles(a.tree(), b.tree(), bound, nearest.largest(),
                                               [&](std::int32_t ta, std::int32_t tb) {
                                                 look(pair, ta, tb, bound, nearest);
                                                 return nearest.largest();
                                               });
  nearest.leave_out(left_out);
  if (!a.is_solid() && !b.is_solid()) return nearest.surface_answer(options);
  // surfaces that cross share points of both; else something may still be inside
  const double depth = nearest.crosses() ? 0.0 : depth_inside(pair);
  if (!nearest.crosses() && !(depth > 0.0)) return nearest.surface_answer(options);
  return nearest.solid_answer(options, parting_of(pair, nearest.best().normal), depth);
}

Collision mesh_collide(const Mesh& a, const Pose& X_WA, const Mesh& b, const Pose& X_WB,
                       const CollideOptions& options) {
  check_options(options.tolerance, options.max_iterations, options.initial_direction,
                options.warm_start);
  const PlacedPair pair(a, X_WA, b, X_WB);
  NearestPair nearest(pair.frame, 0.0);
  NodePairBound bound(pair.X_AB);
  const auto visit = [&](std::int32_t ta, std::int32_t tb) {
    look(pair, ta, tb, bound, nearest);
    return nearest.touches() ? -kInfinity : nearest.largest();
  };
  if (options.warm_start != nullptr) {
    const auto [ta, tb] = options.warm_start->vertices;
    if (pair.has(ta, a) && pair.has(tb, b)) visit(ta, tb);
  }
  if (!nearest.touches())
    nearest.leave_out(visit_near_triangles(a.tree(), b.tree(), bound, nearest.largest(), visit));
  const bool inside = !nearest.touches() && depth_inside(pair) > 0.0;
  return nearest.collision(inside);
}

}  // namespace tactum
