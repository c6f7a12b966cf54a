// SPDX-License-Identifier: BSD-2-Clause
// Two meshes: branch and bound over pairs of triangles, in the frame of A.
//
// Hulls come first: where they are apart and their nearest points are points of the meshes, they
// prove the answer. Else every pair of triangles has a lower and an upper bound; the least of each,
// with the bounds of the boxes that were left out, bounds the pair of surfaces. A search for a pair
// that crosses comes first and ends at the first one: the depth of two triangles follows their size
// and says nothing of the objects, so that the hulls give the bound. Where a solid takes part and
// nothing crosses, mesh_overlap.hpp decides whether something is inside.
#include "mesh/query/mesh_distance.hpp"

#include <optional>

#include "math/constants.hpp"
#include "mesh/query/mesh_overlap.hpp"
#include "mesh/query/nearest_triangle.hpp"
#include "mesh/query/placed_meshes.hpp"
#include "narrow/query/try_distance.hpp"

namespace tactum {
namespace {

/// Looks at one pair of triangles.
void look(const PlacedMeshes& pair, std::int32_t ta, std::int32_t tb, NodePairBound& bound,
          NearestPair& nearest) {
  const Triangle3 a = pair.triangle_a(ta), b = pair.triangle_b(tb);
  if (nearest.found() && nearest.settles(separation(a, b, nearest.best().normal))) return;
  if (nearest.settles(face_separation(a, b))) return;
  if (nearest.take(triangle_distance(a, b), ta, tb)) bound.look_along(nearest.best().normal);
}

/// Triangles at two points of the frame of A.
void look_at_points(const PlacedMeshes& pair, Double3 point_a, Double3 point_b,
                    NodePairBound& bound, NearestPair& nearest) {
  const Vector3 from = to_vector3(point_b) - pair.X_AB.translation;
  const Double3 point_B = transposed_product(pair.X_AB.rotation, to_double3(from));
  look(pair, nearest_triangle(pair.a, point_a).triangle, nearest_triangle(pair.b, point_B).triangle,
       bound, nearest);
}

enum class HullVerdict {
  open,    ///< nothing is known
  apart,   ///< no surfaces cross
  proved,  ///< the nearest pair is found, or all are beyond the cutoff
};

HullVerdict ask_hulls(const PlacedMeshes& pair, const DistanceOptions& options,
                      NodePairBound& bound, NearestPair& nearest) {
  const std::optional<HullPair> hulls = hulls_of(pair);
  if (!hulls) return HullVerdict::open;
  const double gap = std::min(2.0 * hulls->slack + pair.frame.band(),
                              options.tolerance * pair.frame.scale - 2.0 * pair.frame.slack);
  const bool tracked = nearest.found() && nearest.best().lower > 0.0;
  if (tracked) {
    const double separation = hull_separation(*hulls, nearest.best().normal);
    if (nearest.is_attained(separation, gap))
      return nearest.leave_out(separation), HullVerdict::proved;
  }
  const Vector3 direction = tracked ? to_vector3(nearest.best().normal) : Vector3(Vector3::Zero());
  const HullProof proof = hull_distance(*hulls, options.cutoff, direction);
  if (!(proof.lower > pair.frame.band())) return HullVerdict::open;
  if (!(proof.lower > options.cutoff)) {
    look_at_points(pair, proof.point_a, proof.point_b, bound, nearest);
    if (!nearest.is_attained(proof.lower, gap)) return HullVerdict::apart;
  }
  nearest.leave_out_all(proof.lower, proof.normal);
  return HullVerdict::proved;
}

/// A bound along a normal by the boxes around both meshes or by their hulls: above the contact band
/// where these are apart. Else the normal is the line of centers.
HullProof parting_plane(const PlacedMeshes& pair, const NodePairBound& bound,
                        const Vector3& direction) {
  const MeshTree::Node &root_a = pair.a.tree().node(0), &root_b = pair.b.tree().node(0);
  const Double3 middle = placed(pair.X_AB, root_b.center()) - root_a.center();
  const Double3 normal = middle.squared_norm() > 0.0 ? unit_or_zero(middle)
                                                     : Double3{0.0, 0.0, 1.0};
  const double boxes = bound(root_a, root_b, pair.frame.band());
  if (boxes > pair.frame.band()) return {.lower = boxes, .normal = normal};
  if (const std::optional<HullPair> hulls = hulls_of(pair)) {
    const HullProof plane = hull_plane(*hulls, direction);
    if (plane.lower > pair.frame.band()) return plane;
  }
  return {.normal = normal};
}

/// Looks at pairs in contact until one crosses for sure; no such pair may be there.
NearestPair first_crossing(const PlacedMeshes& pair, NodePairBound bound) {
  NearestPair contact(pair.frame, 0.0);
  visit_near_triangles(pair.a.tree(), pair.b.tree(), bound, contact.largest(),
                       [&](std::int32_t ta, std::int32_t tb) {
                         look_for_contact(pair, ta, tb, bound, contact);
                         return contact.crosses() ? -kInfinity : contact.largest();
                       });
  return contact;
}

}  // namespace

GeometryDistance mesh_distance(const Mesh& a, const Pose& X_WA, const Mesh& b, const Pose& X_WB,
                               const DistanceOptions& options) {
  check_distance_options(options);
  const PlacedMeshes pair(a, X_WA, b, X_WB);
  NearestPair nearest(pair.frame, options.cutoff);
  NodePairBound bound(a.tree(), b.tree(), pair.X_AB);
  if (options.warm_start != nullptr) {
    const auto [ta, tb] = options.warm_start->vertices;
    if (pair.has(ta, a) && pair.has(tb, b)) look(pair, ta, tb, bound, nearest);
    if (nearest.crosses()) return overlap_answer(pair, nearest, 0.0, options);
  }
  const HullVerdict verdict = ask_hulls(pair, options, bound, nearest);
  if (verdict == HullVerdict::proved) return nearest.surface_answer(options);
  if (verdict == HullVerdict::open) {
    const NearestPair contact = first_crossing(pair, bound);
    if (contact.crosses()) return overlap_answer(pair, contact, 0.0, options);
  }
  const double left_out = visit_near_triangles(a.tree(), b.tree(), bound, nearest.largest(),
                                               [&](std::int32_t ta, std::int32_t tb) {
                                                 look(pair, ta, tb, bound, nearest);
                                                 return nearest.largest();
                                               });
  nearest.leave_out(left_out);
  if (!pair.has_solid()) return nearest.surface_answer(options);
  return solid_answer(pair, bound, nearest, options);
}

Collision mesh_collide(const Mesh& a, const Pose& X_WA, const Mesh& b, const Pose& X_WB,
                       const CollideOptions& options) {
  check_options(options.tolerance, options.max_iterations, options.initial_direction,
                options.warm_start);
  const PlacedMeshes pair(a, X_WA, b, X_WB);
  NearestPair nearest(pair.frame, 0.0);
  NodePairBound bound(a.tree(), b.tree(), pair.X_AB);
  const auto visit = [&](std::int32_t ta, std::int32_t tb) {
    look_for_contact(pair, ta, tb, bound, nearest);
    return nearest.touches() ? -kInfinity : nearest.largest();
  };
  const bool tracked = options.warm_start != nullptr;
  if (tracked) {
    const auto [ta, tb] = options.warm_start->vertices;
    if (pair.has(ta, a) && pair.has(tb, b)) visit(ta, tb);
    if (nearest.touches()) return nearest.collision(false);
  }
  const HullProof apart = parting_plane(
      pair, bound, tracked ? options.warm_start->direction_A : Vector3(Vector3::Zero()));
  if (apart.lower > pair.frame.band()) {
    nearest.leave_out_all(apart.lower, apart.normal);
    Collision result = nearest.collision(false);
    if (tracked) result.warm_start.vertices = options.warm_start->vertices;
    return result;
  }
  nearest.leave_out(visit_near_triangles(a.tree(), b.tree(), bound, nearest.largest(), visit));
  nearest.leave_out_all(kInfinity, apart.normal);
  const bool inside = !nearest.touches() && depth_inside(pair) > 0.0;
  return nearest.collision(inside);
}

}  // namespace tactum
