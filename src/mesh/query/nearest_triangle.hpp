// SPDX-License-Identifier: BSD-2-Clause
// The triangle of a mesh nearest to a point.
#pragma once

#include "math/epsilon.hpp"
#include "mesh/query/placed_mesh.hpp"

namespace tactum {

struct NearestTriangle {
  double distance = std::numeric_limits<double>::infinity();  ///< m
  std::int32_t triangle = 0;
  Double3 point = {0.0, 0.0, 0.0};  ///< of the triangle
};

/// In the frame of the mesh. Of triangles at one distance, any.
inline NearestTriangle nearest_triangle(const Mesh& mesh, Double3 p) {
  NearestTriangle best;
  mesh.tree().least(
      std::numeric_limits<double>::infinity(),
      [&](const MeshTree::Node& node) {
        const Double3 low = node.low() - p, high = p - node.high();
        const Double3 gap = {std::max(0.0, std::max(low.x, high.x)),
                             std::max(0.0, std::max(low.y, high.y)),
                             std::max(0.0, std::max(low.z, high.z))};
        // below the exact distance whatever rounding does
        return gap.norm() * (1.0 - 8.0 * kEpsilon);
      },
      [&](std::int32_t triangle) {
        const Double3 q = nearest_on_triangle(mesh_triangle(mesh, triangle), p);
        const double distance = (q - p).norm();
        if (distance < best.distance) best = {distance, triangle, q};
        return best.distance;
      });
  return best;
}

}  // namespace tactum
