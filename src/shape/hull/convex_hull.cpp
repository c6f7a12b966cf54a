// SPDX-License-Identifier: BSD-2-Clause
// Convex hull of points in space, of whatever dimension they have.
//
// Scaling     all work is done on a copy moved and scaled by powers of two to about unit size; both
//             are exact, so the vertices are the caller's points bit by bit.
// Dimension   affine_frame.cpp.
// Polygon     monotone chain [Andrew 1979] in the coordinate plane the points are most parallel to,
//             in extended precision.
// Solid       few points: Qhull, on coordinates scaled axis by axis (exact), else in the frame
//             scaled along its axes; else exact_hull.cpp. Many points: that at once, and vertices
//             that lie in a face or on an edge are dropped. Qhull joins triangles of a plane one by
//             one, each time with a look at all corners of the face: for a prism over n points that
//             is n^2.
// Invariants  the surface is closed and oriented, V - E + F = 2, and every point lies within 16
//             roundings behind every face: all checked on every result, and the next way is tried
//             where one does not hold.
#include "shape/hull/convex_hull.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <span>

#include "shape/check/affine_frame.hpp"
#include "shape/check/triangle_plane.hpp"
#include "shape/hull/exact_hull.hpp"
#include "shape/hull/flat_vertices.hpp"
#include "shape/hull/qhull_facets.hpp"
#include "tactum/interrupt.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

using Columns = std::vector<std::int32_t>;
using Triangle = std::array<std::int32_t, 3>;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double smallest_size = 1e-30;
constexpr std::size_t most_for_qhull = 1000;  // points; prisms over half as many take some 30 ms
constexpr int rounds_of_dropping = 3;  // points that only the next hull shows to be flat are few

/// The points at about unit size, and what one rounding of their coordinates is worth there.
struct ScaledPoints {
  Points points;
  double rounding = 0.0;  ///< eps times the larger of extent and largest original coordinate
  double flat = 0.0;      ///< a width up to this is no width
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
  const double scale = 1.0 / power_of_two_above(std::max(extent, smallest_size));
  ScaledPoints scaled;
  scaled.points = points;
  for (int i = 0; i < 3; ++i) {
    // far from the origin the difference of neighbours is exact; near it there is no need to move
    const double shift = std::abs(lower[i]) > 4.0 * side[i] ? lower[i] : 0.0;
    scaled.points.row(i) = (points.row(i).array() - shift) * scale;
  }
  scaled.rounding = epsilon * std::max(extent, largest) * scale;
  scaled.flat = std::max(8.0 * scaled.rounding, smallest_size * scale);
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

// ------------------------------------------------------------------------------------------------------------
// triangulation

/// Splits a convex ring into triangles that turn the same way. Halving keeps the number of
/// triangles at a vertex logarithmic; a corner on a straight stretch is joined across the ring, so
/// that its triangle has an area wherever one can.
class RingTriangulation {
 public:
  RingTriangulation(const Points& points, const Columns& ring, double flat,
                    std::vector<Triangle>& faces)
      : points_(points), ring_(ring), flat_(flat), faces_(faces) {
    split(0, static_cast<int>(ring.size()) - 1);
  }

 private:
  double height(int corner, int first, int last) const {
    const Vector3 base = points_.col(ring_[last]) - points_.col(ring_[first]);
    const Vector3 side = points_.col(ring_[corner]) - points_.col(ring_[first]);
    const double length = base.norm();
    if (length <= flat_) return side.norm();
    const Vector3 along = base / length;
    return (side - along * along.dot(side)).norm();
  }

  bool straight(int first, int last) const {
    for (int i = first + 1; i < last; ++i) {
      if (height(i, first, last) > flat_) return false;
    }
    return last - first > 1;
  }

  int apex(int first, int last) const {
    const int middle = first + (last - first) / 2;
    for (int k = 0; k < last - first; ++k) {
      const int i = middle + ((k % 2) != 0 ? (k + 1) / 2 : -(k / 2));
      if (i <= first || i >= last) continue;
      if (height(i, first, last) > flat_ && !straight(first, i) && !straight(i, last)) return i;
    }
    return middle;
  }

  void split(int first, int last) {
    if (last - first < 2) return;
    const int i = apex(first, last);
    faces_.push_back({ring_[first], ring_[i], ring_[last]});
    split(first, i);
    split(i, last);
  }

  const Points& points_;
  const Columns& ring_;
  double flat_;
  std::vector<Triangle>& faces_;
};

// ------------------------------------------------------------------------------------------------------------------
// polygon

/// Counter-clockwise hull of points in a coordinate plane; strictly convex.
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
  RingTriangulation(scaled.points, hull.ring, scaled.flat, hull.faces);
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

// --------------------------------------------------------------------------------------------------------------------
// solid

struct HalfEdge {
  std::int32_t low, high;  // its two vertices
  std::int32_t face, corner;
  auto operator<=>(const HalfEdge&) const = default;
};

/// Half edges, sorted, so that the two of one edge follow one another; empty when an edge has not
/// exactly two faces.
std::vector<HalfEdge> paired_half_edges(const std::vector<Triangle>& faces) {
  std::vector<HalfEdge> half_edges;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    for (int k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(faces[f][k], faces[f][(k + 1) % 3]);
      half_edges.push_back({low, high, static_cast<std::int32_t>(f), k});
    }
  }
  std::sort(half_edges.begin(), half_edges.end());
  const auto same = [&](std::size_t i, std::size_t j) {
    return half_edges[i].low == half_edges[j].low && half_edges[i].high == half_edges[j].high;
  };
  if (half_edges.size() % 2 != 0) return {};
  for (std::size_t i = 0; i < half_edges.size(); i += 2) {
    const bool single = half_edges[i].low != half_edges[i].high &&
                        (i + 2 >= half_edges.size() || !same(i, i + 2));
    if (!single || !same(i, i + 1)) return {};
  }
  return half_edges;
}

/// Turns the faces so that neighbours agree; false when the surface is not connected or cannot be
/// oriented.
bool make_consistent(std::vector<Triangle>& faces, const std::vector<HalfEdge>& half_edges) {
  struct Link {
    std::int32_t face;
    bool same_way;  // both run along the shared edge in the same direction, so one has to turn
  };
  std::vector<std::vector<Link>> links(faces.size());
  const auto forward = [&](const HalfEdge& e) { return faces[e.face][e.corner] == e.low; };
  for (std::size_t i = 0; i < half_edges.size(); i += 2) {
    const HalfEdge& a = half_edges[i];
    const HalfEdge& b = half_edges[i + 1];
    const bool same_way = forward(a) == forward(b);
    links[a.face].push_back({b.face, same_way});
    links[b.face].push_back({a.face, same_way});
  }
  std::vector<signed char> turn(faces.size(), -1);
  Columns stack{0};
  turn[0] = 0;
  std::size_t reached = 0;
  while (!stack.empty()) {
    const std::int32_t face = stack.back();
    stack.pop_back();
    ++reached;
    for (const Link& link : links[face]) {
      const auto wanted = static_cast<signed char>(turn[face] ^ (link.same_way ? 1 : 0));
      if (turn[link.face] < 0) {
        turn[link.face] = wanted;
        stack.push_back(link.face);
      } else if (turn[link.face] != wanted) {
        return false;
      }
    }
  }
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (turn[f] == 1) std::swap(faces[f][1], faces[f][2]);
  }
  return reached == faces.size();
}

/// In the coordinates of the frame, where the sign is right for the thinnest solid.
bool is_outward(const Points& points, const std::vector<Triangle>& faces,
                const AffineFrame& frame) {
  double six_volumes = 0.0;
  for (const Triangle& face : faces) {
    Matrix3 corners;
    for (int k = 0; k < 3; ++k) corners.col(k) = frame.coordinates(points.col(face[k]));
    six_volumes += corners.determinant();
  }
  return six_volumes > 0.0;
}

double distance_to_segment(const Vector3& point, const Vector3& a, const Vector3& b) {
  const Vector3 ab = b - a;
  const double squared = ab.squaredNorm();
  const double t = squared > 0.0 ? std::clamp(ab.dot(point - a) / squared, 0.0, 1.0) : 0.0;
  return (point - a - t * ab).norm();
}

/// Exact for slivers too: where the plane is not sharp, the sides are near.
double distance_to_triangle(const Vector3& point, const TrianglePlane& plane,
                            const std::array<Vector3, 3>& corners) {
  double distance = std::numeric_limits<double>::infinity();
  bool above = plane.height > 0.0;
  for (int k = 0; k < 3; ++k) {
    const Vector3& a = corners[k];
    const Vector3& b = corners[(k + 1) % 3];
    distance = std::min(distance, distance_to_segment(point, a, b));
    above = above && plane.normal.dot((b - a).cross(point - a)) >= 0.0;
  }
  return above ? std::min(distance, std::abs(plane.normal.dot(point - plane.corner))) : distance;
}

/// The triangles of a surface with their planes.
struct Surface {
  std::vector<std::array<Vector3, 3>> corners;
  std::vector<TrianglePlane> planes;

  Surface(const std::vector<Triangle>& faces, const std::function<Vector3(std::int32_t)>& point) {
    for (const Triangle& face : faces) {
      corners.push_back({point(face[0]), point(face[1]), point(face[2])});
      planes.push_back(triangle_plane(corners.back()[0], corners.back()[1], corners.back()[2]));
    }
  }
};

/// Checks of a surface against the points. Sides of a thin plate have sharp normals only in the
/// coordinates of the frame, where they are as wide as the plate, so convexity and sides are judged
/// there; distances count in space.
class SurfaceCheck {
 public:
  SurfaceCheck(const Points& points, const std::vector<Triangle>& faces,
               const std::vector<HalfEdge>& half_edges, const AffineFrame& frame, double slack)
      : points_(points),
        frame_(frame),
        slack_(slack),
        in_space_(faces, [&](std::int32_t column) { return Vector3(points.col(column)); }),
        in_frame_(faces,
                  [&](std::int32_t column) { return frame.coordinates(points.col(column)); }),
        neighbors_(faces.size()) {
    for (std::size_t i = 0; i < half_edges.size(); i += 2) {
      const HalfEdge &a = half_edges[i], &b = half_edges[i + 1];
      neighbors_[a.face][a.corner] = b.face;
      neighbors_[b.face][b.corner] = a.face;
    }
  }

  /// No edge is dented by more than moving its corners by the slack accounts for.
  bool is_convex(const std::vector<HalfEdge>& half_edges) const {
    for (std::size_t i = 0; i < half_edges.size(); i += 2) {
      if (dented(half_edges[i], half_edges[i + 1]) || dented(half_edges[i + 1], half_edges[i]))
        return false;
    }
    return true;
  }

  /// Each point lies inside or within the slack of a face.
  bool covers(const Columns& columns, const Columns& vertices) const {
    // points inside a ball around the middle need no look at the faces
    Vector3 middle = Vector3::Zero();
    for (const std::int32_t vertex : vertices) middle += frame_.coordinates(points_.col(vertex));
    middle /= static_cast<double>(vertices.size());
    double ball = std::numeric_limits<double>::infinity();
    for (const TrianglePlane& plane : in_frame_.planes)
      ball = std::min(ball, plane.normal.dot(plane.corner - middle));
    std::int32_t face = 0;
    return std::all_of(columns.begin(), columns.end(), [&](std::int32_t column) {
      if (std::binary_search(vertices.begin(), vertices.end(), column)) return true;
      const Vector3 coordinates = frame_.coordinates(points_.col(column));
      if ((coordinates - middle).norm() < ball ||
          is_under(coordinates, points_.col(column), middle, face))
        return true;
      check_interrupt();
      return is_behind(coordinates) || is_near(points_.col(column)) || is_surrounded(coordinates);
    });
  }

 private:
  /// Whether the point is in the tetrahedron of the middle and a face, or within the slack of that
  /// face. From face to face towards the ray from the middle through the point, beginning with the
  /// one that served the last point.
  bool is_under(const Vector3& coordinates, const Vector3& point, const Vector3& middle,
                std::int32_t& face) const {
    const Vector3 to = coordinates - middle;
    for (std::size_t step = 0; step <= in_frame_.corners.size(); ++step) {
      const std::array<Vector3, 3>& corners = in_frame_.corners[face];
      int across = -1;
      double least = 0.0;
      for (int k = 0; k < 3; ++k) {
        const double side = (corners[k] - middle).cross(corners[(k + 1) % 3] - middle).dot(to);
        if (side < least) least = side, across = k;
      }
      if (across >= 0) {
        face = neighbors_[face][across];
        continue;
      }
      const TrianglePlane& plane = in_frame_.planes[face];
      return (plane.height > 0.0 && plane.normal.dot(coordinates - plane.corner) <= 0.0) ||
             distance_to_triangle(point, in_space_.planes[face], in_space_.corners[face]) <= slack_;
    }
    return false;
  }

  /// How far moving a point by the slack in space moves it along a normal in the frame.
  double slack_along(const Vector3& normal) const {
    return slack_ * normal.cwiseAbs().cwiseQuotient(frame_.reach).sum();
  }

  bool dented(const HalfEdge& a, const HalfEdge& b) const {
    const TrianglePlane& plane = in_frame_.planes[a.face];
    // too thin to have a plane
    if (slack_along(plane.normal.cross(plane.along)) >= plane.height) return false;
    const Vector3 v = in_frame_.corners[b.face][(b.corner + 2) % 3] - plane.corner;
    return plane.normal.dot(v) * plane.height >
           slack_along(plane.normal) * (plane.height + v.norm());
  }

  bool is_behind(const Vector3& coordinates) const {
    return std::all_of(in_frame_.planes.begin(), in_frame_.planes.end(),
                       [&](const TrianglePlane& plane) {
                         return plane.normal.dot(coordinates - plane.corner) <= 0.0;
                       });
  }

  /// The faces cover more than half of the view from the point: the sum of their solid angles [Van
  /// Oosterom, Strackee 1983] is 4 pi inside and zero outside, and a sliver with a wild plane has
  /// no part in it.
  bool is_surrounded(const Vector3& coordinates) const {
    double half_angles = 0.0;
    for (const std::array<Vector3, 3>& corners : in_frame_.corners) {
      const std::array<Vector3, 3> v = {corners[0] - coordinates, corners[1] - coordinates,
                                        corners[2] - coordinates};
      const std::array<double, 3> r = {v[0].norm(), v[1].norm(), v[2].norm()};
      const double volume = v[0].dot(v[1].cross(v[2]));
      const double spread = r[0] * r[1] * r[2] + v[0].dot(v[1]) * r[2] + v[1].dot(v[2]) * r[0] +
                            v[2].dot(v[0]) * r[1];
      half_angles += std::atan2(volume, spread);
    }
    return half_angles > std::numbers::pi;
  }

  bool is_near(const Vector3& point) const {
    for (std::size_t f = 0; f < in_space_.planes.size(); ++f) {
      const TrianglePlane& plane = in_space_.planes[f];
      // the triangle is no nearer than its plane
      if (std::abs(plane.normal.dot(point - plane.corner)) > slack_) continue;
      if (distance_to_triangle(point, plane, in_space_.corners[f]) <= slack_) return true;
    }
    return false;
  }

  const Points& points_;
  const AffineFrame& frame_;
  double slack_;
  Surface in_space_;
  Surface in_frame_;
  std::vector<Triangle> neighbors_;  ///< of each face: across the edge from corner k to the next
};

/// The surface made of the triangles (columns of the input), when it is the hull of all `columns`
/// within 16 roundings.
std::optional<HullTopology> checked_hull(const ScaledPoints& scaled, const Columns& columns,
                                         const AffineFrame& frame, std::vector<Triangle> faces) {
  HullTopology hull;
  hull.dimension = 3;
  hull.faces = std::move(faces);
  for (const Triangle& face : hull.faces)
    hull.vertices.insert(hull.vertices.end(), face.begin(), face.end());
  std::sort(hull.vertices.begin(), hull.vertices.end());
  hull.vertices.erase(std::unique(hull.vertices.begin(), hull.vertices.end()), hull.vertices.end());

  const std::vector<HalfEdge> half_edges = paired_half_edges(hull.faces);
  if (half_edges.empty() || hull.vertices.size() + hull.faces.size() != half_edges.size() / 2 + 2)
    return std::nullopt;
  if (!make_consistent(hull.faces, half_edges)) return std::nullopt;
  if (!is_outward(scaled.points, hull.faces, frame)) {
    for (Triangle& face : hull.faces) std::swap(face[1], face[2]);
  }
  const std::vector<HalfEdge> turned = paired_half_edges(hull.faces);
  const SurfaceCheck check(scaled.points, hull.faces, turned, frame,
                           std::max(16.0 * scaled.rounding, scaled.flat));
  if (!check.is_convex(turned) || !check.covers(columns, hull.vertices)) return std::nullopt;
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
    RingTriangulation(scaled.points, ring, scaled.flat, faces);
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

/// The hull of many points, and of fewer and fewer of them where vertices are flat, as long as all
/// points are in it.
std::optional<HullTopology> large_hull(const ScaledPoints& scaled, const Columns& columns,
                                       const AffineFrame& frame) {
  std::vector<Triangle> faces = exact_triangles(scaled, columns);
  std::optional<HullTopology> hull = checked_hull(scaled, columns, frame, faces);
  for (int round = 0; round < rounds_of_dropping && hull; ++round) {
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
  if (columns.size() > most_for_qhull) {
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
