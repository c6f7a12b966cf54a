// SPDX-License-Identifier: BSD-2-Clause
// A constant binary tree over items that do not move, with bounding volumes of any type: parts of a
// compound, triangles of a mesh.
//
// Build      items are cut by their boxes along the longest side of their centers, where surface
//            times count is least (surface area heuristic), never worse than 1 to 7; volumes are
//            then fitted to the items below each node by the caller's function.
// Layout     nodes lie in the order of a walk: the first child follows its parent.
// Invariants every item is below exactly one leaf; the depth is at most log n / log(8/7) + 1. The
//            volume of a node is the caller's: if it holds the items below it, every walk is exact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

template <class Volume>
class VolumeTree {
 public:
  struct Node {
    Volume volume;
    std::int32_t begin;  ///< items of order() below the node
    std::int32_t end;
    std::int32_t second;  ///< index of the second child; -1 in a leaf, whose items are tried one by
                          ///< one
  };

  VolumeTree() = default;

  /// Builds the tree; fit(span of items) returns a volume that contains them.
  template <class Fit>
  VolumeTree(std::span<const Aabb> boxes, Fit&& fit, int leaf_size = 2) : order_(boxes.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    if (!order_.empty())
      build(boxes, fit, 0, static_cast<std::int32_t>(order_.size()), std::max(leaf_size, 1));
  }

  std::span<const Node> nodes() const { return nodes_; }
  std::span<const std::int32_t> order() const { return order_; }

  /// Calls visit(item) for all items below volumes for which test(volume) holds.
  template <class Test, class Visit>
  void query(Test&& test, Visit&& visit) const {
    if (!nodes_.empty()) query_node(0, test, visit);
  }

  /// Calls visit(item, item of other) below pairs of volumes for which test(volume, volume of
  /// other) holds.
  template <class Other, class Test, class Visit>
  void pairs(const VolumeTree<Other>& other, Test&& test, Visit&& visit) const {
    if (!nodes_.empty() && !other.nodes().empty()) pairs_node(0, other, 0, test, visit);
  }

  /// Branch and bound for a minimum over items: bound(volume) is never above the value of any item
  /// below. visit(item, least) returns the least value so far.
  template <class Bound, class Visit>
  double least(double start, Bound&& bound, Visit&& visit) const {
    if (nodes_.empty()) return start;
    return least_node(0, bound(nodes_[0].volume), start, bound, visit);
  }

 private:
  std::vector<Node> nodes_;
  std::vector<std::int32_t> order_;

  static double half_area(const Aabb& box) {
    const Vector3 side = box.upper - box.lower;
    return side.x() * side.y() + side.y() * side.z() + side.z() * side.x();
  }

  /// Sorts the items of a range along the best axis and returns where to cut.
  std::int32_t cut(std::span<const Aabb> boxes, std::int32_t begin, std::int32_t end) {
    const auto center = [&](std::int32_t item) {
      const Aabb& box = boxes[static_cast<std::size_t>(item)];
      return Vector3(0.5 * box.lower + 0.5 * box.upper);
    };
    Vector3 low = center(order_[static_cast<std::size_t>(begin)]), high = low;
    for (std::int32_t i = begin; i < end; ++i) {
      low = low.cwiseMin(center(order_[static_cast<std::size_t>(i)]));
      high = high.cwiseMax(center(order_[static_cast<std::size_t>(i)]));
    }
    int axis = 0;
    (high - low).maxCoeff(&axis);
    std::sort(order_.begin() + begin, order_.begin() + end, [&](std::int32_t a, std::int32_t b) {
      const double at_a = center(a)[axis], at_b = center(b)[axis];
      return at_a != at_b ? at_a < at_b : a < b;
    });
    const std::int32_t count = end - begin, least_part = std::max(count / 8, 1);
    std::vector<double> right(static_cast<std::size_t>(count));
    Aabb box = boxes[static_cast<std::size_t>(order_[static_cast<std::size_t>(end - 1)])];
    const auto grow = [&](std::int32_t i) {
      const Aabb& other = boxes[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)])];
      box = {box.lower.cwiseMin(other.lower), box.upper.cwiseMax(other.upper)};
    };
    for (std::int32_t i = count - 1; i > 0; --i) {
      grow(begin + i);
      right[static_cast<std::size_t>(i)] = half_area(box) * (count - i);
    }
    box = boxes[static_cast<std::size_t>(order_[static_cast<std::size_t>(begin)])];
    std::int32_t best = count / 2;
    double least = std::numeric_limits<double>::infinity();
    for (std::int32_t left = 1; left <= count - least_part; ++left) {
      grow(begin + left - 1);
      const double cost = half_area(box) * left + right[static_cast<std::size_t>(left)];
      if (left < least_part || cost >= least) continue;
      least = cost;
      best = left;
    }
    return begin + best;
  }

  template <class Fit>
  void build(std::span<const Aabb> boxes, Fit& fit, std::int32_t begin, std::int32_t end,
             int leaf_size) {
    const std::size_t own = nodes_.size();
    const bool leaf = end - begin <= leaf_size;
    const std::int32_t middle = leaf ? end : cut(boxes, begin, end);
    const std::span<const std::int32_t> items(order_.data() + begin,
                                              static_cast<std::size_t>(end - begin));
    nodes_.push_back({fit(items), begin, end, -1});
    if (leaf) return;
    build(boxes, fit, begin, middle, leaf_size);
    nodes_[own].second = static_cast<std::int32_t>(nodes_.size());
    build(boxes, fit, middle, end, leaf_size);
  }

  template <class Test, class Visit>
  void query_node(std::int32_t i, Test& test, Visit& visit) const {
    const Node& node = nodes_[static_cast<std::size_t>(i)];
    if (!test(node.volume)) return;
    if (node.second < 0) {
      for (std::int32_t k = node.begin; k < node.end; ++k)
        visit(order_[static_cast<std::size_t>(k)]);
      return;
    }
    query_node(i + 1, test, visit);
    query_node(node.second, test, visit);
  }

  template <class Other, class Test, class Visit>
  void pairs_node(std::int32_t i, const VolumeTree<Other>& other, std::int32_t j, Test& test,
                  Visit& visit) const {
    const Node& a = nodes_[static_cast<std::size_t>(i)];
    const auto& b = other.nodes()[static_cast<std::size_t>(j)];
    if (!test(a.volume, b.volume)) return;
    if (a.second < 0 && b.second < 0) {
      for (std::int32_t k = a.begin; k < a.end; ++k) {
        for (std::int32_t l = b.begin; l < b.end; ++l)
          visit(order_[static_cast<std::size_t>(k)], other.order()[static_cast<std::size_t>(l)]);
      }
    } else if (b.second < 0 || (a.second >= 0 && a.end - a.begin >= b.end - b.begin)) {
      // the node with more items is opened
      pairs_node(i + 1, other, j, test, visit);
      pairs_node(a.second, other, j, test, visit);
    } else {
      pairs_node(i, other, j + 1, test, visit);
      pairs_node(i, other, b.second, test, visit);
    }
  }

  template <class Bound, class Visit>
  double least_node(std::int32_t i, double own, double least, Bound& bound, Visit& visit) const {
    if (own >= least) return least;
    const Node& node = nodes_[static_cast<std::size_t>(i)];
    if (node.second < 0) {
      for (std::int32_t k = node.begin; k < node.end; ++k)
        least = visit(order_[static_cast<std::size_t>(k)], least);
      return least;
    }
    const double first = bound(nodes_[static_cast<std::size_t>(i) + 1].volume);
    const double second = bound(nodes_[static_cast<std::size_t>(node.second)].volume);
    if (first <= second) {
      least = least_node(i + 1, first, least, bound, visit);
      return least_node(node.second, second, least, bound, visit);
    }
    least = least_node(node.second, second, least, bound, visit);
    return least_node(i + 1, first, least, bound, visit);
  }
};

}  // namespace tactum
