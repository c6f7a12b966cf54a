// SPDX-License-Identifier: BSD-2-Clause
// Construction of sphere-torus-patch volumes [Escande, Miossec, Kheddar, "Strictly convex hulls for
// computing continuous gradient proximity distances"]: big spheres of radius alpha through three
// points that hold all the others.
//
// Ties       more than three points on one sphere of radius alpha are common: boxes, grids,
//            geodesic spheres, rings. All decisions are made for points that are perturbed by a
//            fixed pattern of less than the rounding of the extent, which have no ties; big spheres
//            and edges are those of the perturbed points, so decisions and patches agree, however
//            near or thin the points lie. Vertices are the points as given.
// Precision  differences of the given coordinates, and all that follows, are in extended precision.
// Invariants the surface is closed; no point is outside any big sphere by more than 1e-13 of the
// extent, which is checked for all.
#include "shape/stp/stp_builder.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "math/counter_random.hpp"
#include "math/epsilon.hpp"
#include "shape/stp/ball_hull.hpp"
#include "shape/stp/ball_tree.hpp"
#include "tactum/interrupt.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

using Index = std::int32_t;
constexpr Wide kMove = 4e-16L;   // of the extent, rounded down to a power of two: perturbation of
                                 // the points
constexpr Wide kApart = 4e-15L;  // of the extent: points that are nearer coincide
constexpr double kSame = 1e-14;  // of the extent: spheres through points this near coincide
constexpr double kNear = 1e-3;   // of the radius of an arc: how far a center moves to be shared
constexpr int kAttempts = 4;     // number of perturbations tried
constexpr double kOutside = 1e-13;  // of the extent: how far a point may be outside a big sphere

Index previous(Index half_edge) { return half_edge % 3 == 0 ? half_edge + 2 : half_edge - 1; }

double extent_of(const Points& points) {
  return (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).maxCoeff();
}

/// Rounding unit of coordinates and extent.
double scale_of(const Points& points) {
  return std::max(extent_of(points), points.cwiseAbs().maxCoeff());
}

/// Columns of the points in ascending order; of equal points the first alone.
std::vector<Index> distinct_columns(const Points& points) {
  std::vector<std::pair<std::array<double, 3>, Index>> keys;
  keys.reserve(static_cast<std::size_t>(points.cols()));
  for (Index i = 0; i < points.cols(); ++i)
    keys.push_back({{points(0, i), points(1, i), points(2, i)}, i});
  check_interrupt();
  std::ranges::sort(keys);
  check_interrupt();
  std::vector<Index> columns;
  columns.reserve(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (k == 0 || keys[k].first != keys[k - 1].first) columns.push_back(keys[k].second);
  }
  std::ranges::sort(columns);
  return columns;
}

/// The bits of a point, the same for both zeros.
std::uint64_t bits_of(const Vector3& point) {
  std::uint64_t bits = 0;
  for (int k = 0; k < 3; ++k)
    bits = CounterRandom(bits).bits(std::bit_cast<std::uint64_t>(point[k] + 0.0));
  return bits;
}

/// Perturbs each point by a hash of its coordinates and of the binary exponent of the extent, so
/// that rebuilding a volume from its own points reproduces it.
std::vector<Wide3> moved(const Points& points, const std::vector<Index>& columns, int pattern) {
  const Wide most = kMove * std::exp2(std::floor(std::log2(std::max(
                                Wide(extent_of(points)), std::numeric_limits<Wide>::min()))));
  std::vector<Wide3> found;
  found.reserve(columns.size());
  LoopInterrupt interrupt;
  for (const Index column : columns) {
    interrupt.check();
    const Vector3 point = points.col(column);
    const CounterRandom random(static_cast<std::uint64_t>(pattern), bits_of(point));
    Wide3 p = point.cast<Wide>();
    for (int k = 0; k < 3; ++k)
      p[k] += most * (Wide(random.uniform(static_cast<std::uint64_t>(k))) - 0.5L);
    found.push_back(p);
  }
  return found;
}

StpTopology topology_of(const Points& given, const std::vector<Wide3>& points,
                        const std::vector<Index>& columns, const BallHull& hull) {
  StpTopology topology;
  std::vector<Index> number(points.size(), -1);
  for (const std::vector<Index>* const part : {&hull.origin, &hull.carrier}) {
    for (const Index point : *part) number[point] = 0;
  }
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<Index>(topology.vertices.size());
    topology.vertices.push_back(columns[i]);
  }
  topology.origin.reserve(hull.origin.size());
  for (const Index point : hull.origin) topology.origin.push_back(number[point]);
  for (std::size_t h = 0; h < hull.origin.size(); ++h) {
    const Wide3 along = points[hull.origin[hull.twin[h]]] - points[hull.origin[h]];
    topology.along.emplace_back(along.cast<double>());
  }
  topology.twin = hull.twin;
  topology.wide = hull.wide;
  topology.spheres.reserve(hull.balls.size());
  for (std::size_t f = 0; f < hull.balls.size(); ++f) {
    const BallHull::Ball& ball = hull.balls[f];
    topology.spheres.push_back({(points[hull.origin[3 * f]] + ball.circumcenter).cast<double>(),
                                ball.normal.cast<double>(), static_cast<double>(ball.height),
                                static_cast<double>(ball.squared_radius),
                                ball.center.cast<double>(), given.col(columns[hull.origin[3 * f]]),
                                Wide3(-ball.center / ball.center.norm()).cast<double>()});
  }
  return topology;
}

/// The least radius of the circles of centers about the edges of a triangle.
double least_arc_radius(const StpTopology& topology, Index f, double alpha) {
  double longest = 0.0;
  for (Index h = 3 * f; h < 3 * f + 3; ++h)
    longest = std::max(longest, 0.5 * topology.along[h].norm());
  return std::sqrt(std::max(0.0, (alpha - longest) * (alpha + longest)));
}

/// Gives the triangles of one sphere, such as those of the cap of a prism, the sphere of the
/// thickest among them: rounding tilts the sphere of a thin one.
void share_spheres(const Points& points, double alpha, StpTopology& topology) {
  const double slack = 2.0 * alpha * kSame * scale_of(points);
  const auto vertex = [&](Index h) -> Vector3 {
    return points.col(topology.vertices[topology.origin[h]]);
  };
  const auto count = static_cast<Index>(topology.spheres.size());
  std::vector<std::pair<double, Index>> order;
  order.reserve(topology.spheres.size());
  for (Index f = 0; f < count; ++f) {
    const Vector3 u = vertex(3 * f + 1) - vertex(3 * f), v = vertex(3 * f + 2) - vertex(3 * f);
    const double longest = std::max({u.squaredNorm(), v.squaredNorm(), (u - v).squaredNorm()});
    order.emplace_back(-u.cross(v).squaredNorm() / longest, f);
  }
  std::sort(order.begin(), order.end());
  std::vector<bool> taken(topology.spheres.size(), false);
  std::vector<Index> stack;
  for (const auto& [thickness, f] : order) {
    if (taken[f]) continue;
    taken[f] = true;
    const StpTopology::BigSphere sphere = topology.spheres[f];
    const Vector3 corner = vertex(3 * f);
    stack.assign(1, f);
    while (!stack.empty()) {
      const Index at = stack.back();
      stack.pop_back();
      for (Index h = 3 * at; h < 3 * at + 3; ++h) {
        const Index other = topology.twin[h] / 3;
        const Vector3 w = vertex(previous(topology.twin[h])) - corner;
        const Vector3 center = sphere.from_corner + (corner - vertex(3 * other));
        // two spheres of radius alpha pass through three points; keep the one whose center is
        // behind the triangle. Nearly coincident points do not determine a sphere, so their
        // triangles keep their own
        const bool same = std::abs(w.dot(w - 2.0 * sphere.from_corner)) <= slack &&
                          topology.spheres[other].normal.dot(center) < 0.0 &&
                          (center - topology.spheres[other].from_corner).norm() <=
                              kNear * least_arc_radius(topology, other, alpha);
        if (taken[other] || !same) continue;
        taken[other] = true;
        stack.push_back(other);
        topology.spheres[other] = sphere;
        topology.spheres[other].from_corner = center;
      }
    }
  }
}

/// The points that carry no small sphere.
Points covered_points(const Points& points, const StpTopology& topology) {
  std::vector<bool> is_vertex(static_cast<std::size_t>(points.cols()), false);
  for (const Index column : topology.vertices) is_vertex[column] = true;
  Points others(3, points.cols() - static_cast<Eigen::Index>(topology.vertices.size()));
  for (Eigen::Index i = 0, count = 0; i < points.cols(); ++i) {
    if (!is_vertex[i]) others.col(count++) = points.col(i);
  }
  return others;
}

/// The largest distance of corners from their spheres and of points outside of them, for the
/// spheres as supports use them: through a given point, with the center alpha behind it. Nothing
/// where a point is farther outside than it may be. Every vertex is checked against the spheres
/// next to it, and all other points against all spheres: a closed surface that is convex at every
/// edge is convex. With w from the point of the sphere and u the unit vector there, |p - c|^2 -
/// alpha^2 = w.(w + 2 alpha u), which loses no digits however large alpha is.
std::optional<double> deviation_of(const Points& points, const StpTopology& topology,
                                   double alpha) {
  const auto off = [&](const StpTopology::BigSphere& sphere, std::size_t half_edge) {
    const Vector3 point = points.col(topology.vertices[topology.origin[half_edge]]);
    const Wide3 w = point.cast<Wide>() - sphere.corner.cast<Wide>();
    return static_cast<double>(w.dot(w + 2.0L * Wide(alpha) * sphere.outward.cast<Wide>()) /
                               (2.0L * Wide(alpha)));
  };
  const double most = kOutside * scale_of(points);
  // the error that checks in double leave open
  double outside = 2.0 * kEpsilon * scale_of(points);
  double at_corners = outside;
  for (std::size_t h = 0; h < topology.origin.size(); ++h) {
    const StpTopology::BigSphere& sphere = topology.spheres[h / 3];
    at_corners = std::max(at_corners, std::abs(off(sphere, h)));
    outside = std::max(outside, off(sphere, static_cast<std::size_t>(previous(topology.twin[h]))));
  }
  const Points others = covered_points(points, topology);
  if (others.cols() > 0) {
    const BallTree tree(others);
    for (const StpTopology::BigSphere& sphere : topology.spheres) {
      check_interrupt();
      while (outside <= most &&
             tree.has_point_outside(sphere.corner, -alpha * sphere.outward, alpha, outside))
        outside *= 2.0;
    }
  }
  if (outside > most) return std::nullopt;
  return 2.0 * std::max(outside, at_corners);
}

}  // namespace

StpTopology build_stp(const Points& points, double alpha) {
  const std::vector<Index> columns = distinct_columns(points);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    // quadruple precision where extended precision left a sign open
    const std::vector<Wide3> places = moved(points, columns, attempt / 2);
    const BallHull hull = ball_hull(places, alpha, kApart * Wide(extent_of(points)),
                                    attempt == 0 ? Digits::extended : Digits::quadruple);
    if (!hull.is_sound) continue;
    StpTopology topology = topology_of(points, places, columns, hull);
    share_spheres(points, alpha, topology);
    const std::optional<double> deviation = deviation_of(points, topology, alpha);
    if (!deviation) continue;
    topology.deviation = *deviation;
    return topology;
  }
  throw InvalidInput("Stp.points",
                     "points too close together to build a volume in double precision",
                     "give points that are farther apart, or a larger big_radius");
}

}  // namespace tactum
