// SPDX-License-Identifier: BSD-2-Clause
// Triangles with whole coordinates, and whether two of them share a point: decided in integers,
// without rounding.
//
// Range      coordinates up to 2^15: the volumes below are sums of six products of three of their
//            differences, which is less than 2^51 and has no overflow.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "mesh/mesh_fixtures.hpp"

namespace tactum::testing {

using IntegerPoint = std::array<std::int64_t, 3>;
using IntegerTriangle = std::array<IntegerPoint, 3>;

inline IntegerPoint operator-(const IntegerPoint& p, const IntegerPoint& q) {
  return {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
}

inline IntegerPoint integer_cross(const IntegerPoint& u, const IntegerPoint& v) {
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}

inline int sign_of(std::int64_t value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

inline IntegerPoint normal_of(const IntegerTriangle& t) {
  return integer_cross(t[1] - t[0], t[2] - t[0]);
}

/// The sign of the volume of the tetrahedron a, b, c, d.
inline int side_of(const IntegerPoint& a, const IntegerPoint& b, const IntegerPoint& c,
                   const IntegerPoint& d) {
  const IntegerPoint n = integer_cross(b - a, c - a), v = d - a;
  return sign_of(n[0] * v[0] + n[1] * v[1] + n[2] * v[2]);
}

/// The same in a plane: the side of the line from a to b that c is on, seen along an axis.
inline int side_of(const IntegerPoint& a, const IntegerPoint& b, const IntegerPoint& c, int axis) {
  return sign_of(integer_cross(b - a, c - a)[static_cast<std::size_t>(axis)]);
}

/// Whether the signs are all at least zero or all at most zero.
inline bool are_on_one_side(int s, int t, int u) {
  return std::min({s, t, u}) >= 0 || std::max({s, t, u}) <= 0;
}

/// A point and a triangle in one plane that is not seen edge-on along the axis.
inline bool holds_point(const IntegerTriangle& t, const IntegerPoint& p, int axis) {
  return are_on_one_side(side_of(t[0], t[1], p, axis), side_of(t[1], t[2], p, axis),
                         side_of(t[2], t[0], p, axis));
}

/// Two segments in one plane that cross inside both.
inline bool segments_cross(const IntegerPoint& p, const IntegerPoint& q, const IntegerPoint& a,
                           const IntegerPoint& b, int axis) {
  return side_of(p, q, a, axis) * side_of(p, q, b, axis) < 0 &&
         side_of(a, b, p, axis) * side_of(a, b, q, axis) < 0;
}

/// A segment that lies in the plane of a triangle: it starts or ends in the triangle, crosses a
/// side, or passes through a corner.
inline bool meets_in_plane(const IntegerTriangle& t, const IntegerPoint& p, const IntegerPoint& q) {
  const IntegerPoint n = normal_of(t);
  int axis = 0;
  while (n[static_cast<std::size_t>(axis)] == 0) ++axis;
  if (holds_point(t, p, axis) || holds_point(t, q, axis)) return true;
  for (std::size_t k = 0; k < 3; ++k) {
    if (segments_cross(p, q, t[k], t[(k + 1) % 3], axis)) return true;
    const IntegerPoint from = t[k] - p, to = t[k] - q;
    const std::int64_t along = from[0] * to[0] + from[1] * to[1] + from[2] * to[2];
    if (side_of(p, q, t[k], axis) == 0 && along <= 0) return true;
  }
  return false;
}

/// Whether a segment and a triangle with an area share a point.
inline bool meets(const IntegerTriangle& t, const IntegerPoint& p, const IntegerPoint& q) {
  const int at_p = side_of(t[0], t[1], t[2], p), at_q = side_of(t[0], t[1], t[2], q);
  if (at_p * at_q > 0) return false;
  if (at_p == 0 && at_q == 0) return meets_in_plane(t, p, q);
  return are_on_one_side(side_of(p, q, t[0], t[1]), side_of(p, q, t[1], t[2]),
                         side_of(p, q, t[2], t[0]));
}

/// Whether two triangles with an area share a point: then a side of one meets the other.
inline bool meet(const IntegerTriangle& a, const IntegerTriangle& b) {
  for (std::size_t k = 0; k < 3; ++k)
    if (meets(a, b[k], b[(k + 1) % 3]) || meets(b, a[k], a[(k + 1) % 3])) return true;
  return false;
}

/// Triangles with an area and corners from -size to size on each axis.
inline std::vector<IntegerTriangle> integer_triangles(Random& random, int count, int size) {
  std::vector<IntegerTriangle> triangles;
  while (static_cast<int>(triangles.size()) < count) {
    IntegerTriangle t;
    for (IntegerPoint& corner : t)
      for (std::int64_t& x : corner) x = random.below(2 * size + 1) - size;
    if (normal_of(t) != IntegerPoint{0, 0, 0}) triangles.push_back(t);
  }
  return triangles;
}

inline RawMesh raw_mesh(const std::vector<IntegerTriangle>& triangles) {
  const auto count = static_cast<std::int32_t>(triangles.size());
  RawMesh raw{Points(3, 3 * count), Triangles(3, count)};
  for (std::int32_t t = 0; t < count; ++t) {
    for (std::int32_t k = 0; k < 3; ++k) {
      const IntegerPoint& p = triangles[static_cast<std::size_t>(t)][static_cast<std::size_t>(k)];
      raw.vertices.col(3 * t + k) << double(p[0]), double(p[1]), double(p[2]);
      raw.triangles(k, t) = 3 * t + k;
    }
  }
  return raw;
}

/// A turn by right angles and a step by whole numbers: an exact pose of a grid.
struct IntegerPose {
  std::array<IntegerPoint, 3> rows;
  IntegerPoint step;

  IntegerPoint operator*(const IntegerPoint& p) const {
    IntegerPoint moved = step;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) moved[i] += rows[i][j] * p[j];
    return moved;
  }
  Pose pose() const {
    Pose X;
    for (int i = 0; i < 3; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (int j = 0; j < 3; ++j) X.rotation(i, j) = double(rows[row][static_cast<std::size_t>(j)]);
      X.translation[i] = double(step[row]);
    }
    return X;
  }
};

inline IntegerPose integer_pose(Random& random, int farthest) {
  IntegerPose X{};
  const auto first = static_cast<std::size_t>(random.below(3)),
             second = (first + 1 + static_cast<std::size_t>(random.below(2))) % 3;
  X.rows[0][first] = random.chance(0.5) ? 1 : -1;
  X.rows[1][second] = random.chance(0.5) ? 1 : -1;
  X.rows[2] = integer_cross(X.rows[0], X.rows[1]);
  for (std::int64_t& x : X.step) x = random.below(2 * farthest + 1) - farthest;
  return X;
}

}  // namespace tactum::testing
