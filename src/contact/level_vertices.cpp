// SPDX-License-Identifier: BSD-2-Clause
#include "contact/level_vertices.hpp"

#include <algorithm>
#include <cmath>

#include "shape/hull/convex_polytope.hpp"

namespace tactum {
namespace {

constexpr double kLevel = 1e-9;  // of the size: heights that count as equal

/// A unit normal relative to the direction u.
struct Tilt {
  Double3 normal;
  double cosine;
  double squared_sine;  // 1 where the angle is obtuse

  Tilt(Double3 unit, Double3 u)
      : normal(unit),
        cosine(dot(unit, u)),
        squared_sine(cosine > 0.0 ? cross(unit, u).squared_norm() : 1.0) {}
};

/// Sine of the least angle between u and the arc from the normal a to the normal b, which is
/// orthogonal to the edge between their triangles. Within the arc the nearest direction is u
/// without its component along the edge.
double sine_to_arc(const Tilt& a, const Tilt& b, Double3 edge, Double3 u) {
  const double ends = std::sqrt(std::min(a.squared_sine, b.squared_sine)),
               cosine = dot(a.normal, b.normal);
  if (!(b.cosine > a.cosine * cosine && a.cosine > b.cosine * cosine)) return ends;
  const double across = std::abs(dot(edge, u)) / edge.norm();
  // an arc that is shorter than its rounding does not come closer than its ends
  return std::max(across, ends - (a.normal - b.normal).norm());
}

std::size_t corner_of(const ConvexPolytope::Face& triangle, std::int32_t vertex) {
  return static_cast<std::size_t>(
      std::find(triangle.vertices.begin(), triangle.vertices.end(), vertex) -
      triangle.vertices.begin());
}

/// The triangle at a vertex that faces the direction best: starts with one from the sorted table of
/// edges, then goes once around the vertex.
std::int32_t triangle_at(const ConvexPolytope& hull, std::int32_t vertex, Double3 u) {
  const std::int32_t other = hull.neighbors(vertex)[0];
  const std::array<std::int32_t, 2> wanted = {std::min(vertex, other), std::max(vertex, other)};
  const auto edges = hull.edges();
  const auto found = std::lower_bound(
      edges.begin(), edges.end(), wanted,
      [](const ConvexPolytope::Edge& edge, const auto& key) { return edge.vertices < key; });
  const std::int32_t first = found->faces[0];
  std::int32_t face = first, best = first;
  double best_cosine = -2.0;
  do {
    const double cosine = dot(to_double3(hull.planes()[static_cast<std::size_t>(face)].normal), u);
    if (cosine > best_cosine) best_cosine = cosine, best = face;
    const ConvexPolytope::Face& triangle = hull.faces()[static_cast<std::size_t>(face)];
    face = triangle.neighbors[corner_of(triangle, vertex)];
  } while (face != first);
  return best;
}

/// Whether a vertex is high enough for the search to go on beyond it.
class DropLimit {
 public:
  DropLimit(const SeenCore& seen, std::int32_t support, double drop)
      : hull_(*seen.core->polytope),
        u_(seen.outward()),
        lowest_(dot(u_, to_double3(hull_.vertex(support))) - drop),
        slack_(kLevel * seen.core->bounding_radius) {}
  bool holds(std::int32_t vertex, bool& borderline) const {
    const double above = dot(u_, to_double3(hull_.vertex(vertex))) - lowest_;
    borderline |= std::abs(above) <= slack_;
    return above >= 0.0;
  }

 private:
  const ConvexPolytope& hull_;
  Double3 u_;
  double lowest_, slack_;
};

}  // namespace

bool LevelVertices::insert(const SeenCore& seen, std::int32_t vertex, std::int32_t face) {
  using Insertion = VertexSet<kCapacity>::Insertion;
  const Insertion insertion = met_.insert(vertex);
  if (insertion != Insertion::added) return insertion == Insertion::present;
  const Double2 at = seen.axes.project(to_double3(seen.core->polytope->vertex(vertex)));
  items_[size() - 1] = {at.x, at.y, vertex, face};
  return true;
}

bool LevelVertices::find(const SeenCore& seen, std::int32_t support, const FeatureReach& reach,
                         bool& borderline) {
  const ConvexPolytope& hull = *seen.core->polytope;
  if (hull.dimension() == 2) {
    insert(seen, support, -1);
    return find_on_polygon(seen, reach, borderline);
  }
  insert(seen, support, triangle_at(hull, support, seen.outward()));
  return find_on_solid(seen, reach, borderline);
}

bool LevelVertices::find_on_solid(const SeenCore& seen, const FeatureReach& reach,
                                  bool& borderline) {
  const ConvexPolytope& hull = *seen.core->polytope;
  const Double3 u = seen.outward();
  const AngleLimit angle(reach.sine);
  const DropLimit drop(seen, items_[0].vertex, reach.drop);
  const auto tilt = [&](std::int32_t face) {
    return Tilt(to_double3(hull.planes()[static_cast<std::size_t>(face)].normal), u);
  };
  for (std::size_t i = 0; i < size(); ++i) {
    const LevelVertex from = items_[i];
    if (!drop.holds(from.vertex, borderline)) continue;
    std::int32_t face = from.face;
    Tilt here = tilt(face);
    do {
      const ConvexPolytope::Face& triangle = hull.faces()[static_cast<std::size_t>(face)];
      const std::size_t corner = corner_of(triangle, from.vertex);
      const std::int32_t next = triangle.neighbors[corner],
                         to = triangle.vertices[corner == 2 ? 0 : corner + 1];
      const Tilt there = tilt(next);
      const Double3 edge = to_double3(hull.vertex(to)) - to_double3(hull.vertex(from.vertex));
      const bool joins = angle.clearly_holds_square(
                             std::min(here.squared_sine, there.squared_sine)) ||
                         angle.holds(sine_to_arc(here, there, edge, u), borderline);
      if (joins && !insert(seen, to, face)) return false;
      face = next;
      here = there;
    } while (face != from.face);
  }
  return true;
}

bool LevelVertices::find_on_polygon(const SeenCore& seen, const FeatureReach& reach,
                                    bool& borderline) {
  const ConvexPolytope& hull = *seen.core->polytope;
  const Double3 u = seen.outward(), normal = to_double3(hull.planes()[0].normal);
  const AngleLimit angle(reach.sine);
  if (!angle.holds(std::sqrt(Tilt(dot(normal, u) < 0.0 ? -normal : normal, u).squared_sine),
                   borderline)) {
    add_level_side(seen, angle, borderline);
    return true;
  }
  const DropLimit drop(seen, items_[0].vertex, reach.drop);
  for (std::size_t i = 0; i < size(); ++i) {
    if (!drop.holds(items_[i].vertex, borderline)) continue;
    for (const std::int32_t to : hull.neighbors(items_[i].vertex)) {
      if (!insert(seen, to, -1)) return false;
    }
  }
  return true;
}

void LevelVertices::add_level_side(const SeenCore& seen, const AngleLimit& angle,
                                   bool& borderline) {
  const ConvexPolytope& hull = *seen.core->polytope;
  const Double3 u = seen.outward(), from = to_double3(hull.vertex(items_[0].vertex));
  const auto sides = hull.neighbors(items_[0].vertex);
  double least = 2.0;
  std::int32_t end = -1;
  for (const std::int32_t to : sides) {
    const Double3 edge = to_double3(hull.vertex(to)) - from;
    const double sine = std::abs(dot(edge, u)) / edge.norm();
    borderline |= angle.is_same(sine, least);
    if (sine < least) least = sine, end = to;
  }
  if (angle.holds(least, borderline)) insert(seen, end, -1);
}

}  // namespace tactum
