// SPDX-License-Identifier: BSD-2-Clause
// Two meshes at their poses, in the frame of A.
#pragma once

#include <optional>

#include "mesh/query/hull_proof.hpp"
#include "mesh/query/mesh_answer.hpp"
#include "mesh/query/placed_mesh.hpp"

namespace tactum {

struct PlacedMeshes {
  PlacedMeshes(const Mesh& a_, const Pose& X_WA, const Mesh& b_, const Pose& X_WB)
      : checked_a(check_pose(X_WA, "X_WA")),
        checked_b(check_pose(X_WB, "X_WB")),
        a(a_),
        b(b_),
        X_AB(pose_in_frame(checked_a.pose, checked_b.pose)),
        frame(checked_a.pose, checked_a.corrected || checked_b.corrected, a.reach(), b.reach(),
              X_AB.translation) {}

  Triangle3 triangle_a(std::int32_t t) const { return mesh_triangle(a, t); }
  Triangle3 triangle_b(std::int32_t t) const { return placed(X_AB, mesh_triangle(b, t)); }
  bool has(std::int32_t t, const Mesh& mesh) const { return t >= 0 && t < mesh.triangles().cols(); }
  bool has_solid() const { return a.is_solid() || b.is_solid(); }

  const CheckedPose checked_a, checked_b;
  const Mesh& a;
  const Mesh& b;
  const Pose X_AB;
  const MeshFrame frame;
};

/// The convex hulls of both, where they are proved.
inline std::optional<HullPair> hulls_of(const PlacedMeshes& pair) {
  const Shape *const hull_a = pair.a.hull(), *const hull_b = pair.b.hull();
  if (hull_a == nullptr || hull_b == nullptr) return std::nullopt;
  return HullPair{*hull_a, *hull_b, pair.X_AB, hull_slack(pair.a) + hull_slack(pair.b)};
}

/// The depth, in m, of what is inside a solid, seen at one vertex of every component: all that has
/// to be asked where the surfaces are apart.
inline double depth_inside(const PlacedMeshes& pair) {
  double depth = 0.0;
  if (pair.a.is_solid()) depth = depth_of_components(pair.a, pair.b, pair.X_AB);
  if (pair.b.is_solid())
    depth = std::max(depth, depth_of_components(pair.b, pair.a, inverse(pair.X_AB)));
  return depth;
}

/// Looks at one pair of triangles for contact alone: nearly all are parted by a plane.
inline void look_for_contact(const PlacedMeshes& pair, std::int32_t ta, std::int32_t tb,
                             NodePairBound& bound, NearestPair& nearest) {
  const Triangle3 a = pair.triangle_a(ta), b = pair.triangle_b(tb);
  if (nearest.settles(face_separation(a, b))) return;
  if (nearest.settles(edge_separation(a, b, nearest.largest()))) return;
  if (nearest.take(triangle_distance(a, b), ta, tb)) bound.look_along(nearest.best().normal);
}

}  // namespace tactum
