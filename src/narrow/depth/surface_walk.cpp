// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/depth/surface_walk.hpp"

namespace tactum {
namespace {

/// A plane through three points: its unit normal towards the given inside, and normal.w of the
/// plane.
struct InnerPlane {
  Double3 normal = {0.0, 0.0, 1.0};
  double value = -std::numeric_limits<double>::infinity();  ///< minus infinity for a sliver
};

InnerPlane plane_through(const MinkowskiPoint& p, const MinkowskiPoint& q,
                         const MinkowskiPoint& r) {
  const Double3 w = to_double3(p.w), e1 = to_double3(q.w) - w, e2 = to_double3(r.w) - w,
                area = cross(e2, e1);
  const double square = area.squared_norm();
  InnerPlane plane;
  if (!(square > 1e-12 * e1.squared_norm() * e2.squared_norm())) return plane;
  plane.normal = (std::sqrt(square) * (1.0 / square)) * area;
  plane.value = dot(plane.normal, w);
  return plane;
}

/// Corners of the faces of a tetrahedron, counter-clockwise seen from outside when its volume is
/// positive.
constexpr std::array<std::array<int, 3>, 4> kFaces = {{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};

}  // namespace

bool walk_to_surface(CorePair& pair, const Simplex& tetrahedron, double gap, int max_steps,
                     SurfaceTriangle& triangle) {
  if (tetrahedron.size != 4) return false;
  const auto& points = tetrahedron.points;
  const Double3 origin = to_double3(points[0].w);
  const bool turned = dot(cross(to_double3(points[1].w) - origin, to_double3(points[2].w) - origin),
                          to_double3(points[3].w) - origin) < 0.0;
  InnerPlane best;
  std::array<const MinkowskiPoint*, 3> corners = {};
  for (const auto& [i, j, k] : kFaces) {
    const MinkowskiPoint &p = points[i], &q = points[turned ? k : j], &r = points[turned ? j : k];
    const InnerPlane plane = plane_through(p, q, r);
    if (!(plane.value > best.value)) continue;
    best = plane;
    corners = {&p, &q, &r};
  }
  if (corners[0] == nullptr) return false;
  std::array<MinkowskiPoint, 4> slots = {*corners[0], *corners[1], *corners[2]};
  std::array<int, 4> order = {0, 1, 2, 3};  // the corners, then the free slot
  for (int step = 0;; ++step) {
    triangle.lower = pair.support(best.normal, slots[order[3]]);
    if (best.value - triangle.lower <= gap || step == max_steps) break;
    InnerPlane nearest;
    int replaced = -1;
    for (int k = 0; k < 3; ++k) {
      std::array<int, 3> face = {order[0], order[1], order[2]};
      face[k] = order[3];
      const InnerPlane plane = plane_through(slots[face[0]], slots[face[1]], slots[face[2]]);
      if (!(plane.value > nearest.value)) continue;
      nearest = plane;
      replaced = k;
    }
    if (replaced < 0) break;
    best = nearest;
    std::swap(order[replaced], order[3]);
  }
  triangle.simplex.size = 0;
  for (int k = 0; k < 3; ++k) {
    triangle.simplex.weights[k] = 1.0 / 3.0;
    triangle.simplex.push(slots[order[k]]);
  }
  triangle.normal = to_vector3(best.normal);
  return true;
}

}  // namespace tactum
