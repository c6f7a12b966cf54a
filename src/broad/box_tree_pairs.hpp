// SPDX-License-Identifier: BSD-2-Clause
// Walks over trees of boxes: pairs inside one, pairs between two, boxes that overlap a given one.
// They find candidates by float boxes; the callbacks decide on the double boxes.
//
// Work can be split: pair_jobs() cuts the search for pairs inside a tree into independent parts of
// similar size.
#pragma once

#include <cstdint>
#include <vector>

#include "broad/box_tree.hpp"

namespace tactum {

/// A part of a search: everything below one node (a == b), or between two nodes of one level.
struct PairJob {
  std::int32_t a;
  std::int32_t b;
};

namespace detail {

/// Finds pairs between two nodes of the same level whose boxes overlap. `box_b` is the box around
/// b.
template <class Emit>
void cross_pairs(const BoxTree& tree_a, const WideNode& a, const BoxTree& tree_b, const WideNode& b,
                 const Probe& box_b, Emit& emit) {
  for_each_bit(box_b.overlaps(a), [&](int i) {
    const unsigned mask = Probe(a, i).overlaps(b);
    if (a.level == 0) {
      for_each_bit(mask, [&](int j) { emit(a.child[i], b.child[j]); });
    } else {
      for_each_bit(mask, [&](int j) {
        cross_pairs(tree_a, tree_a.node(a.child[i]), tree_b, tree_b.node(b.child[j]), Probe(b, j),
                    emit);
      });
    }
  });
}

/// Mask of the lanes above lane i.
inline unsigned lanes_above(int i) { return ~((2U << i) - 1U); }

/// Finds pairs below one node. Children are visited in an order that the processor cannot predict.
inline void fetch_children(const BoxTree& tree, const WideNode& node) {
  for (int i = 0; i < node.count; ++i) {
    const char* const child = reinterpret_cast<const char*>(&tree.node(node.child[i]));
    for (std::size_t line = 0; line < sizeof(WideNode); line += 64)
      __builtin_prefetch(child + line);
  }
}

template <class Emit>
void self_pairs(const BoxTree& tree, const WideNode& node, Emit& emit) {
  if (node.level > 0) fetch_children(tree, node);
  for (int i = 0; i < node.count; ++i) {
    const unsigned mask = Probe(node, i).overlaps(node) & lanes_above(i);
    if (node.level == 0) {
      for_each_bit(mask, [&](int j) { emit(node.child[i], node.child[j]); });
    } else {
      const WideNode& child = tree.node(node.child[i]);
      self_pairs(tree, child, emit);
      for_each_bit(mask, [&](int j) {
        cross_pairs(tree, child, tree, tree.node(node.child[j]), Probe(node, j), emit);
      });
    }
  }
}

/// Finds pairs between nodes of any levels: the higher one is opened until both are equal.
template <class Emit>
void mixed_pairs(const BoxTree& tree_a, const WideNode& a, const BoxTree& tree_b, const WideNode& b,
                 Emit& emit) {
  if (a.level == b.level) {
    cross_pairs(tree_a, a, tree_b, b, Probe(bounds(b)), emit);
  } else if (a.level > b.level) {
    for_each_bit(Probe(bounds(b)).overlaps(a),
                 [&](int i) { mixed_pairs(tree_a, tree_a.node(a.child[i]), tree_b, b, emit); });
  } else {
    for_each_bit(Probe(bounds(a)).overlaps(b),
                 [&](int i) { mixed_pairs(tree_a, a, tree_b, tree_b.node(b.child[i]), emit); });
  }
}

template <class Visit>
bool query(const BoxTree& tree, const WideNode& node, const Probe& box, Visit& visit) {
  for (unsigned mask = box.overlaps(node); mask != 0; mask &= mask - 1) {
    const std::int32_t child = node.child[std::countr_zero(mask)];
    if (!(node.level == 0 ? visit(child) : query(tree, tree.node(child), box, visit))) return false;
  }
  return true;
}

}  // namespace detail

/// Calls emit(i, j) for every pair of ids whose float boxes overlap, once each.
template <class Emit>
void self_pairs(const BoxTree& tree, Emit&& emit) {
  if (tree.root() >= 0) detail::self_pairs(tree, tree.node(tree.root()), emit);
}

/// Calls emit(i, j) for overlapping float boxes, i of tree_a and j of tree_b.
template <class Emit>
void cross_pairs(const BoxTree& tree_a, const BoxTree& tree_b, Emit&& emit) {
  if (tree_a.root() >= 0 && tree_b.root() >= 0)
    detail::mixed_pairs(tree_a, tree_a.node(tree_a.root()), tree_b, tree_b.node(tree_b.root()),
                        emit);
}

/// Calls visit(id) for every box that overlaps, until it returns false; then returns false.
template <class Visit>
bool query(const BoxTree& tree, const FloatBox& box, Visit&& visit) {
  return tree.root() < 0 || detail::query(tree, tree.node(tree.root()), Probe(box), visit);
}

/// Parts of self_pairs, at least `wanted` of them where the tree is large enough. Their order
/// depends on the tree alone.
void pair_jobs(const BoxTree& tree, std::size_t wanted, std::vector<PairJob>& jobs);

template <class Emit>
void run_pair_job(const BoxTree& tree, const PairJob& job, Emit&& emit) {
  const WideNode& a = tree.node(job.a);
  const WideNode& b = tree.node(job.b);
  if (job.a == job.b) {
    detail::self_pairs(tree, a, emit);
  } else {
    detail::cross_pairs(tree, a, tree, b, Probe(bounds(b)), emit);
  }
}

}  // namespace tactum
