// SPDX-License-Identifier: BSD-2-Clause
#include "contact/hull_feature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/level_vertices.hpp"
#include "math/epsilon.hpp"
#include "shape/hull/convex_polytope.hpp"

namespace tactum {
namespace {

constexpr double kStraight = 1e-9;     // sine of a turn that makes no corner
constexpr double kFacing = 0.05;       // cosine below which a triangle counts as seen from the side
constexpr double kUpright = 1e-9;      // cosine below which a triangle has no height over a place
constexpr double kSameHeight = 1e-10;  // of the size: heights over a place that count as equal
constexpr double kSameReach = 1e-10;  // of the size: corners that are equally far along a direction

using Outline = std::array<LevelVertex, LevelVertices::kCapacity + 1>;

/// The sine of the left turn of a chain at b.
double turn_at(const LevelVertex& a, const LevelVertex& b, const LevelVertex& c) {
  const Double2 first{b.x - a.x, b.y - a.y}, second{c.x - b.x, c.y - b.y};
  const double lengths = (std::abs(first.x) + std::abs(first.y)) *
                         (std::abs(second.x) + std::abs(second.y));
  return lengths > 0.0 ? cross(first, second) / lengths : 0.0;
}

/// Andrew's monotone chain: the corners counter-clockwise; at least two where two places differ.
/// `borderline` is set where a corner is nearly straight.
int convex_outline(LevelVertices& level, Outline& outline, bool& borderline) {
  std::sort(level.begin(), level.end(), [](const LevelVertex& a, const LevelVertex& b) {
    return a.x != b.x ? a.x < b.x : (a.y != b.y ? a.y < b.y : a.vertex < b.vertex);
  });
  std::size_t count = 0;
  const auto extend = [&](const LevelVertex& next, std::size_t least) {
    while (count >= least) {
      const double turn = turn_at(outline[count - 2], outline[count - 1], next);
      borderline |= turn > 0.1 * kStraight && turn < 10.0 * kStraight;
      if (turn > kStraight) break;
      --count;
    }
    outline[count++] = next;
  };
  const std::size_t found = level.size();
  for (std::size_t i = 0; i < found; ++i) extend(level[i], 2);
  const std::size_t lower = count + 1;
  for (std::size_t i = found - 1; i-- > 0;) extend(level[i], lower);
  return static_cast<int>(found == 1 ? 1 : count - 1);  // the last is the first again
}

// -------------------------------------------------------------------------------------------------
// directions fixed to the shape
/// Directions in the plane, one for each corner that a feature can hold, from axes that turn with
/// the shape. They are a quarter turn's multiple of each other and begin off the axes, so that
/// neither symmetric shapes nor a tie between two axes of the shape make them ambiguous.
class FixedDirections {
 public:
  /// Builds the directions from the axis of the shape that is most orthogonal to the unit vector u.
  explicit FixedDirections(Double3 u) {
    const double along[3] = {std::abs(u.x), std::abs(u.y), std::abs(u.z)};
    int axis = along[1] < along[0] ? 1 : 0;
    axis = along[2] < along[axis] ? 2 : axis;
    for (int other = 0; other < 3; ++other)
      tied_ |= other != axis && along[other] - along[axis] < kTie &&
               along[other] * along[axis] > kTie;
    const Double3 unit{axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
    first_ = unit - dot(unit, u) * u;
    first_ = (1.0 / first_.norm()) * first_;
    second_ = cross(u, first_);
  }
  /// Whether another axis would have served as well, with other directions.
  bool tied() const { return tied_; }
  Double3 operator[](std::size_t k) const { return kCircle[k].x * first_ + kCircle[k].y * second_; }

 private:
  static constexpr double kTie = 1e-10;
  static const std::array<Double2, FlatFeature::kCapacity> kCircle;

  Double3 first_, second_;
  bool tied_ = false;
};

const std::array<Double2, FlatFeature::kCapacity> FixedDirections::kCircle = [] {
  constexpr double kBegin = 0.0427, kTurn = 2.0 * 3.14159265358979323846;
  std::array<Double2, FlatFeature::kCapacity> circle;
  for (std::size_t k = 0; k < circle.size(); ++k) {
    const double angle = kBegin + kTurn * static_cast<double>(k) / FlatFeature::kCapacity;
    circle[k] = {std::cos(angle), std::sin(angle)};
  }
  return circle;
}();

/// The corners of an outline that are farthest along fixed directions, in its order.
void keep_extreme_corners(const SeenCore& seen, Outline& outline, int& count, bool& borderline) {
  const FixedDirections directions(seen.outward());
  borderline |= directions.tied();
  std::array<bool, LevelVertices::kCapacity> keep{};
  const auto n = static_cast<std::size_t>(count);
  const double slack = kSameReach * seen.core->bounding_radius;
  for (std::size_t k = 0; k < FlatFeature::kCapacity; ++k) {
    const Double2 along = seen.axes.project(directions[k]);
    const auto reach = [&](std::size_t i) {
      return along.x * outline[i].x + along.y * outline[i].y;
    };
    std::size_t best = 0;
    double second = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < n; ++i) {
      second = std::max(second, std::min(reach(i), reach(best)));
      if (reach(i) > reach(best)) best = i;
    }
    borderline |= second >= reach(best) - slack;
    keep[best] = true;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (keep[i]) outline[kept++] = outline[i];
  }
  count = static_cast<int>(kept);
}

/// Support points of directions at the given angle from the outward one, each once.
void add_rim(const SeenCore& seen, double sine, FlatFeature& feature) {
  const ConvexPolytope& hull = *seen.core->polytope;
  const Double3 u = seen.outward();
  const FixedDirections directions(u);
  const double cosine = std::sqrt(1.0 - sine * sine);
  LevelVertices rim;
  for (std::size_t k = 0; k < FlatFeature::kCapacity; ++k) {
    const Double3 tilted = cosine * u + sine * directions[k];
    int visited = 0;
    rim.insert(seen, hull.support_vertex(&tilted.x, visited), -1);
  }
  Outline outline;
  const int count = convex_outline(rim, outline, feature.borderline);
  for (int i = 0; i < count; ++i) feature.add(seen, outline[static_cast<std::size_t>(i)].vertex);
  // rounding at the border of two vertices is not examined
  feature.borderline = true;
}

/// Two corners with the smaller vertex first, so that the name of a line does not depend on the
/// side it is seen from.
void order_ends(FlatFeature& feature) {
  if (feature.vertices[0] <= feature.vertices[1]) return;
  std::swap(feature.x[0], feature.x[1]);
  std::swap(feature.y[0], feature.y[1]);
  std::swap(feature.height[0], feature.height[1]);
  std::swap(feature.vertices[0], feature.vertices[1]);
}

// -------------------------------------------------------------------------------------------------
// surface
double upward(const SeenCore& seen, std::int32_t face) {
  return dot(to_double3(seen.core->polytope->planes()[static_cast<std::size_t>(face)].normal),
             seen.outward());
}

/// Height along the outward direction of the plane of a triangle that faces it, over a place seen
/// from the origin of the shape.
double plane_height(const SeenCore& seen, std::int32_t face, Double2 at) {
  const ConvexPolytope::Plane& plane =
      seen.core->polytope->planes()[static_cast<std::size_t>(face)];
  return (plane.offset - dot(to_double3(plane.normal), seen.axes.lift(at))) / upward(seen, face);
}

/// The triangle with the least plane over a place, of all that face the direction.
std::int32_t lowest_plane(const SeenCore& seen, Double2 at) {
  std::int32_t lowest = -1;
  double least = std::numeric_limits<double>::infinity();
  const auto count = static_cast<std::int32_t>(seen.core->polytope->faces().size());
  for (std::int32_t face = 0; face < count; ++face) {
    if (upward(seen, face) < kUpright || plane_height(seen, face, at) >= least) continue;
    least = plane_height(seen, face, at);
    lowest = face;
  }
  return lowest;
}

/// The edge of a triangle that a place is farthest beyond, among those with a triangle behind them
/// that faces the direction; -1 where it is beyond none by more than `slack`.
int edge_to_cross(const SeenCore& seen, const ConvexPolytope::Face& triangle, Double2 at,
                  double slack) {
  Double2 corners[3];
  for (std::size_t k = 0; k < 3; ++k)
    corners[k] = seen.axes.project(to_double3(seen.core->polytope->vertex(triangle.vertices[k])));
  double farthest = 0.0;
  int crossed = -1;
  for (std::size_t k = 0; k < 3; ++k) {
    const Double2 edge = corners[k == 2 ? 0 : k + 1] - corners[k];
    const double beyond = -seen.sign * cross(edge, at - corners[k]);
    if (beyond <= farthest || beyond <= slack * (std::abs(edge.x) + std::abs(edge.y))) continue;
    if (upward(seen, triangle.neighbors[k]) <= kUpright) continue;
    farthest = beyond;
    crossed = static_cast<int>(k);
  }
  return crossed;
}

/// The triangle of the surface over a place; -1 where there is none.
std::int32_t triangle_over(const SeenCore& seen, std::int32_t start, Double2 at) {
  const auto faces = seen.core->polytope->faces();
  const double slack = 4.0 * kEpsilon * seen.core->bounding_radius;
  std::int32_t face = start;
  for (std::size_t step = 0; face >= 0 && upward(seen, face) > kUpright && step < faces.size();
       ++step) {
    const ConvexPolytope::Face& triangle = faces[static_cast<std::size_t>(face)];
    const int edge = edge_to_cross(seen, triangle, at, slack);
    if (edge < 0) return face;
    face = triangle.neighbors[static_cast<std::size_t>(edge)];
  }
  return lowest_plane(seen, at);
}

}  // namespace

void add_hull_feature(const SeenCore& seen, const FeatureReach& reach, FlatFeature& feature) {
  const ConvexPolytope& hull = *seen.core->polytope;
  const Double3 u = seen.outward();
  int visited = 0;
  const int support = hull.support_vertex(&u.x, visited);
  LevelVertices level;
  const bool complete = level.find(seen, support, reach, feature.borderline);
  feature.start_face = level[0].face;
  if (complete) {
    Outline outline;
    int count = convex_outline(level, outline, feature.borderline);
    if (count > FlatFeature::kCapacity)
      keep_extreme_corners(seen, outline, count, feature.borderline);
    for (int i = 0; i < count; ++i) feature.add(seen, outline[static_cast<std::size_t>(i)].vertex);
  } else {
    add_rim(seen, reach.sine, feature);
  }
  feature.top = seen.sign * seen.height + dot(u, to_double3(hull.vertex(support)));
  if (feature.count == 2) order_ends(feature);
  if (feature.count > 2)
    feature.face = *std::min_element(feature.vertices.begin(),
                                     feature.vertices.begin() + feature.count);
  feature.planar = hull.dimension() < 3;
  if (hull.dimension() == 2 && feature.count > 2)
    feature.slope = seen.slope_of(to_double3(hull.planes()[0].normal));
}

FeatureHeight hull_height_at(const SeenCore& seen, const FlatFeature& feature, Double2 at) {
  const Double2 wanted{at.x - seen.x, at.y - seen.y};
  const std::int32_t face = triangle_over(seen, feature.start_face, wanted);
  if (face < 0) return {seen.sign * feature.top, {0.0, 0.0}};
  const ConvexPolytope& hull = *seen.core->polytope;
  double height = plane_height(seen, face, wanted);
  if (upward(seen, face) < kFacing) {
    // the plane of a triangle seen edge-on is steep: the height is between those of its corners
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const std::int32_t vertex : hull.faces()[static_cast<std::size_t>(face)].vertices) {
      const double corner = dot(to_double3(hull.vertex(vertex)), seen.outward());
      low = std::min(low, corner), high = std::max(high, corner);
    }
    height = std::clamp(height, low, high);
  }
  height = std::min(seen.sign * seen.height + height, feature.top);
  return {seen.sign * height,
          seen.slope_of(to_double3(hull.planes()[static_cast<std::size_t>(face)].normal)), face};
}

bool is_on_crease(const SeenCore& seen, const FeatureHeight& surface, Double2 at) {
  const ConvexPolytope& hull = *seen.core->polytope;
  if (upward(seen, surface.face) < kFacing) return true;
  const Double2 wanted{at.x - seen.x, at.y - seen.y};
  const double limit = plane_height(seen, surface.face, wanted) +
                       kSameHeight * seen.core->bounding_radius;
  for (const std::int32_t other : hull.faces()[static_cast<std::size_t>(surface.face)].neighbors) {
    if (upward(seen, other) <= kUpright || plane_height(seen, other, wanted) > limit) continue;
    const Double3 turn = to_double3(hull.planes()[static_cast<std::size_t>(surface.face)].normal) -
                         to_double3(hull.planes()[static_cast<std::size_t>(other)].normal);
    if (turn.norm() > kSameHeight) return true;
  }
  return false;
}

bool is_hull_edge(const ConvexPolytope& hull, std::uint32_t vertex, std::uint32_t other) {
  const auto neighbors = hull.neighbors(static_cast<int>(vertex));
  return std::find(neighbors.begin(), neighbors.end(), static_cast<std::int32_t>(other)) !=
         neighbors.end();
}

}  // namespace tactum
