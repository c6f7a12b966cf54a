// SPDX-License-Identifier: BSD-2-Clause
// The bounding boxes of the parts of a compound in a tree, and the search of two trees for near
// pairs of parts.
//
// Bound      a set inside a box is no nearer than the box, and no deeper: the signed distance of
//            two boxes is a lower bound for everything inside, apart and in penetration. The box of
//            each is replaced by the box around it in the axes of the other; the better one counts.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "broad/volume_tree.hpp"
#include "math/double3.hpp"
#include "math/epsilon.hpp"
#include "tactum/interrupt.hpp"
#include "tactum/pose.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// A box by its middle and half extents, in the frame of the compound.
struct PartBox {
  Vector3 center;
  Vector3 half;
};

inline PartBox part_box(const Aabb& box) {
  const Vector3 center = 0.5 * box.lower + 0.5 * box.upper;
  return {center, (box.upper - center).cwiseMax(center - box.lower)};
}

class PartTree : public VolumeTree<PartBox> {
 public:
  /// Builds the tree of boxes of the parts in the frame of the compound, in the order of the parts;
  /// finite.
  explicit PartTree(std::span<const Aabb> boxes);
  /// Builds a tree over some of the parts: `parts` names the part of each box.
  PartTree(std::span<const Aabb> boxes, std::span<const std::int32_t> parts);

  std::span<const std::int32_t> parts() const { return parts_; }  ///< in the order of the leaves

 private:
  std::vector<std::int32_t> parts_;
};

/// A tree, or the one box of a convex shape.
struct PartBoxes {
  std::span<const PartTree::Node> nodes;  ///< the root first
  std::span<const std::int32_t> parts;    ///< part of a leaf: parts[node.begin]
};

/// Signed distance of two boxes in the axes of A or in those of B, whichever is larger: a lower
/// bound of the distance of their contents.
class BoxBound {
 public:
  explicit BoxBound(const Pose& X_AB)
      : X_AB_(X_AB),
        absolute_(X_AB.rotation.cwiseAbs()),
        translation_size_(X_AB.translation.lpNorm<1>()) {}

  double operator()(const PartBox& a, const PartBox& b) const {
    const Double3 center_a = to_double3(a.center), center_b = to_double3(b.center),
                  half_a = to_double3(a.half), half_b = to_double3(b.half);
    const Double3 between = product(X_AB_.rotation, center_b) + to_double3(X_AB_.translation) -
                            center_a;
    const Double3 reach = half_a + product(absolute_, half_b);
    const double in_a = signed_gap(between, reach);
    const double in_b = signed_gap(transposed_product(X_AB_.rotation, between),
                                   half_b + transposed_product(absolute_, half_a));
    const double largest = size(center_b) + translation_size_ + size(center_a) + size(reach);
    // the rounding of sums and products is smaller
    return std::max(in_a, in_b) - 24.0 * kEpsilon * largest;
  }

 private:
  static double size(Double3 v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }
  static double signed_gap(Double3 between, Double3 reach) {
    const Double3 gap = {std::abs(between.x) - reach.x, std::abs(between.y) - reach.y,
                         std::abs(between.z) - reach.z};
    const double deepest = gap.largest();
    if (deepest <= 0.0) return deepest;
    return Double3{std::max(gap.x, 0.0), std::max(gap.y, 0.0), std::max(gap.z, 0.0)}.norm();
  }

  Pose X_AB_;
  Matrix3 absolute_;
  double translation_size_;
};

/// Lower bound of the signed distance of a box of a compound, whose pose in the frame of the plane
/// is X, from the half-space { x : normal . x <= offset }.
class PlaneBound {
 public:
  PlaneBound(const Vector3& normal, double offset, const Pose& X)
      : normal_(X.rotation.transpose() * normal), offset_(offset - normal.dot(X.translation)) {}

  double operator()(const PartBox& box) const {
    const double reach = normal_.cwiseAbs().dot(box.half), height = normal_.dot(box.center);
    const double largest = box.center.lpNorm<1>() + reach + std::abs(offset_);
    return height - reach - offset_ - 16.0 * kEpsilon * largest;
  }

 private:
  Vector3 normal_;
  double offset_;
};

/// Calls visit(part_a, part_b) for pairs of leaves whose bound is at most the number that the last
/// visit returned (at first `largest`), nearer ones first at every branching. Returns the smallest
/// bound of all pairs that were left out: no pair of their parts is nearer.
template <class Bound, class Visit>
double visit_near_parts(const PartBoxes& a, const PartBoxes& b, const Bound& bound, double largest,
                        Visit&& visit) {
  struct Pair {
    double bound;
    std::int32_t a, b;
  };
  const auto node = [](const PartBoxes& boxes, std::int32_t index) -> const PartTree::Node& {
    return boxes.nodes[static_cast<std::size_t>(index)];
  };
  const auto part = [](const PartBoxes& boxes, const PartTree::Node& leaf) {
    return boxes.parts[static_cast<std::size_t>(leaf.begin)];
  };
  const auto bounded = [&](std::int32_t i, std::int32_t j) {
    return Pair{bound(node(a, i).volume, node(b, j).volume), i, j};
  };
  // a step goes down a level in one of the trees and leaves one pair behind; a tree of 2^31 parts
  // has at most 162 levels
  std::array<Pair, 330> stack;
  std::size_t size = 0;
  double smallest_left_out = std::numeric_limits<double>::infinity();
  stack[size++] = bounded(0, 0);
  for (unsigned step = 0; size > 0; ++step) {
    if (step % 64 == 0) check_interrupt();
    const Pair pair = stack[--size];
    if (pair.bound > largest) {
      smallest_left_out = std::min(smallest_left_out, pair.bound);
      continue;
    }
    const PartTree::Node &node_a = node(a, pair.a), &node_b = node(b, pair.b);
    const bool leaf_a = node_a.second < 0, leaf_b = node_b.second < 0;
    if (leaf_a && leaf_b) {
      largest = visit(part(a, node_a), part(b, node_b));
      continue;
    }
    const bool split_a = leaf_b ||
                         (!leaf_a && node_a.volume.half.sum() >= node_b.volume.half.sum());
    Pair first = split_a ? bounded(pair.a + 1, pair.b) : bounded(pair.a, pair.b + 1);
    Pair second = split_a ? bounded(node_a.second, pair.b) : bounded(pair.a, node_b.second);
    if (second.bound < first.bound) std::swap(first, second);
    stack[size++] = second;
    stack[size++] = first;
  }
  return smallest_left_out;
}

}  // namespace tactum
