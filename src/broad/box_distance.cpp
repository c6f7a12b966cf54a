// SPDX-License-Identifier: BSD-2-Clause
// Separate boxes are nearest at a corner of one and any point of the other, or at two edges that
// are not parallel. Two such edges are the outermost ones along their common normal, so for each of
// the nine pairs of directions one pair of edges is enough; several only where the normal is
// perpendicular to another edge and the outermost one is not unique.
#include "broad/box_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/relative_pose.hpp"

namespace tactum {
namespace {

constexpr double kAmbiguous = 1e-7;  // of the length of the normal

/// Box B as seen from A: pose and half extents.
struct RelativeBoxes {
  Double3 a, b;                 ///< half extents
  Double3 t;                    ///< center of B in A
  std::array<Double3, 3> axes;  ///< of B in A
};

RelativeBoxes relative(const OrientedBox& a, const OrientedBox& b) {
  const RelativePose X_AB = relative_pose(a.pose, b.pose);
  return {to_double3(a.half_extents),
          to_double3(b.half_extents),
          X_AB.center,
          {X_AB.x, X_AB.y, X_AB.z}};
}

Double3 unit(int i, double length) {
  return {i == 0 ? length : 0.0, i == 1 ? length : 0.0, i == 2 ? length : 0.0};
}
Double3 absolute(Double3 v) { return {std::abs(v.x), std::abs(v.y), std::abs(v.z)}; }

/// Half the extent of B along a vector.
double reach_b(const RelativeBoxes& r, Double3 n) {
  return r.b.x * std::abs(dot(r.axes[0], n)) + r.b.y * std::abs(dot(r.axes[1], n)) +
         r.b.z * std::abs(dot(r.axes[2], n));
}

double gap_along(const RelativeBoxes& r, Double3 n) {
  return std::abs(dot(r.t, n)) - dot(r.a, absolute(n)) - reach_b(r, n);
}

double squared_point_distance(Double3 half, Double3 p) {
  const Double3 q = absolute(p);
  const Double3 outside{std::max(q.x - half.x, 0.0), std::max(q.y - half.y, 0.0),
                        std::max(q.z - half.z, 0.0)};
  return outside.squared_norm();
}

/// Squared distance of two segments given by middle and half direction, neither of them a point
/// (Ericson 2005, section 5.1.9).
double squared_segment_distance(Double3 p, Double3 u, Double3 q, Double3 v) {
  const Double3 w = p - q;
  const double uu = u.squared_norm(), vv = v.squared_norm(), uv = dot(u, v), uw = dot(u, w),
               vw = dot(v, w);
  const double determinant = uu * vv - uv * uv;
  double s = determinant > 0.0 ? std::clamp((uv * vw - vv * uw) / determinant, -1.0, 1.0) : 0.0;
  const double t = std::clamp((uv * s + vw) / vv, -1.0, 1.0);
  s = std::clamp((uv * t - uw) / uu, -1.0, 1.0);
  return (w + s * u - t * v).squared_norm();
}

double squared_corner_distance(const RelativeBoxes& r) {
  double least = std::numeric_limits<double>::infinity();
  for (int corner = 0; corner < 8; ++corner) {
    const double x = (corner & 1) != 0 ? 1.0 : -1.0, y = (corner & 2) != 0 ? 1.0 : -1.0,
                 z = (corner & 4) != 0 ? 1.0 : -1.0;
    const Double3 of_b = r.t + (x * r.b.x) * r.axes[0] + (y * r.b.y) * r.axes[1] +
                         (z * r.b.z) * r.axes[2];
    const Double3 of_a = Double3{x * r.a.x, y * r.a.y, z * r.a.z} - r.t;
    const Double3 in_b{dot(r.axes[0], of_a), dot(r.axes[1], of_a), dot(r.axes[2], of_a)};
    least = std::min({least, squared_point_distance(r.a, of_b), squared_point_distance(r.b, in_b)});
  }
  return least;
}

/// Middles of the edges of direction `i` that are outermost along n, of a box with these half axes:
/// one, two or four.
struct OuterEdges {
  std::array<Double3, 4> middle;
  int count = 0;
};
OuterEdges outer_edges(const std::array<Double3, 3>& half_axes, std::size_t i, Double3 n,
                       Double3 center) {
  const Double3 first = half_axes[(i + 1) % 3], second = half_axes[(i + 2) % 3];
  const double along_first = dot(first, n), along_second = dot(second, n),
               limit = kAmbiguous * n.norm();
  OuterEdges edges;
  for (const double s : {-1.0, 1.0}) {
    if (s * along_first < -limit * first.norm()) continue;
    for (const double t : {-1.0, 1.0}) {
      if (t * along_second < -limit * second.norm()) continue;
      edges.middle[static_cast<std::size_t>(edges.count++)] = center + s * first + t * second;
    }
  }
  return edges;
}

double squared_edge_distance(const RelativeBoxes& r) {
  const std::array<Double3, 3> half_a{unit(0, r.a.x), unit(1, r.a.y), unit(2, r.a.z)};
  const std::array<Double3, 3> half_b{r.b.x * r.axes[0], r.b.y * r.axes[1], r.b.z * r.axes[2]};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    if (half_a[i].squared_norm() == 0.0) continue;  // the ends of this edge are corners
    for (std::size_t j = 0; j < 3; ++j) {
      if (half_b[j].squared_norm() == 0.0) continue;
      Double3 n = cross(unit(static_cast<int>(i), 1.0), r.axes[j]);
      if (n.squared_norm() < 1e-24) continue;  // parallel edges: a corner is as near
      if (dot(n, r.t) < 0.0) n = -n;
      const OuterEdges of_a = outer_edges(half_a, i, n, {0.0, 0.0, 0.0}),
                       of_b = outer_edges(half_b, j, -n, r.t);
      for (int k = 0; k < of_a.count; ++k) {
        for (int l = 0; l < of_b.count; ++l) {
          least = std::min(
              least, squared_segment_distance(of_a.middle[static_cast<std::size_t>(k)], half_a[i],
                                              of_b.middle[static_cast<std::size_t>(l)], half_b[j]));
        }
      }
    }
  }
  return least;
}

double separating_gap(const RelativeBoxes& r) {
  double gap = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    gap = std::max(gap, gap_along(r, unit(i, 1.0)));
    gap = std::max(gap, gap_along(r, r.axes[static_cast<std::size_t>(i)]));
    for (int j = 0; j < 3; ++j) {
      const Double3 n = cross(unit(i, 1.0), r.axes[static_cast<std::size_t>(j)]);
      const double length = n.norm();
      if (length > 1e-9) gap = std::max(gap, gap_along(r, n) / length);
    }
  }
  return gap;
}

}  // namespace

double separating_gap(const OrientedBox& a, const OrientedBox& b) {
  return separating_gap(relative(a, b));
}

double point_distance(const OrientedBox& box, const Vector3& point) {
  const Double3 local = transposed_product(box.pose.rotation,
                                           to_double3(point) - to_double3(box.pose.translation));
  return std::sqrt(squared_point_distance(to_double3(box.half_extents), local));
}

double box_distance(const OrientedBox& a, const OrientedBox& b) {
  const RelativeBoxes r = relative(a, b);
  if (separating_gap(r) <= 0.0) return 0.0;
  return std::sqrt(std::min(squared_corner_distance(r), squared_edge_distance(r)));
}

}  // namespace tactum
