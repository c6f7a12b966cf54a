// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/query/hull_proof.hpp"

#include "math/epsilon.hpp"
#include "mesh/query/triangle_core.hpp"

namespace tactum {
namespace {

HullProof proof_of(const Distance& found, double slack) {
  return {found.lower - slack, found.upper + slack, to_double3(found.normal),
          to_double3(found.point_a), to_double3(found.point_b)};
}

}  // namespace

double hull_slack(const Mesh& mesh) {
  // the hull holds every point within 16 eps of the extent, which is at most twice the reach
  return 32.0 * kEpsilon * mesh.reach();
}

double hull_separation(const HullPair& pair, Double3 n) {
  return lowest_of_core(pair.b.core(), pair.X_AB, n) + lowest_of_core(pair.a.core(), Pose{}, -n) -
         pair.slack;
}

HullProof hull_plane(const HullPair& pair, const Vector3& direction) {
  const Collision found = collide(pair.a, Pose{}, pair.b, pair.X_AB,
                                  {.initial_direction = direction});
  if (found.colliding || found.status != Status::separated) return {};
  return {.lower = found.lower - pair.slack, .normal = to_double3(found.normal)};
}

HullProof hull_distance(const HullPair& pair, double cutoff, const Vector3& direction) {
  const HullProof plane = hull_plane(pair, direction);
  if (!(plane.lower > 0.0) || plane.lower > cutoff) return plane;
  const Distance found = distance(
      pair.a, Pose{}, pair.b, pair.X_AB,
      {.cutoff = cutoff, .initial_direction = to_vector3(plane.normal)});
  return proof_of(found, pair.slack);
}

HullProof hull_depth(const HullPair& pair) {
  const Distance found = distance(pair.a, Pose{}, pair.b, pair.X_AB);
  return proof_of(found, pair.slack);
}

}  // namespace tactum
