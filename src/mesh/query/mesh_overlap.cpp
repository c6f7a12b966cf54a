// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/query/mesh_overlap.hpp"

#include "mesh/query/touching_solids.hpp"
#include "mesh/surface/hull_fill.hpp"

namespace tactum {
namespace {

/// How deep the points of either mesh that are farthest along a normal from A to B are inside the
/// other. At a corner in a face that is the depth of the hulls, which it proves.
double depth_of_supports(const PlacedMeshes& pair, Double3 n) {
  const Double3 n_B = transposed_product(pair.X_AB.rotation, n);
  const auto in_b = [&] { return inverse(pair.X_AB) * to_vector3(mesh_support(pair.a, n).point); };
  const auto in_a = [&] { return pair.X_AB * to_vector3(mesh_support(pair.b, -n_B).point); };
  return std::max(pair.b.is_solid() ? depth_of_point(pair.b, in_b()) : 0.0,
                  pair.a.is_solid() ? depth_of_point(pair.a, in_a()) : 0.0);
}

/// The best translation that is known to part the meshes. Where the hulls are not proved, the axes
/// of both frames and the line of centers are tried.
Parting parting_of(const PlacedMeshes& pair, Double3 pair_normal) {
  if (const std::optional<HullPair> hulls = hulls_of(pair)) {
    const HullProof depth = hull_depth(*hulls);
    Parting parting{depth.lower, depth.normal, depth.point_a};
    if (pair.a.fills_hull() && pair.b.fills_hull())
      parting.upper = depth.upper + hull_fill_slack(pair.a.reach()) +
                      hull_fill_slack(pair.b.reach());
    return parting;
  }
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

GeometryDistance answer_with_parting(const PlacedMeshes& pair, const NearestPair& nearest,
                                     const Parting& parting, double depth,
                                     const DistanceOptions& options) {
  depth = std::max(depth, -parting.upper);
  // what has no inside is not deep, and exact hulls prove all that there is
  if (pair.has_solid() && !std::isfinite(parting.upper))
    depth = std::max(depth, depth_of_supports(pair, parting.normal));
  return nearest.overlap_answer(options, parting, depth, pair.has_solid());
}

}  // namespace

GeometryDistance overlap_answer(const PlacedMeshes& pair, const NearestPair& nearest, double depth,
                                const DistanceOptions& options) {
  const Parting parting = parting_of(pair, nearest.best().normal);
  return answer_with_parting(pair, nearest, parting, depth, options);
}

GeometryDistance solid_answer(const PlacedMeshes& pair, const NodePairBound& bound,
                              const NearestPair& nearest, const DistanceOptions& options) {
  const double band = pair.frame.band(), depth = depth_inside(pair);
  if (depth > band) return overlap_answer(pair, nearest, depth, options);
  if (!nearest.touches()) return nearest.surface_answer(options);
  const Parting parting = parting_of(pair, nearest.best().normal);
  if (-parting.upper > band) return answer_with_parting(pair, nearest, parting, 0.0, options);
  // contact or overlap? A short step that parts them proves contact, a point in both overlap
  const double step = std::max(0.25 * options.tolerance * pair.frame.scale, 4.0 * band);
  if (parting.separation >= -step) return nearest.touching_answer(options, parting.separation);
  const Double3 normals[] = {nearest.best().normal, parting.normal,
                             sum_of_contact_normals(pair, bound)};
  for (const Double3 normal : normals)
    if (is_parted_by(pair, step * normal)) return nearest.touching_answer(options, -step);
  return answer_with_parting(pair, nearest, parting, depth_at_contacts(pair, bound), options);
}

}  // namespace tactum
