// SPDX-License-Identifier: BSD-2-Clause
// Signed distance of a box of one mesh from a box of another, from below.
//
// Axes       the boxes are seen along the axes of both frames and along one more direction. A set
//            inside a box is no nearer than the box, and no deeper, so that the largest separation
//            over these axes bounds what the boxes hold, apart and in penetration.
// Precision  single, four numbers at a time. Every bound is lowered by what rounding can add: with
//            u = 2^-24 and S the sum of all coordinates that take part, centers in the other frame
//            are off by at most 8 u S, what is turned back by 30 u S, half extents and the norm by
//            less. Bounds only decide where not to look, so that a few micrometres cost little.
#pragma once

#include <algorithm>
#include <cmath>

#include "math/double3.hpp"
#include "mesh/surface/mesh_tree.hpp"

namespace tactum {

class NodePairBound {
 public:
  NodePairBound(const MeshTree& a, const MeshTree& b, const Pose& X_AB)
      : rotation_(X_AB.rotation), translation_(four(X_AB.translation)) {
    for (int k = 0; k < 3; ++k) {
      columns_[k] = four(X_AB.rotation.col(k));
      rows_[k] = four(X_AB.rotation.row(k).transpose());
      absolute_columns_[k] = positive(columns_[k]);
      absolute_rows_[k] = positive(rows_[k]);
    }
    constexpr double unit = 0x1p-24;
    rounding_ = 40.0 * unit * (size(a.node(0)) + size(b.node(0)) + X_AB.translation.lpNorm<1>());
  }

  /// The direction, a unit vector from A to B in the frame of A: the normal of the nearest pair so
  /// far, which is sharp for those next to it and for all that are far away.
  void look_along(Double3 n) {
    normal_ = four(to_vector3(n));
    positive_a_ = positive(normal_);
    positive_b_ = positive(four(rotation_.transpose() * to_vector3(n)));
  }

  /// Stops, with a valid bound, at the first axis that shows more than `enough`.
  double operator()(const MeshTree::Node& a, const MeshTree::Node& b, double enough) const {
    const Box box_a(a), box_b(b);
    const Four between = translation_ + turned(columns_, box_b.center) - box_a.center;
    const Four along = normal_ * between - positive_a_ * box_a.half - positive_b_ * box_b.half;
    double bound = static_cast<double>(along[0] + along[1] + along[2]) - rounding_;
    if (bound > enough) return bound;
    bound = std::max(
        bound, signed_gap(between, box_a.half + turned(absolute_columns_, box_b.half)) - rounding_);
    if (bound > enough) return bound;
    return std::max(
        bound, signed_gap(turned(rows_, between), box_b.half + turned(absolute_rows_, box_a.half)) -
                   rounding_);
  }

 private:
  using Four [[gnu::vector_size(16)]] = float;

  struct Box {
    explicit Box(const MeshTree::Node& node) {
      const Four lower = {node.lower[0], node.lower[1], node.lower[2], 0.0F},
                 upper = {node.upper[0], node.upper[1], node.upper[2], 0.0F};
      center = 0.5F * (lower + upper);
      half = 0.5F * (upper - lower);
    }
    Four center, half;
  };

  static Four four(const Vector3& v) {
    return Four{static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z()),
                0.0F};
  }
  static Four larger(Four a, Four b) { return a > b ? a : b; }
  static Four positive(Four v) { return larger(v, -v); }
  static Four turned(const Four (&columns)[3], Four v) {
    return v[0] * columns[0] + v[1] * columns[1] + v[2] * columns[2];
  }
  static double size(const MeshTree::Node& node) {
    const Double3 low = node.low(), high = node.high();
    return std::max(std::abs(low.x), std::abs(high.x)) +
           std::max(std::abs(low.y), std::abs(high.y)) +
           std::max(std::abs(low.z), std::abs(high.z));
  }

  static double signed_gap(Four between, Four reach) {
    const Four gap = positive(between) - reach;
    const float largest = std::max(std::max(gap[0], gap[1]), gap[2]);
    if (largest <= 0.0F) return static_cast<double>(largest);
    const Four apart = larger(gap, Four{0.0F, 0.0F, 0.0F, 0.0F});
    const Four squares = apart * apart;
    const float square = squares[0] + squares[1] + squares[2];
    // beyond the range of squares the largest alone is a bound
    return static_cast<double>(square < 1e37F ? std::sqrt(square) : largest);
  }

  Matrix3 rotation_;
  double rounding_;
  Four translation_;
  Four columns_[3], rows_[3], absolute_columns_[3], absolute_rows_[3];
  Four normal_ = {0.0F, 0.0F, 0.0F, 0.0F};
  Four positive_a_ = {1.0F, 1.0F, 1.0F, 0.0F}, positive_b_ = {1.0F, 1.0F, 1.0F, 0.0F};
};

}  // namespace tactum
