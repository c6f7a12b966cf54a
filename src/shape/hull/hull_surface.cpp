// SPDX-License-Identifier: BSD-2-Clause
// Orientation of a triangulated surface, and the check that it is the hull of given points.
//
// Edges       sorted half edges: the two halves of an edge follow one another.
// Orientation faces are turned by a walk over shared edges, then all of them by the sign of the
//             volume.
// Convexity   no edge is dented by more than moving its corners by the slack accounts for.
// Cover       a walk from face to face finds the one above a point; the faces are looked at one by
//             one only where that fails.
#include "shape/hull/hull_surface.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "shape/check/triangle_plane.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

using Columns = std::vector<std::int32_t>;
using Triangle = std::array<std::int32_t, 3>;

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

/// Turns the faces so that neighbors agree; false when the surface is not connected or cannot be
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

/// Whether the faces are outward, by the volume in the coordinates of the frame, where the sign is
/// right for the thinnest solid.
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

/// Distance of a point from a triangle. It is exact for slivers too: where the plane is inaccurate,
/// the sides are near.
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

/// Checks of a surface against the points. Sides of a thin plate have accurate normals only in the
/// coordinates of the frame, where they are as wide as the plate, so convexity and sides are
/// checked there; distances are measured in space.
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

  /// Whether no edge is dented by more than moving its corners by the slack accounts for.
  bool is_convex(const std::vector<HalfEdge>& half_edges) const {
    for (std::size_t i = 0; i < half_edges.size(); i += 2) {
      if (dented(half_edges[i], half_edges[i + 1]) || dented(half_edges[i + 1], half_edges[i]))
        return false;
    }
    return true;
  }

  /// Whether each point lies inside or within the slack of a face.
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
  /// face. The search goes from face to face towards the ray from the middle through the point,
  /// beginning with the face of the last point.
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

  /// The distance by which moving a point by the slack in space moves it along a normal in the
  /// frame.
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

  /// Whether the faces cover more than half of the view from the point: the sum of their solid
  /// angles [Van Oosterom, Strackee 1983] is 4 pi inside and zero outside, and a sliver with an
  /// inaccurate plane adds nothing.
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

}  // namespace

bool orient_hull_surface(const Points& points, const std::vector<std::int32_t>& columns,
                         const AffineFrame& frame, double slack,
                         const std::vector<std::int32_t>& vertices,
                         std::vector<std::array<std::int32_t, 3>>& faces) {
  const std::vector<HalfEdge> half_edges = paired_half_edges(faces);
  if (half_edges.empty() || vertices.size() + faces.size() != half_edges.size() / 2 + 2)
    return false;
  if (!make_consistent(faces, half_edges)) return false;
  if (!is_outward(points, faces, frame)) {
    for (Triangle& face : faces) std::swap(face[1], face[2]);
  }
  const std::vector<HalfEdge> turned = paired_half_edges(faces);
  const SurfaceCheck check(points, faces, turned, frame, slack);
  return check.is_convex(turned) && check.covers(columns, vertices);
}

}  // namespace tactum
