// SPDX-License-Identifier: BSD-2-Clause
#include "contact/hull_feature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "shape/convex_polytope.hpp"

namespace tactum {
namespace {

constexpr int kMostVertices = 48;  // of a face that is outlined exactly
constexpr int kMostSteps = 256;
constexpr double kStraight = 1e-9;  // sine of a turn that makes no corner
constexpr double kFacing = 0.05;    // cosine below which a triangle counts as seen from the side

/// A vertex as it is seen.
struct SeenVertex {
  double x, y;
  std::int32_t vertex;
};

/// Which edges and vertices count as level.
class Level {
 public:
  Level(const ConvexPolytope& hull, int support, Double3 u, const FeatureReach& reach)
      : hull_(hull),
        support_(support),
        u_(u),
        square_(reach.sine * reach.sine),
        lowest_(dot(u, plain(hull.vertex(support))) - reach.drop) {}
  /// The edge is orthogonal to the direction within the angle, and its end not below twice that angle seen from the support
  /// vertex.
  bool joins(int from, int to) const { return is_level(from, to, square_) && holds(to); }
  /// Whether the vertex can be near the other shape. Those that cannot are taken as ends of edges, and nothing beyond them.
  bool is_near(int vertex) const { return dot(u_, plain(hull_.vertex(vertex))) >= lowest_; }
  bool holds(int vertex) const { return is_level(support_, vertex, 4.0 * square_); }

 private:
  bool is_level(int from, int to, double square) const {
    const Double3 along = plain(hull_.vertex(to)) - plain(hull_.vertex(from));
    const double drop = dot(u_, along);
    return drop * drop <= square * along.squared_norm();
  }

  const ConvexPolytope& hull_;
  int support_;
  Double3 u_;
  double square_;
  double lowest_;
};

SeenVertex seen_vertex(const SeenCore& seen, int vertex) {
  const Double2 at = seen.axes.coordinates(plain(seen.core->polytope->vertex(vertex)));
  return {at.x, at.y, vertex};
}

/// Vertices found so far, in the order in which they were met.
struct Found {
  std::array<SeenVertex, kMostVertices> items;
  int count = 0;
  bool complete = true;

  SeenVertex& operator[](int i) { return items[static_cast<std::size_t>(i)]; }

  /// Notes that a vertex has been met; false when it had been before.
  bool meet(std::int32_t vertex) {
    constexpr std::uint32_t kSpread = 0x9e3779b1U;
    auto place = static_cast<std::uint8_t>((static_cast<std::uint32_t>(vertex) * kSpread) >> 25);
    for (; met_[place] != -1; place = static_cast<std::uint8_t>((place + 1) % kPlaces)) {
      if (met_[place] == vertex) return false;
    }
    met_[place] = vertex;
    return true;
  }

 private:
  static constexpr std::uint8_t kPlaces = 128;  // 2^7: the upper bits of the spread number
  static_assert(kMostVertices < kPlaces / 2);
  std::array<std::int32_t, kPlaces> met_ = [] {
    std::array<std::int32_t, kPlaces> none;
    none.fill(-1);
    return none;
  }();
};

Found level_vertices(const SeenCore& seen, int support, const Level& level) {
  const ConvexPolytope& hull = *seen.core->polytope;
  Found found;
  found.meet(support);
  found[found.count++] = seen_vertex(seen, support);
  for (int i = 0; i < found.count; ++i) {
    if (!level.is_near(found[i].vertex)) continue;
    for (const std::int32_t neighbor : hull.neighbors(found[i].vertex)) {
      if (!level.joins(found[i].vertex, neighbor)) continue;
      if (found.count == kMostVertices) {
        found.complete = false;
        return found;
      }
      if (!found.meet(neighbor)) continue;
      found[found.count++] = seen_vertex(seen, neighbor);
    }
  }
  return found;
}

bool turns_left(const SeenVertex& a, const SeenVertex& b, const SeenVertex& c) {
  const Double2 first{b.x - a.x, b.y - a.y}, second{c.x - b.x, c.y - b.y};
  const double lengths = (std::abs(first.x) + std::abs(first.y)) * (std::abs(second.x) + std::abs(second.y));
  return cross(first, second) > kStraight * lengths;
}

/// Andrew's monotone chain: the corners counter-clockwise, in place; at least two where two points differ.
int convex_outline(Found& found, std::array<SeenVertex, kMostVertices + 1>& outline) {
  std::sort(found.items.begin(), found.items.begin() + found.count, [](const SeenVertex& a, const SeenVertex& b) {
    return a.x != b.x ? a.x < b.x : (a.y != b.y ? a.y < b.y : a.vertex < b.vertex);
  });
  int count = 0;
  const auto extend = [&](const SeenVertex& next, int least) {
    while (count >= least &&
           !turns_left(outline[static_cast<std::size_t>(count - 2)], outline[static_cast<std::size_t>(count - 1)], next))
      --count;
    outline[static_cast<std::size_t>(count++)] = next;
  };
  for (int i = 0; i < found.count; ++i) extend(found[i], 2);
  const int lower = count + 1;
  for (int i = found.count - 2; i >= 0; --i) extend(found[i], lower);
  return found.count == 1 ? 1 : count - 1;  // the last is the first again
}

/// As many directions in a plane as a feature has corners.
const std::array<Double2, FlatFeature::capacity> kDirections = [] {
  std::array<Double2, FlatFeature::capacity> directions;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const double angle = 2.0 * 3.14159265358979323846 * static_cast<double>(k) / FlatFeature::capacity;
    directions[k] = {std::cos(angle), std::sin(angle)};
  }
  return directions;
}();

/// Calls use(vertex) for a level vertex that is farthest along each of these directions, once for equal neighbours: up the edges
/// between level vertices from the last one, as the directions go around.
template <class Use>
void for_extreme_vertices(const SeenCore& seen, int support, const Level& level, const Use& use) {
  const ConvexPolytope& hull = *seen.core->polytope;
  std::int32_t first = -1, last = -1, at = support;
  for (const Double2& direction : kDirections) {
    const Double3 along = seen.axes.vector(direction);
    const auto reach = [&](std::int32_t vertex) { return dot(plain(hull.vertex(vertex)), along); };
    double farthest = reach(at);
    for (std::int32_t from = -1; from != at;) {
      from = at;
      for (const std::int32_t neighbor : hull.neighbors(from)) {
        if (!(reach(neighbor) > farthest) || !level.holds(neighbor) || !(level.is_near(from) || level.is_near(neighbor)))
          continue;
        farthest = reach(neighbor);
        at = neighbor;
      }
    }
    if (at == last || at == first) continue;
    if (first < 0) first = at;
    last = at;
    use(at);
  }
}

/// The triangle at a vertex that faces the direction best: one from the sorted table of edges, then once around the vertex.
std::int32_t triangle_at(const ConvexPolytope& hull, std::int32_t vertex, Double3 u) {
  const std::int32_t other = hull.neighbors(vertex)[0];
  const std::array<std::int32_t, 2> wanted = {std::min(vertex, other), std::max(vertex, other)};
  const auto edges = hull.edges();
  const auto found = std::lower_bound(edges.begin(), edges.end(), wanted,
                                      [](const ConvexPolytope::Edge& edge, const auto& key) { return edge.vertices < key; });
  const std::int32_t first = found->faces[0];
  std::int32_t face = first, best = first;
  double best_cosine = -2.0;
  for (int step = 0; step < kMostSteps; ++step) {
    const double cosine = dot(plain(hull.planes()[static_cast<std::size_t>(face)].normal), u);
    if (cosine > best_cosine) best_cosine = cosine, best = face;
    const ConvexPolytope::Face& triangle = hull.faces()[static_cast<std::size_t>(face)];
    const auto corner = static_cast<std::size_t>(std::find(triangle.vertices.begin(), triangle.vertices.end(), vertex) -
                                                 triangle.vertices.begin());
    face = triangle.neighbors[corner];
    if (face == first) break;
  }
  return best;
}

/// Two corners with the smaller vertex first, so that the name of a line does not depend on how it is seen.
void order_ends(FlatFeature& feature) {
  if (feature.vertices[0] <= feature.vertices[1]) return;
  std::swap(feature.x[0], feature.x[1]);
  std::swap(feature.y[0], feature.y[1]);
  std::swap(feature.height[0], feature.height[1]);
  std::swap(feature.vertices[0], feature.vertices[1]);
}

void add_outline(const SeenCore& seen, int support, const FeatureReach& reach, FlatFeature& feature) {
  const ConvexPolytope& hull = *seen.core->polytope;
  const Level level(hull, support, seen.outward(), reach);
  const auto add = [&](std::int32_t vertex) {
    feature.add(seen, plain(hull.vertex(vertex)), static_cast<std::uint32_t>(vertex));
  };
  Found found = level_vertices(seen, support, level);
  std::array<SeenVertex, kMostVertices + 1> outline;
  const int count = found.complete ? convex_outline(found, outline) : kMostVertices;
  if (count <= FlatFeature::capacity) {
    for (int i = 0; i < count; ++i) add(outline[static_cast<std::size_t>(i)].vertex);
  } else {
    for_extreme_vertices(seen, support, level, add);
  }
}

}  // namespace

void add_hull_feature(const SeenCore& seen, const FeatureReach& reach, FlatFeature& feature) {
  const ConvexPolytope& hull = *seen.core->polytope;
  const Double3 u = seen.outward();
  int visited = 0;
  const int support = hull.support_vertex(&u.x, visited);
  add_outline(seen, support, reach, feature);
  if (feature.count == 2) order_ends(feature);
  if (feature.count < 3) return;
  feature.face = *std::min_element(feature.vertices.begin(), feature.vertices.begin() + feature.count);
  if (hull.dimension() == 3) {
    feature.planar = false;
    feature.start_face = triangle_at(hull, support, u);
    return;
  }
  const Double3 normal = plain(hull.planes()[0].normal);
  const double up = dot(normal, seen.axes.normal);
  feature.slope = {-dot(normal, seen.axes.first) / up, -dot(normal, seen.axes.second) / up};
}

FeatureHeight hull_height_at(const SeenCore& seen, const FlatFeature& feature, Double2 at) {
  const ConvexPolytope& hull = *seen.core->polytope;
  const auto faces = hull.faces();
  const Double2 wanted{at.x - seen.x, at.y - seen.y};
  const auto facing = [&](std::int32_t face) {
    return dot(plain(hull.planes()[static_cast<std::size_t>(face)].normal), seen.outward()) > kFacing;
  };
  std::int32_t face = feature.start_face;
  for (int step = 0; step < kMostSteps; ++step) {
    const ConvexPolytope::Face& triangle = faces[static_cast<std::size_t>(face)];
    Double2 corners[3];
    for (std::size_t k = 0; k < 3; ++k) corners[k] = seen.axes.coordinates(plain(hull.vertex(triangle.vertices[k])));
    double farthest = 0.0;
    std::int32_t beyond = -1;
    for (std::size_t k = 0; k < 3; ++k) {
      const Double2 edge = corners[k == 2 ? 0 : k + 1] - corners[k];
      const double inside = seen.sign * cross(edge, wanted - corners[k]);
      if (inside >= farthest || (!facing(triangle.neighbors[k]) && facing(face))) continue;
      farthest = inside;
      beyond = triangle.neighbors[k];
    }
    if (beyond < 0) break;
    face = beyond;
  }
  const ConvexPolytope::Plane& plane = hull.planes()[static_cast<std::size_t>(face)];
  const Double3 normal = plain(plane.normal);
  const double up = dot(normal, seen.axes.normal);
  if (seen.sign * up <= kFacing) return {feature.height[0], {0.0, 0.0}};
  const Double2 slope{-dot(normal, seen.axes.first) / up, -dot(normal, seen.axes.second) / up};
  return {seen.height + plane.offset / up + dot(slope, wanted), slope};
}

}  // namespace tactum
