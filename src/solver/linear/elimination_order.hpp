// SPDX-License-Identifier: BSD-2-Clause
// The order in which the nodes of a symmetric matrix are eliminated so that few zeros of it become
// numbers.
//
// Source     Amestoy, Davis, Duff 1996: approximate minimum degree. An eliminated node leaves its
//            neighbors as a clique, which is kept as one list instead of as many pairs. The degree
//            of a node is an upper bound of its true degree, from the parts of its cliques that lie
//            outside the newest one.
// Degree     Each neighbor counts with its rows. Of nodes with equal degree the one that got this
//            degree last goes first, and at the beginning the one with the smallest index.
#pragma once

#include <span>
#include <vector>

namespace tactum {

/// Which nodes touch each other, without any node in its own list. The neighbors of node i are
/// `nodes[begin[i]]` to `nodes[begin[i + 1] - 1]`, in increasing order.
struct NodeGraph {
  std::vector<int> sizes;  ///< rows of each node
  std::vector<int> begin;  ///< one entry more than there are nodes
  std::vector<int> nodes;

  bool operator==(const NodeGraph&) const = default;
};

/// Finds orders. It keeps its memory for the next graph.
class EliminationOrder {
 public:
  void find(const NodeGraph& graph);

  /// Nodes in the order of elimination.
  std::span<const int> order() const { return order_; }
  /// Nodes that the node at one position of the order still touches when it is eliminated, in no
  /// particular order.
  std::span<const int> remaining(std::size_t position) const {
    return std::span(members_).subspan(member_begin_[position],
                                       member_begin_[position + 1] - member_begin_[position]);
  }

 private:
  void start(const NodeGraph& graph);
  void insert(int node);
  void remove(int node);
  int take_least();
  void gather_clique(int pivot);
  void measure_cliques(std::span<const int> clique);
  void update_neighbor(int node, int pivot, int clique_size);

  const NodeGraph* graph_ = nullptr;
  std::vector<int> order_;
  std::vector<std::size_t> member_begin_;  ///< first member of the clique of each position
  std::vector<int> members_;

  // lists of the nodes that are left: first the cliques that hold the node, then its neighbors that
  // no clique covers. A clique is named by the node whose elimination made it.
  std::vector<int> list_, clique_count_, neighbor_count_;
  std::vector<int> position_;   ///< position of an eliminated node, or -1
  std::vector<char> absorbed_;  ///< whether another clique covers the clique of a node
  std::vector<int> weight_;     ///< rows of all members of a clique
  std::vector<int> outside_;    ///< rows of the members outside the newest clique
  std::vector<int> measured_;   ///< the pivot for which `outside_` was set last
  std::vector<int> marked_;     ///< the pivot whose clique holds the node

  std::vector<int> degree_;
  std::vector<int> first_, next_, previous_;  ///< lists of the nodes of each degree
  int least_ = 0;                             ///< no node has a smaller degree
  int rows_left_ = 0;
};

}  // namespace tactum
