// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/query/touching_solids.hpp"

#include "math/constants.hpp"

namespace tactum {
namespace {

constexpr int kMostContacts = 256;  // pairs that are looked at: more say nothing new

/// Calls visit(triangle of A, triangle of B, pair) for triangles in contact until it returns true.
template <class Visit>
void visit_contacts(const PlacedMeshes& pair, const NodePairBound& bound, Visit&& visit) {
  const double band = pair.frame.band() + pair.frame.slack;
  int count = 0;
  visit_near_triangles(pair.a.tree(), pair.b.tree(), bound, band,
                       [&](std::int32_t ta, std::int32_t tb) {
                         const Triangle3 a = pair.triangle_a(ta), b = pair.triangle_b(tb);
                         if (face_separation(a, b) > band || edge_separation(a, b, band) > band)
                           return band;
                         const TrianglePair found = triangle_distance(a, b);
                         if (found.lower > band) return band;
                         return visit(a, b, found) || ++count == kMostContacts ? -kInfinity : band;
                       });
}

/// How deep a point is in both solids together: no shorter translation takes the balls around it
/// apart that they hold. 0 where it is not inside both for sure.
double depth_in_both(const PlacedMeshes& pair, Double3 point) {
  const double band = pair.frame.band();
  const double in_a = depth_of_point(pair.a, to_vector3(point));
  if (!(in_a > band)) return 0.0;
  const double in_b = depth_of_point(pair.b, inverse(pair.X_AB) * to_vector3(point));
  return in_b > band ? in_a + in_b : 0.0;
}

/// How deep a point of the surface of B is inside A, or of A inside B.
double depth_in_solid(const PlacedMeshes& pair, Double3 point, bool of_b) {
  const Mesh& solid = of_b ? pair.a : pair.b;
  if (!solid.is_solid()) return 0.0;
  const Vector3 at = to_vector3(point);
  const double depth = depth_of_point(solid, of_b ? at : inverse(pair.X_AB) * at);
  return depth > pair.frame.band() ? depth : 0.0;
}

/// The depth that points of one triangle prove, from a contact toward its corners, the middles of
/// its sides and its own middle.
double depth_along(const PlacedMeshes& pair, const Triangle3& t, Double3 contact, bool of_b) {
  const bool both = pair.a.is_solid() && pair.b.is_solid();
  const Double3 normal = unit_or_zero(cross(t[1] - t[0], t[2] - t[0]));
  const Double3 targets[] = {t[0],
                             t[1],
                             t[2],
                             0.5 * (t[0] + t[1]),
                             0.5 * (t[1] + t[2]),
                             0.5 * (t[2] + t[0]),
                             (1.0 / 3.0) * (t[0] + t[1] + t[2])};
  for (const Double3 target : targets) {
    for (const double part : {0.5, 0.1, 1e-2, 1e-3}) {
      const Double3 way = part * (target - contact), point = contact + way;
      const double depth = both ? depth_in_both(pair, point - (0.1 * way.norm()) * normal)
                                : depth_in_solid(pair, point, of_b);
      if (depth > 0.0) return depth;
    }
  }
  return 0.0;
}

}  // namespace

bool is_parted_by(const PlacedMeshes& pair, Double3 step) {
  if (!(step.squared_norm() > 0.0)) return false;
  Pose X = pair.X_AB;
  X.translation += to_vector3(step);
  const PlacedMeshes moved(pair.a, Pose{}, pair.b, X);
  NearestPair nearest(moved.frame, 0.0);
  NodePairBound bound(pair.a.tree(), pair.b.tree(), moved.X_AB);
  visit_near_triangles(pair.a.tree(), pair.b.tree(), bound, nearest.largest(),
                       [&](std::int32_t ta, std::int32_t tb) {
                         look_for_contact(moved, ta, tb, bound, nearest);
                         return nearest.touches() ? -kInfinity : nearest.largest();
                       });
  return !nearest.touches() && !(depth_inside(moved) > 0.0);
}

Double3 sum_of_contact_normals(const PlacedMeshes& pair, const NodePairBound& bound) {
  Double3 sum = {0.0, 0.0, 0.0};
  visit_contacts(pair, bound, [&](const Triangle3&, const Triangle3&, const TrianglePair& found) {
    sum = sum + found.normal;
    return false;
  });
  return unit_or_zero(sum);
}

double depth_at_contacts(const PlacedMeshes& pair, const NodePairBound& bound) {
  double depth = 0.0;
  visit_contacts(pair, bound,
                 [&](const Triangle3& a, const Triangle3& b, const TrianglePair& found) {
                   depth = depth_along(pair, a, found.point_a, false);
                   if (!(depth > 0.0)) depth = depth_along(pair, b, found.point_b, true);
                   return depth > 0.0;
                 });
  return depth;
}

}  // namespace tactum
