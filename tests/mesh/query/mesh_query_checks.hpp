// SPDX-License-Identifier: BSD-2-Clause
// Brute force for queries of meshes: every pair of triangles, each as a convex hull.
#pragma once

#include <vector>

#include "mesh/mesh_fixtures.hpp"
#include "tactum/geometry.hpp"
#include "tactum/signed_distance.hpp"

namespace tactum::testing {

inline Shape triangle_hull(const Mesh& mesh, Eigen::Index t) {
  Points corners(3, 3);
  for (int k = 0; k < 3; ++k) corners.col(k) = mesh.vertices().col(mesh.triangles()(k, t));
  return Convex::from_points(corners);
}

inline std::vector<Shape> triangle_hulls(const Mesh& mesh) {
  std::vector<Shape> hulls;
  for (Eigen::Index t = 0; t < mesh.triangles().cols(); ++t)
    hulls.push_back(triangle_hull(mesh, t));
  return hulls;
}

/// The least signed distance over all pairs of convex parts.
inline double brute_distance(const std::vector<Shape>& a, const Pose& X_WA,
                             const std::vector<Shape>& b, const Pose& X_WB) {
  double least = std::numeric_limits<double>::infinity();
  for (const Shape& p : a)
    for (const Shape& q : b) least = std::min(least, distance(p, X_WA, q, X_WB).distance);
  return least;
}

}  // namespace tactum::testing
