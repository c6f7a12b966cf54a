// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/query/solid_overlap.hpp"

#include "mesh/query/nearest_triangle.hpp"

namespace tactum {

double depth_of_point(const Mesh& solid, const Vector3& point) {
  const MeshTree::Node& root = solid.tree().node(0);
  const Double3 p = to_double3(point), low = root.low() - p, high = p - root.high();
  if (low.largest() > 0.0 || high.largest() > 0.0) return 0.0;
  return winding_number(solid, point) > 0 ? nearest_triangle(solid, p).distance : 0.0;
}

double depth_of_components(const Mesh& solid, const Mesh& other, const Pose& X) {
  double deepest = 0.0;
  for (const std::int32_t vertex : other.component_vertices()) {
    check_interrupt();
    const Vector3 point = X * Vector3(other.vertices().col(vertex));
    deepest = std::max(deepest, depth_of_point(solid, point));
  }
  return deepest;
}

}  // namespace tactum
