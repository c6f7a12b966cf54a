// SPDX-License-Identifier: BSD-2-Clause
// Polygons cut into triangles, with the vertices they have.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tactum/pose.hpp"

namespace tactum {

/// Cuts off ears: a corner whose triangle holds no other corner goes first, in the plane that the
/// polygon spans most. Simple polygons, also concave ones and those with a hole that is joined to
/// the rim by an edge there and back, are covered exactly once. What crosses itself or has no plane
/// gives n - 2 triangles all the same, and so does what takes more than 64 n^2 checks: the rest is
/// then cut off corner by corner.
class PolygonCutter {
 public:
  /// Appends n - 2 triangles with the turning sense of the polygon; n >= 3 corners in range.
  void cut(std::span<const Vector3> vertices, std::span<const std::int32_t> corners,
           std::vector<std::array<std::int32_t, 3>>& out);

 private:
  struct Corner {
    double x, y;
    std::int32_t vertex;
  };
  void project(std::span<const Vector3> vertices, std::span<const std::int32_t> corners);
  std::size_t next(std::size_t i) const { return i + 1 == ring_.size() ? 0 : i + 1; }
  std::size_t before(std::size_t i) const { return i == 0 ? ring_.size() - 1 : i - 1; }
  double turn(std::size_t i) const;
  bool is_ear(std::size_t i);
  std::vector<Corner> ring_;
  std::size_t checks_ = 0;  ///< of corners against ears
};

}  // namespace tactum
