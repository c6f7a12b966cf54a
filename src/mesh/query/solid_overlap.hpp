// SPDX-License-Identifier: BSD-2-Clause
// Proofs about solids that overlap: a translation that parts them, points that are inside.
#pragma once

#include <span>

#include "mesh/query/placed_mesh.hpp"

namespace tactum {

/// A direction and how far two sets are apart along it; negative where they overlap along it. It is
/// a lower bound of their signed distance.
struct Parting {
  double separation = -std::numeric_limits<double>::infinity();
  Double3 normal = {0.0, 0.0, 1.0};   ///< unit, from A to B, frame of A
  Double3 point_a = {0.0, 0.0, 0.0};  ///< of A, farthest along the normal
  /// m: an upper bound of the signed distance where one is known
  double upper = std::numeric_limits<double>::infinity();
};

/// The best of the given directions, each tried both ways: unit vectors in the frame of A.
/// support_b(n) is the smallest n.x over B, in the frame of A.
template <class Lowest>
Parting best_parting(const Mesh& a, std::span<const Double3> directions, Lowest&& lowest_of_b) {
  Parting best;
  for (const Double3 direction : directions) {
    for (const Double3 n : {direction, -direction}) {
      const MeshSupport support = mesh_support(a, n);
      const double separation = lowest_of_b(n) - support.height;
      if (separation > best.separation) best = {separation, n, support.point};
    }
  }
  return best;
}

/// How deep a vertex of `other` lies inside `solid`, a mesh with an inside; 0 where none of those
/// that stand for the components of `other` does. Where the surfaces do not cross, that decides
/// whether anything of `other` is inside. X is the pose of `other` in the frame of `solid`.
double depth_of_components(const Mesh& solid, const Mesh& other, const Pose& X);

/// How deep a point lies inside a mesh with an inside, in its frame; 0 outside.
double depth_of_point(const Mesh& solid, const Vector3& point);

}  // namespace tactum
