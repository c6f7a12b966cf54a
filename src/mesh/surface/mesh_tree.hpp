// SPDX-License-Identifier: BSD-2-Clause
// The triangles of a mesh in a binary tree of axis-aligned boxes, as one flat array.
//
// Build      binned surface area heuristic, one triangle a leaf, by all cores for large meshes; the
//            same triangles give the same tree. Where all centers coincide, or the tree gets too
//            deep, a range is halved.
// Layout     a node has 32 bytes: a box in single precision, rounded outward, and the index of the
//            second child; the first child follows its parent.
// Invariants every box holds its triangles; the depth is at most kMostDepth.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "math/double3.hpp"
#include "tactum/shape.hpp"

namespace tactum {

class MeshTree {
 public:
  static constexpr int kMostDepth = 100;

  struct Node {
    float lower[3], upper[3];
    std::int32_t second;    ///< index of the second child; -1 in a leaf
    std::int32_t triangle;  ///< of a leaf; -1 elsewhere

    bool is_leaf() const { return second < 0; }
    Double3 low() const { return {lower[0], lower[1], lower[2]}; }
    Double3 high() const { return {upper[0], upper[1], upper[2]}; }
    Double3 center() const { return 0.5 * (low() + high()); }
    Double3 half() const { return 0.5 * (high() - low()); }
  };

  /// By at most `num_threads` threads; 0: all cores, up to eight.
  MeshTree(const Points& vertices, const Triangles& triangles, int num_threads = 0);
  std::span<const Node> nodes() const { return nodes_; }
  const Node& node(std::int32_t i) const { return nodes_[static_cast<std::size_t>(i)]; }

  /// Branch and bound for the least of something: bound(node) is never above it for any triangle
  /// below the node. visit(triangle) returns the least so far, `start` at first. What is not below
  /// it is left out.
  template <class Bound, class Visit>
  void least(double start, Bound&& bound, Visit&& visit) const {
    struct Entry {
      double bound;
      std::int32_t node;
    };
    Entry stack[kMostDepth + 2];
    int size = 0;
    stack[size++] = {bound(node(0)), 0};
    while (size > 0) {
      const Entry entry = stack[--size];
      if (!(entry.bound < start)) continue;
      const Node& own = node(entry.node);
      if (own.is_leaf()) {
        start = visit(own.triangle);
        continue;
      }
      Entry first = {bound(node(entry.node + 1)), entry.node + 1};
      Entry second = {bound(node(own.second)), own.second};
      if (second.bound < first.bound) std::swap(first, second);
      stack[size++] = second;
      stack[size++] = first;
    }
  }

 private:
  std::vector<Node> nodes_;
};

}  // namespace tactum
