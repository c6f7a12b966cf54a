// SPDX-License-Identifier: BSD-2-Clause
// A tree of balls over points, which tells whether all points are inside a large ball without a
// look at each.
//
// A node with middle o and radius s is inside the ball of radius a about c when |o - c| + s <= a,
// or
//     w.(w - 2 d) <= s (s - 2 a),      w = o - corner, d = c - corner, |d| = a,
// which keeps the precision of differences of the points however large a is.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "math/double3.hpp"
#include "tactum/shape.hpp"

namespace tactum {

class BallTree {
 public:
  explicit BallTree(const Points& points) : order_(static_cast<std::size_t>(points.cols())) {
    std::iota(order_.begin(), order_.end(), 0);
    split(points, 0, static_cast<std::int32_t>(order_.size()));
    for (const std::int32_t column : order_) points_.push_back(to_double3(points.col(column)));
  }

  /// Whether a point is outside the ball about `corner` + `center`, of radius `radius` = |center|,
  /// by more than `slack`.
  bool has_point_outside(const Vector3& corner, const Vector3& center, double radius,
                         double slack) const {
    const Double3 from = to_double3(corner), twice = 2.0 * to_double3(center);
    const auto power = [&](Double3 point) {
      const Double3 w = point - from;
      return dot(w, w - twice);
    };
    std::array<std::int32_t, 64> stack{};
    int depth = 1;
    while (depth > 0) {
      const std::int32_t at = stack[--depth];
      const Node& node = nodes_[at];
      const double s = node.radius;
      if (s < radius && power(node.middle) <= s * (s - 2.0 * radius)) continue;
      if (node.second < 0) {
        for (std::int32_t i = node.first; i < node.last; ++i) {
          if (power(points_[i]) > 2.0 * radius * slack) return true;
        }
      } else {
        stack[depth++] = node.second;
        stack[depth++] = at + 1;
      }
    }
    return false;
  }

 private:
  static constexpr std::int32_t kLeaf = 8;
  struct Node {
    Double3 middle;
    double radius;
    std::int32_t first, last, second;  ///< range of points; second child, -1 for a leaf: the first
                                       ///< child follows its parent
  };

  void split(const Points& points, std::int32_t first, std::int32_t last) {
    Vector3 low = points.col(order_[first]), high = low;
    for (std::int32_t i = first; i < last; ++i) {
      low = low.cwiseMin(points.col(order_[i]));
      high = high.cwiseMax(points.col(order_[i]));
    }
    const std::size_t at = nodes_.size();
    const Vector3 middle = 0.5 * low + 0.5 * high;
    double radius = 0.0;
    for (std::int32_t i = first; i < last; ++i)
      radius = std::max(radius, (points.col(order_[i]) - middle).stableNorm());
    nodes_.push_back({to_double3(middle), radius, first, last, -1});
    if (last - first <= kLeaf) return;
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    const std::int32_t half = first + (last - first) / 2;
    std::nth_element(
        order_.begin() + first, order_.begin() + half, order_.begin() + last,
        [&](std::int32_t a, std::int32_t b) { return points(axis, a) < points(axis, b); });
    split(points, first, half);
    nodes_[at].second = static_cast<std::int32_t>(nodes_.size());
    split(points, half, last);
  }

  std::vector<std::int32_t> order_;
  std::vector<Double3> points_;
  std::vector<Node> nodes_;
};

}  // namespace tactum
