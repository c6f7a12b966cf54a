// SPDX-License-Identifier: BSD-2-Clause
#include "solver/linear/elimination_order.hpp"

#include <algorithm>
#include <cstring>

#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

void EliminationOrder::start(const NodeGraph& graph) {
  graph_ = &graph;
  const std::size_t count = graph.sizes.size();
  order_.clear();
  members_.clear();
  member_begin_.assign(1, 0);
  list_ = graph.nodes;
  clique_count_.assign(count, 0);
  neighbor_count_.resize(count);
  position_.assign(count, -1);
  absorbed_.assign(count, 0);
  weight_.assign(count, 0);
  outside_.assign(count, 0);
  measured_.assign(count, -1);
  marked_.assign(count, -1);
  degree_.resize(count);
  next_.resize(count);
  previous_.resize(count);
  rows_left_ = 0;
  for (const int size : graph.sizes) rows_left_ += size;
  first_.assign(at(rows_left_) + 1, -1);
  least_ = rows_left_;
  for (std::size_t i = count; i-- > 0;) {
    neighbor_count_[i] = graph.begin[i + 1] - graph.begin[i];
    degree_[i] = 0;
    for (int k = graph.begin[i]; k < graph.begin[i + 1]; ++k)
      degree_[i] += graph.sizes[at(graph.nodes[at(k)])];
    insert(static_cast<int>(i));
  }
}

void EliminationOrder::insert(int node) {
  int& first = first_[at(degree_[at(node)])];
  previous_[at(node)] = -1;
  next_[at(node)] = first;
  if (first >= 0) previous_[at(first)] = node;
  first = node;
  least_ = std::min(least_, degree_[at(node)]);
}

void EliminationOrder::remove(int node) {
  const int before = previous_[at(node)], after = next_[at(node)];
  if (before >= 0)
    next_[at(before)] = after;
  else
    first_[at(degree_[at(node)])] = after;
  if (after >= 0) previous_[at(after)] = before;
}

/// Takes the node of least degree out of the lists.
int EliminationOrder::take_least() {
  while (first_[at(least_)] < 0) ++least_;
  const int node = first_[at(least_)];
  remove(node);
  return node;
}

/// Appends the nodes that the pivot touches to the members. The cliques that hold the pivot are
/// covered by the new one.
void EliminationOrder::gather_clique(int pivot) {
  const int begin = graph_->begin[at(pivot)], cliques = clique_count_[at(pivot)];
  marked_[at(pivot)] = pivot;
  const auto add = [&](int node) {
    if (marked_[at(node)] == pivot) return;
    marked_[at(node)] = pivot;
    members_.push_back(node);
    weight_[at(pivot)] += graph_->sizes[at(node)];
  };
  for (int k = begin; k < begin + cliques; ++k) {
    const int clique = list_[at(k)];
    if (absorbed_[at(clique)]) continue;
    // the members grow meanwhile: they are read by index
    const std::size_t position = at(position_[at(clique)]);
    for (std::size_t m = member_begin_[position]; m < member_begin_[position + 1]; ++m)
      add(members_[m]);
    absorbed_[at(clique)] = 1;
  }
  for (int k = begin + cliques; k < begin + cliques + neighbor_count_[at(pivot)]; ++k)
    add(list_[at(k)]);
  member_begin_.push_back(members_.size());
}

/// Sets the rows outside the newest clique, of every clique that shares a node with it.
void EliminationOrder::measure_cliques(std::span<const int> clique) {
  const int pivot = order_.back();
  for (const int node : clique) {
    const int begin = graph_->begin[at(node)];
    for (int k = begin; k < begin + clique_count_[at(node)]; ++k) {
      const int other = list_[at(k)];
      if (absorbed_[at(other)]) continue;
      if (measured_[at(other)] != pivot) {
        measured_[at(other)] = pivot;
        outside_[at(other)] = weight_[at(other)];
      }
      outside_[at(other)] -= graph_->sizes[at(node)];
    }
  }
}

/// Replaces what the newest clique covers in the list of one of its members by that clique, and
/// computes the new degree.
void EliminationOrder::update_neighbor(int node, int pivot, int clique_size) {
  remove(node);
  const int begin = graph_->begin[at(node)], own = graph_->sizes[at(node)];
  const int cliques_end = begin + clique_count_[at(node)],
            end = cliques_end + neighbor_count_[at(node)];
  int write = begin, bound = clique_size - own;
  for (int k = begin; k < cliques_end; ++k) {
    const int other = list_[at(k)];
    if (absorbed_[at(other)]) continue;
    if (outside_[at(other)] == 0) {
      absorbed_[at(other)] = 1;  // the newest clique covers all of it
      continue;
    }
    bound += outside_[at(other)];
    list_[at(write++)] = other;
  }
  const int kept_cliques = write - begin;
  int neighbors = 0;
  for (int k = cliques_end; k < end; ++k) {
    const int other = list_[at(k)];
    if (marked_[at(other)] == pivot) continue;
    bound += graph_->sizes[at(other)];
    list_[at(cliques_end + neighbors++)] = other;
  }
  // one clique or neighbor at least was taken out, so that there is room for the new clique
  std::memmove(list_.data() + write + 1, list_.data() + cliques_end, at(neighbors) * sizeof(int));
  list_[at(write)] = pivot;
  clique_count_[at(node)] = kept_cliques + 1;
  neighbor_count_[at(node)] = neighbors;
  degree_[at(node)] = std::min({bound, degree_[at(node)] + clique_size - own, rows_left_ - own});
  insert(node);
}

void EliminationOrder::find(const NodeGraph& graph) {
  start(graph);
  const std::size_t count = graph.sizes.size();
  for (std::size_t step = 0; step < count; ++step) {
    check_interrupt();
    const int pivot = take_least();
    order_.push_back(pivot);
    position_[at(pivot)] = static_cast<int>(step);
    rows_left_ -= graph.sizes[at(pivot)];
    gather_clique(pivot);
    const std::span<const int> clique = remaining(step);
    measure_cliques(clique);
    for (const int node : clique) update_neighbor(node, pivot, weight_[at(pivot)]);
  }
}

}  // namespace tactum
