// SPDX-License-Identifier: BSD-2-Clause
// The bounding boxes of the parts of a compound in a balanced binary tree, and the search of two trees for the nearest pair of parts.
//
// Bound   a set inside a box is no nearer than the box, and no deeper: the signed distance of two boxes is a lower bound for everything
//         inside, apart and in penetration. The box of B goes to the axes of A as the box around it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tactum/pose.hpp"
#include "tactum/shape.hpp"

namespace tactum {

class PartTree {
 public:
  struct Node {
    Vector3 center;
    Vector3 half;
    std::int32_t first = 0;   ///< child, or the part of a leaf
    std::int32_t second = 0;  ///< child; 0 for a leaf: the root is no child
    bool is_leaf() const { return second == 0; }
  };

  /// Boxes of the parts in the frame of the compound, in the order of the parts; one or more, finite.
  explicit PartTree(std::span<const Aabb> boxes);

  std::span<const Node> nodes() const { return nodes_; }  ///< the root first
  int height() const { return height_; }                  ///< edges from the root to the deepest leaf

 private:
  std::int32_t build(std::span<const Aabb> boxes, std::span<std::int32_t> parts, int depth);
  std::vector<Node> nodes_;
  int height_ = 0;
};

/// The box of a convex shape alone: a tree of one leaf.
PartTree::Node leaf_around(const Aabb& box, std::int32_t part);

/// Signed distance of two boxes seen from the axes of A: a lower bound of that of what they hold.
class BoxBound {
 public:
  explicit BoxBound(const Pose& X_AB) : X_AB_(X_AB), absolute_(X_AB.rotation.cwiseAbs()) {}

  double operator()(const PartTree::Node& a, const PartTree::Node& b) const {
    const Vector3 between = (X_AB_ * b.center - a.center).cwiseAbs(), reach = a.half + absolute_ * b.half;
    const Vector3 gap = between - reach;
    const double deepest = gap.maxCoeff();
    const double apart = deepest > 0.0 ? gap.cwiseMax(0.0).stableNorm() : deepest;
    const double largest = b.center.lpNorm<1>() + X_AB_.translation.lpNorm<1>() + a.center.lpNorm<1>() + reach.lpNorm<1>();
    return apart - 16.0 * std::numeric_limits<double>::epsilon() * largest;  // sums and products have rounded by less
  }

 private:
  Pose X_AB_;
  Matrix3 absolute_;
};

/// The same for a box of a compound, whose pose in the frame of the plane is X, and the half-space { x : normal . x <= offset }.
class PlaneBound {
 public:
  PlaneBound(const Vector3& normal, double offset, const Pose& X)
      : normal_(X.rotation.transpose() * normal), offset_(offset - normal.dot(X.translation)) {}

  double operator()(const PartTree::Node& box) const {
    const double reach = normal_.cwiseAbs().dot(box.half), height = normal_.dot(box.center);
    const double largest = box.center.lpNorm<1>() + reach + std::abs(offset_);
    return height - reach - offset_ - 16.0 * std::numeric_limits<double>::epsilon() * largest;
  }

 private:
  Vector3 normal_;
  double offset_;
};

/// Calls visit(part_a, part_b) for pairs of leaves whose bound is at most what the last visit returned (at first `largest`), nearer ones
/// first at every branching. Returns the smallest bound of all pairs that were left out: no pair of their parts is nearer.
template <class Bound, class Visit>
double visit_near_parts(std::span<const PartTree::Node> a, std::span<const PartTree::Node> b, const Bound& bound, double largest,
                        Visit&& visit) {
  struct Pair {
    double bound;
    std::int32_t a, b;
  };
  const auto node = [](std::span<const PartTree::Node> nodes, std::int32_t index) -> const PartTree::Node& {
    return nodes[static_cast<std::size_t>(index)];
  };
  // a step goes down a level in one of the trees and leaves one pair behind; balanced trees of 2^31 parts have 31 levels
  std::array<Pair, 64> stack;
  std::size_t size = 0;
  double smallest_left_out = std::numeric_limits<double>::infinity();
  stack[size++] = {bound(a[0], b[0]), 0, 0};
  while (size > 0) {
    const Pair pair = stack[--size];
    if (pair.bound > largest) {
      smallest_left_out = std::min(smallest_left_out, pair.bound);
      continue;
    }
    const PartTree::Node &node_a = node(a, pair.a), &node_b = node(b, pair.b);
    if (node_a.is_leaf() && node_b.is_leaf()) {
      largest = visit(node_a.first, node_b.first);
      continue;
    }
    const bool split_a = node_b.is_leaf() || (!node_a.is_leaf() && node_a.half.sum() >= node_b.half.sum());
    Pair first = split_a ? Pair{0.0, node_a.first, pair.b} : Pair{0.0, pair.a, node_b.first};
    Pair second = split_a ? Pair{0.0, node_a.second, pair.b} : Pair{0.0, pair.a, node_b.second};
    first.bound = bound(node(a, first.a), node(b, first.b));
    second.bound = bound(node(a, second.a), node(b, second.b));
    if (second.bound < first.bound) std::swap(first, second);
    stack[size++] = second;
    stack[size++] = first;
  }
  return smallest_left_out;
}

}  // namespace tactum
