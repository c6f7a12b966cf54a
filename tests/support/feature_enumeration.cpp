// SPDX-License-Identifier: BSD-2-Clause
#include "support/feature_enumeration.hpp"

#include <algorithm>

#include "support/sphere_search.hpp"

namespace tactum::testing {
namespace {

struct Placed {
  std::vector<Vec3> vertices;
  const ConvexBody& body;

  explicit Placed(const ConvexBody& source) : body(source) {
    for (const Vec3& v : source.vertices)
      vertices.push_back(source.rotation * v + source.translation);
  }
  const Vec3& vertex(int i) const { return vertices[static_cast<std::size_t>(i)]; }
  Vec3 edge(const std::array<int, 2>& e) const { return vertex(e[1]) - vertex(e[0]); }
};

Real largest_separation(const Placed& a, const Placed& b) {
  Real best = -infinite;
  const auto consider = [&](const Vec3& normal) {
    const Real length = normal.norm();
    if (length == 0) return;
    for (const Real side : {Real(1), Real(-1)})
      best = std::max(best, -support_value(a.body, b.body, normal * (side / length)));
  };
  for (const Placed* p : {&a, &b}) {
    for (const auto& t : p->body.triangles) {
      consider((p->vertex(t[1]) - p->vertex(t[0])).cross(p->vertex(t[2]) - p->vertex(t[0])));
    }
  }
  for (const auto& e : a.body.edges) {
    for (const auto& f : b.body.edges) {
      const Vec3 u = a.edge(e).normalized(), v = b.edge(f).normalized(), normal = u.cross(v);
      // truly parallel up to the rounding of this arithmetic: no facet
      if (normal.norm() > 1e-18L) consider(normal);
    }
  }
  return best;
}

Real least_feature_distance(const Placed& a, const Placed& b) {
  Real best = infinite;
  for (const auto& [p, q] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    for (const Vec3& x : p->vertices) {
      for (const Vec3& y : q->vertices) best = std::min(best, (x - y).norm());
      for (const auto& e : q->body.edges)
        best = std::min(best, distance_point_segment(x, q->vertex(e[0]), q->vertex(e[1])));
      for (const auto& t : q->body.triangles) {
        best = std::min(
            best, distance_point_triangle(x, q->vertex(t[0]), q->vertex(t[1]), q->vertex(t[2])));
      }
    }
  }
  for (const auto& e : a.body.edges) {
    for (const auto& f : b.body.edges) {
      best = std::min(best, distance_segment_segment(a.vertex(e[0]), a.vertex(e[1]), b.vertex(f[0]),
                                                     b.vertex(f[1])));
    }
  }
  return best;
}

}  // namespace

Real enumerate_features(const ConvexBody& a, const ConvexBody& b) {
  const Placed placed_a(a), placed_b(b);
  const Real size = std::max(a.extent, b.extent) + (b.translation - a.translation).norm();
  const Real separation = largest_separation(placed_a, placed_b);
  if (separation < -1e-17L * size && separation > -infinite) return separation;
  return least_feature_distance(placed_a, placed_b);
}

}  // namespace tactum::testing
