// SPDX-License-Identifier: BSD-2-Clause
// Convex hull of points in space, of whatever dimension they have.
//
// Scaling     all work is done on a copy moved and scaled by powers of two to about unit size; both
//             are exact, so the vertices are the caller's points bit by bit.
// Dimension  affine_frame.cpp finds it.
// Polygon     monotone chain [Andrew 1979] in the coordinate plane the points are most parallel to,
//             in extended precision.
// Solid      few points go to Qhull, on coordinates scaled axis by axis (exact), else in the frame
//            scaled along its axes, else to exact_hull.cpp. Many points go to exact_hull.cpp at
//            once, and vertices that lie in a face or on an edge are dropped: Qhull merges the
//            triangles of a plane one by one, each time with a look at all corners of the face,
//            which takes n^2 for a prism over n points.
// Invariants the surface is closed and oriented, V - E + F = 2, and every point lies within 16
// roundings behind every face. All this is checked on every result, and the next method is tried
// where it does not hold.
#include "shape/hull/convex_hull.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "math/epsilon.hpp"
#include "shape/check/affine_frame.hpp"
#include "shape/hull/exact_hull.hpp"
#include "shape/hull/flat_vertices.hpp"
#include "shape/hull/hull_surface.hpp"
#include "shape/hull/qhull_facets.hpp"
#include "shape/hull/ring_triangulation.hpp"
#include "tactum/interrupt.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

using Columns = std::vector<std::int32_t>;
using Triangle = std::array<std::int32_t, 3>;
constexpr double kSmallestSize = 1e-30;
constexpr std::size_t kMostForQhull = 1000;  // points; prisms over half as many take some 30 ms
constexpr int kRoundsOfDropping = 3;  // points that only the next hull shows to be flat are few

/// The points at about unit size, and the size of one rounding of their coordinates there.
struct ScaledPoints {
  Points points;
  double rounding = 0.0;  ///< eps times the larger of extent and largest original coordinate
  double flat = 0.0;      ///< a width up to this counts as zero
};

double power_of_two_above(double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, exponent);
}

ScaledPoints scale_points(const Points& points) {
  const Vector3 lower = points.rowwise().minCoeff();
  const Vector3 side = points.rowwise().maxCoeff() - lower;
  const double extent = side.maxCoeff();
  const double largest = points.cwiseAbs().maxCoeff();
  const double scale = 1.0 / power_of_two_above(std::max(extent, kSmallestSize));
  ScaledPoints scaled;
  scaled.points = points;
  for (int i = 0; i < 3; ++i) {
    // far from the origin the difference of neighbors is exact; near it there is no need to move
    const double shift = std::abs(lower[i]) > 4.0 * side[i] ? lower[i] : 0.0;
    scaled.points.row(i) = (points.row(i).array() - shift) * scale;
  }
  scaled.rounding = kEpsilon * std::max(extent, largest) * scale;
  scaled.flat = std::max(8.0 * scaled.rounding, kSmallestSize * scale);
  return scaled;
}

/// One column of each group of points that fall into one cell of a grid of four roundings,
/// ascending.
Columns distinct_columns(const ScaledPoints& scaled) {
  struct Key {
    std::array<double, 3> cell;
    std::int32_t column;
    auto operator<=>(const Key&) const = default;
  };
  const double per_cell = 0.25 / scaled.rounding;
  std::vector<Key> keys(static_cast<std::size_t>(scaled.points.cols()));
  for (Eigen::Index i = 0; i < scaled.points.cols(); ++i) {
    const Vector3 cell = (scaled.points.col(i) * per_cell).array().round();
    keys[i] = {{cell.x(), cell.y(), cell.z()}, static_cast<std::int32_t>(i)};
  }
  LoopInterrupt interrupt;
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    interrupt.check();
    return a < b;
  });
  Columns columns;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i].cell != keys[i - 1].cell) columns.push_back(keys[i].column);
  }
  std::sort(columns.begin(), columns.end());
  return columns;
}

// -------------------------------------------------------------------------------------------------
// polygon

/// Counter-clockwise, strictly convex hull of points in a coordinate plane.
Columns monotone_chain(const Points& points, Columns columns, Eigen::Index row_x,
                       Eigen::Index row_y) {
  const auto x = [&](std::int32_t c) { return points(row_x, c); };
  const auto y = [&](std::int32_t c) { return points(row_y, c); };
  const auto left_turn = [&](std::int32_t a, std::int32_t b, std::int32_t c) {
    // differences of doubles of like size are exact in extended precision
    const auto difference = [&](Eigen::Index row, std::int32_t from, std::int32_t to) {
      return static_cast<long double>(points(row, to)) -
             static_cast<long double>(points(row, from));
    };
    return difference(row_x, a, b) * difference(row_y, a, c) >
           difference(row_y, a, b) * difference(row_x, a, c);
  };
  std::sort(columns.begin(), columns.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(x(a), y(a)) < std::pair(x(b), y(b));
  });
  Columns ring;
  const auto extend = [&](std::size_t base, std::int32_t column) {
    while (ring.size() >= base + 2 && !left_turn(ring[ring.size() - 2], ring.back(), column))
      ring.pop_back();
    ring.push_back(column);
  };
  for (const std::int32_t column : columns) extend(0, column);
  const std::size_t base = ring.size() - 1;
  for (auto column = columns.rbegin() + 1; column != columns.rend(); ++column)
    extend(base, *column);
  ring.pop_back();
  return ring;
}

/// Renumbers columns of the input as indices into hull.vertices.
void renumber(HullTopology& hull, std::span<std::int32_t> columns) {
  for (std::int32_t& column : columns) {
    column = static_cast<std::int32_t>(
        std::lower_bound(hull.vertices.begin(), hull.vertices.end(), column) -
        hull.vertices.begin());
  }
}

HullTopology polygon_hull(const ScaledPoints& scaled, const Columns& columns,
                          const AffineFrame& frame) {
  Eigen::Index drop = 0;
  frame.axes.col(2).cwiseAbs().maxCoeff(&drop);
  HullTopology hull;
  hull.dimension = 2;
  hull.ring = monotone_chain(scaled.points, columns, (drop + 1) % 3, (drop + 2) % 3);
  if (hull.ring.size() < 3) return {};
  hull.vertices = hull.ring;
  std::sort(hull.vertices.begin(), hull.vertices.end());
  triangulate_ring(scaled.points, hull.ring, scaled.flat, hull.faces);
  renumber(hull, hull.ring);
  for (Triangle& face : hull.faces) renumber(hull, face);
  return hull;
}

HullTopology segment_hull(const ScaledPoints& scaled, const Columns& columns,
                          const AffineFrame& frame) {
  const auto along = [&](std::int32_t c) {
    return frame.axes.col(0).dot(scaled.points.col(c) - frame.origin);
  };
  const auto [low, high] = std::minmax_element(
      columns.begin(), columns.end(),
      [&](std::int32_t a, std::int32_t b) { return along(a) < along(b); });
  HullTopology hull;
  hull.dimension = 1;
  hull.vertices = {std::min(*low, *high), std::max(*low, *high)};
  return hull;
}

// -------------------------------------------------------------------------------------------------
// solid

/// The hull with the given triangles (columns of the input), if their surface is the hull of all
/// `columns` within 16 roundings.
std::optional<HullTopology> checked_hull(const ScaledPoints& scaled, const Columns& columns,
                                         const AffineFrame& frame, std::vector<Triangle> faces) {
  HullTopology hull;
  hull.dimension = 3;
  hull.faces = std::move(faces);
  for (const Triangle& face : hull.faces)
    hull.vertices.insert(hull.vertices.end(), face.begin(), face.end());
  std::sort(hull.vertices.begin(), hull.vertices.end());
  hull.vertices.erase(std::unique(hull.vertices.begin(), hull.vertices.end()), hull.vertices.end());

  const double slack = std::max(16.0 * scaled.rounding, scaled.flat);
  if (!orient_hull_surface(scaled.points, columns, frame, slack, hull.vertices, hull.faces))
    return std::nullopt;
  for (Triangle& face : hull.faces) renumber(hull, face);
  std::sort(hull.faces.begin(), hull.faces.end());
  return hull;
}

/// Triangles of the facets that Qhull finds for `coordinates`, an affine image of the points in the
/// columns.
std::vector<Triangle> qhull_triangles(const ScaledPoints& scaled, const Columns& columns,
                                      const Points& coordinates) {
  std::vector<Triangle> faces;
  for (Columns ring : qhull_facets(coordinates, "Pp")) {
    for (std::int32_t& corner : ring) corner = columns[corner];
    triangulate_ring(scaled.points, ring, scaled.flat, faces);
  }
  return faces;
}

std::vector<Triangle> exact_triangles(const ScaledPoints& scaled, const Columns& columns) {
  std::vector<Triangle> faces = exact_hull(scaled.points(Eigen::all, columns),
                                           std::min(1e-3, scaled.rounding));
  for (Triangle& face : faces) {
    for (std::int32_t& corner : face) corner = columns[corner];
  }
  return faces;
}

/// The points scaled by a power of two along each axis of space: exact, and a plate along an axis
/// becomes a cube.
Points axis_coordinates(const ScaledPoints& scaled, const Columns& columns) {
  Points coordinates = scaled.points(Eigen::all, columns);
  for (int i = 0; i < 3; ++i) {
    const double side = coordinates.row(i).maxCoeff() - coordinates.row(i).minCoeff();
    if (side > 0.0) coordinates.row(i) /= power_of_two_above(side);
  }
  return coordinates;
}

/// The points in the frame, scaled to unit size along each of its axes.
Points frame_coordinates(const ScaledPoints& scaled, const Columns& columns,
                         const AffineFrame& frame) {
  Points coordinates(3, static_cast<Eigen::Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    coordinates.col(static_cast<Eigen::Index>(i)) = frame.coordinates(
        scaled.points.col(columns[i]));
  }
  return coordinates;
}

[[noreturn]] void throw_no_hull(const ScaledPoints& scaled) {
  throw InvalidInput(
      "Convex.points",
      std::to_string(scaled.points.cols()) + " points whose hull cannot be computed to rounding",
      "move apart points that differ by less than 1e-12 of the extent, or give vertices and faces");
}

/// The hull of many points. Vertices that are flat are dropped again and again, as long as all
/// points stay inside.
std::optional<HullTopology> large_hull(const ScaledPoints& scaled, const Columns& columns,
                                       const AffineFrame& frame) {
  std::vector<Triangle> faces = exact_triangles(scaled, columns);
  std::optional<HullTopology> hull = checked_hull(scaled, columns, frame, faces);
  for (int round = 0; round < kRoundsOfDropping && hull; ++round) {
    const Columns kept = without_flat_vertices(scaled.points, faces, scaled.flat);
    if (kept.size() < 4 || kept.size() == hull->vertices.size()) break;
    faces = exact_triangles(scaled, kept);
    std::optional<HullTopology> smaller = checked_hull(scaled, columns, frame, faces);
    if (!smaller) break;
    hull = std::move(smaller);
  }
  return hull;
}

HullTopology solid_hull(const ScaledPoints& scaled, const Columns& columns,
                        const AffineFrame& frame) {
  if (columns.size() > kMostForQhull) {
    if (auto hull = large_hull(scaled, columns, frame)) return *std::move(hull);
    throw_no_hull(scaled);
  }
  const auto qhull = [&](const Points& coordinates) {
    return checked_hull(scaled, columns, frame, qhull_triangles(scaled, columns, coordinates));
  };
  if (auto hull = qhull(axis_coordinates(scaled, columns))) return *std::move(hull);
  if (auto hull = qhull(frame_coordinates(scaled, columns, frame))) return *std::move(hull);
  if (auto hull = checked_hull(scaled, columns, frame, exact_triangles(scaled, columns)))
    return *std::move(hull);
  throw_no_hull(scaled);
}

}  // namespace

HullTopology convex_hull(const Points& points) {
  const ScaledPoints scaled = scale_points(points);
  const HullTopology point{.dimension = 0, .vertices = {0}, .ring = {}, .faces = {}};
  if (scaled.rounding <= 0.0) return point;  // every coordinate is zero
  const Columns columns = distinct_columns(scaled);
  const AffineFrame frame = affine_frame(scaled.points, columns, scaled.flat);
  if (frame.dimension == 0) return point;
  if (frame.dimension == 1) return segment_hull(scaled, columns, frame);
  if (frame.dimension == 2) return polygon_hull(scaled, columns, frame);
  return solid_hull(scaled, columns, frame);
}

}  // namespace tactum
