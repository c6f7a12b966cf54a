// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/hull_feature_at_point.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "shape/hull/level_walk.hpp"

namespace tactum {
namespace {

constexpr double kSide = 1e-9;  // sine of the angle below which three points are in line

/// Tells which vertices are as far along u as the support vertex: the edge between them is
/// orthogonal to u within the angle or rounding.
class Level {
 public:
  Level(const ConvexPolytope& hull, int support, Double3 u, const FeatureTolerance& tolerance)
      : hull_(hull),
        support_(to_double3(hull.vertex(support))),
        u_(u),
        height_(dot(support_, u)),
        angle_(tolerance.angle),
        rounding_(1e-3 * tolerance.length),
        most_(std::max(rounding_, tolerance.angle * tolerance.reach)) {}

  bool holds(int vertex) const {
    const Double3 v = to_double3(hull_.vertex(vertex));
    const double drop = std::abs(height_ - dot(v, u_));
    if (drop > most_) return false;  // true for nearly all vertices, so the test comes first
    return drop <= rounding_ || drop * drop <= angle_ * angle_ * (v - support_).squared_norm();
  }

 private:
  const ConvexPolytope& hull_;
  Double3 support_, u_;
  double height_, angle_, rounding_, most_;
};

LevelCorners corners_of(const ConvexPolytope& hull, int support, Double3 u,
                        const FeatureTolerance& tolerance) {
  const Level level(hull, support, u, tolerance);
  return level_corners(hull, support, [&](int vertex) { return level.holds(vertex); });
}

enum class Side { outside, boundary, inside };

/// Tells where the origin lies relative to the hull of `count` points of the plane, given as a
/// function of their index.
template <class Corner>
Side side_of(int count, double length, const Corner& corner) {
  // a quick test: seen from one corner, the others lie on one side
  for (int i = 0; i < count; ++i) {
    if (corner(i).norm() <= length) return Side::boundary;
  }
  Side side = Side::inside;
  for (int i = 0; i < count; ++i) {
    const Double2 from = corner(i);
    const double reach = from.norm();
    double left = 0.0, right = 0.0, behind = 0.0;
    for (int j = 0; j < count; ++j) {
      const Double2 to = corner(j);
      const double turn = cross(from, to), limit = kSide * reach * to.norm() + length * reach;
      left += turn > limit ? 1.0 : 0.0;
      right += turn < -limit ? 1.0 : 0.0;
      behind += std::abs(turn) <= limit && dot(from, to) < 0.0 ? 1.0 : 0.0;
    }
    if (left > 0.0 && right > 0.0) continue;
    if (behind == 0.0) return Side::outside;
    side = Side::boundary;
  }
  return side;
}

Side side_of_face(const ConvexPolytope& hull, int support, const LevelCorners& corners,
                  const TangentPlane& plane, Double3 u, Double3 p,
                  const FeatureTolerance& tolerance) {
  const auto seen = [&](int vertex) { return plane.project(to_double3(hull.vertex(vertex)) - p); };
  if (corners.complete) {
    std::array<Double2, LevelCorners::kCapacity> points;
    for (int i = 0; i < corners.vertices.size(); ++i)
      points[static_cast<std::size_t>(i)] = seen(corners.vertices[i]);
    return side_of(corners.vertices.size(), tolerance.length,
                   [&](int i) { return points[static_cast<std::size_t>(i)]; });
  }
  // too many corners to list: all vertices are passed, with the support vertex in place of those
  // that are not level
  const Level level(hull, support, u, tolerance);
  return side_of(hull.num_vertices(), tolerance.length,
                 [&](int i) { return seen(level.holds(i) ? i : support); });
}

void set_edge(const TangentPlane& plane, Double3 from, Double3 to, Double3 p, double length,
              SupportFeature& feature) {
  feature.dimension = 1;
  const Double2 along = plane.project(to - from);
  const double edge_length = along.norm();
  if (edge_length > 0.0) feature.edge = (1.0 / edge_length) * along;
  const Double2 at = plane.project(p - from);
  const double fraction = dot(at, feature.edge);
  feature.holds_point = std::abs(cross(at, feature.edge)) <= length && fraction >= -length &&
                        fraction <= edge_length + length;
  feature.interior = fraction > length && fraction < edge_length - length;
}

}  // namespace

SupportFeature polytope_feature(const ConvexPolytope& hull, int vertex, const TangentPlane& plane,
                                Double3 u, Double3 p, const FeatureTolerance& tolerance) {
  const LevelCorners corners = corners_of(hull, vertex, u, tolerance);
  SupportFeature feature;
  const Double3 support = to_double3(hull.vertex(vertex));
  if (corners.vertices.size() == 1) {
    feature.holds_point = (p - support).squared_norm() <= tolerance.length * tolerance.length;
    return feature;
  }
  if (corners.vertices.size() == 2) {
    set_edge(plane, support, to_double3(hull.vertex(corners.vertices[1])), p, tolerance.length,
             feature);
    return feature;
  }
  feature.dimension = 2;
  const Side side = side_of_face(hull, vertex, corners, plane, u, p, tolerance);
  feature.holds_point = side != Side::outside;
  feature.interior = side == Side::inside;
  return feature;
}

namespace {

/// Weights of p in the triangle of three corners seen from p; the smallest weight shows how far
/// inside p is.
std::array<double, 3> triangle_weights(Double2 q0, Double2 q1, Double2 q2) {
  const double w0 = cross(q1, q2), w1 = cross(q2, q0), w2 = cross(q0, q1), sum = w0 + w1 + w2;
  if (sum == 0.0) return {-1.0, -1.0, -1.0};
  return {w0 / sum, w1 / sum, w2 / sum};
}

/// The triangle of three level corners for which p lies deepest inside.
PolytopeSimplex best_triangle(const ConvexPolytope& hull, const LevelCorners& corners,
                              const TangentPlane& plane, Double3 p) {
  PolytopeSimplex best{3,
                       {corners.vertices[0], corners.vertices[1], corners.vertices[2]},
                       {1.0, 0.0, 0.0},
                       corners.vertices.size() > 3};
  const auto seen = [&](int i) {
    return plane.project(to_double3(hull.vertex(corners.vertices[i])) - p);
  };
  double deepest = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < corners.vertices.size(); ++i) {
    for (int j = i + 1; j < corners.vertices.size(); ++j) {
      for (int k = j + 1; k < corners.vertices.size(); ++k) {
        const std::array<double, 3> weights = triangle_weights(seen(i), seen(j), seen(k));
        const double depth = std::min(std::min(weights[0], weights[1]), weights[2]);
        if (depth <= deepest) continue;
        deepest = depth;
        best.vertices = {corners.vertices[i], corners.vertices[j], corners.vertices[k]};
        best.weights = weights;
      }
    }
  }
  return best;
}

}  // namespace

PolytopeSimplex polytope_simplex(const ConvexPolytope& hull, const TangentPlane& plane, Double3 u,
                                 Double3 p, int dimension) {
  int visited = 0;
  const int support = hull.support_vertex(&u.x, visited);
  PolytopeSimplex simplex{1, {support, 0, 0}, {1.0, 0.0, 0.0}, false};
  if (dimension == 0) return simplex;
  // the first angle at which corners of this dimension are found
  for (const double angle : {1e-10, 1e-8, 1e-6, 1e-4}) {
    const LevelCorners corners = corners_of(hull, support, u, {angle, 0.0});
    if (corners.vertices.size() >= 3) return best_triangle(hull, corners, plane, p);
    if (corners.vertices.size() < 2 || dimension == 2) continue;
    const Double3 from = to_double3(hull.vertex(support)),
                  edge = to_double3(hull.vertex(corners.vertices[1])) - from;
    const double fraction = dot(p - from, edge) / edge.squared_norm();
    return {2, {support, corners.vertices[1], 0}, {1.0 - fraction, fraction, 0.0}, false};
  }
  return simplex;
}

}  // namespace tactum
