// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/surface/hull_fill.hpp"

#include <Eigen/Geometry>
#include <limits>

namespace tactum {

bool is_its_own_hull(const Mesh& solid, const Shape& hull) {
  const Points& vertices = solid.vertices();
  const double slack = hull_fill_slack(solid.reach());
  for (const auto& triangle : solid.triangles().colwise()) {
    const Vector3 a = vertices.col(triangle[0]), u = vertices.col(triangle[1]) - a,
                  v = vertices.col(triangle[2]) - a;
    const Vector3 across = u.cross(v);
    const double length = across.norm();
    if (!(length > 0.0)) return false;
    const Vector3 n = across / length;
    const double lowest = std::min(0.0, std::min(n.dot(u), n.dot(v)));
    if (!(n.dot(hull.support(n) - a) <= lowest + slack)) return false;
  }
  // no triangle is deeper inside the hull, so that one point there stands for all
  const Vector3 middle = std::get<Convex>(hull.parameters()).vertices().rowwise().mean();
  return winding_number(solid, middle) > 0;
}

}  // namespace tactum
