// SPDX-License-Identifier: BSD-2-Clause
// Islands are groups of blocks that no entry of G, or no body of W, connects. They are numbered by
// their first block.
#pragma once

#include <vector>

#include "solver/problem/problem_data.hpp"

namespace tactum {

/// Groups of numbers that were united. It keeps its memory.
class UnionFind {
 public:
  /// Begins with `count` groups of one number each.
  void start(std::size_t count);
  /// The smallest number of the group of a number.
  int root(int i);
  void unite(int a, int b);

 private:
  std::vector<int> parent_;
};

/// Memory of set_operator_islands(), which the next call uses again.
struct IslandScratch {
  std::vector<int> island_of_body, node_of_body;
  std::vector<BlockColumns::Entry> entries;
  BlockColumns::Scratch columns;
};

/// Sets the islands of an operator whose blocks, entries and numbers are set. `bodies` has united
/// the bodies of every block.
void set_operator_islands(ContactProblem::Data& data, UnionFind& bodies, IslandScratch& scratch);

/// Sets the islands of a problem whose G and blocks are set.
void set_matrix_islands(ContactProblem::Data& data);

}  // namespace tactum
