// SPDX-License-Identifier: BSD-2-Clause
// Cholesky factorization of a symmetric matrix whose rows come in nodes (the motions of a body, the
// contacts of a pair of bodies), most pairs of which do not touch.
//
// Order      elimination_order.hpp finds it. The order and the places of all blocks that fill in
//            are found once for a pattern, and kept while the pattern does not change.
// Storage    There is one panel for each column of nodes. It holds the diagonal block and the
//            blocks below it, stacked, column by column. A matrix of one node is a dense matrix.
// Numbers    The factorization is right-looking: it factorizes a panel, then subtracts its products
//            from the panels to its right. It does not allocate.
#pragma once

#include <span>
#include <vector>

#include "solver/linear/elimination_order.hpp"

namespace tactum {

/// Memory of an analysis, which the next one uses again.
struct PatternScratch {
  EliminationOrder elimination;
  std::vector<int> row_begin, row_panels;  ///< panels that hold each row of nodes
};

class CholeskyPattern {
 public:
  /// Finds the order and the places. Does nothing where the graph is the one of the last call.
  void analyze(const NodeGraph& graph, PatternScratch& scratch);

  int rows() const { return rows_; }
  /// How many numbers a factor holds.
  std::size_t value_count() const { return value_count_; }

  /// Where the block of two touching nodes lies: entry (i, j) of the block is at offset + j *
  /// stride
  /// + i. `row` is the node that is eliminated later, or equals `column`; only lower halves are
  /// kept.
  struct Place {
    std::size_t offset;
    int stride;
  };
  Place place(int row, int column) const;
  /// Whether `a` is eliminated after `b`.
  bool is_below(int a, int b) const {
    return position_[static_cast<std::size_t>(a)] > position_[static_cast<std::size_t>(b)];
  }

  /// Replaces the lower half of a matrix by its factor, whose diagonal is kept as reciprocals.
  /// Returns false when a pivot is not positive.
  bool factorize(std::span<double> values) const;
  /// Replaces `x` by the solution. `x` and `scratch` have rows() numbers; x is in the order of the
  /// nodes as they were given.
  void solve(std::span<const double> values, double* x, double* scratch) const;

  // other factorizations of the same pattern need the panels
  struct Panel {
    int node;            ///< node of its columns
    int size;            ///< number of columns
    int height;          ///< number of rows
    int begin;           ///< first row of the node, in the order of elimination
    std::size_t offset;  ///< first of its values
    int first_below;  ///< first entry of `below_`, which has one for each block under the diagonal
    int count_below;
    std::size_t first_target;  ///< first entry of `targets_`, which has one for each pair of blocks
                               ///< under the diagonal
  };
  struct Below {
    int position;  ///< position of the panel that has the rows of this block on its diagonal
    int row;       ///< first row of the block within its panel
    int size;      ///< number of rows
  };
  /// Panels in the order of elimination.
  const std::vector<Panel>& panels() const { return panels_; }
  std::span<const Below> below(const Panel& panel) const {
    return {below_.data() + panel.first_below, static_cast<std::size_t>(panel.count_below)};
  }
  /// Where the products of two blocks below the diagonal go: first those of the first block with
  /// itself and with all blocks after it, then those of the second block, and so on.
  const std::size_t* targets(const Panel& panel) const {
    return targets_.data() + panel.first_target;
  }
  /// First row of the panel's node, in the order that was given.
  int given_begin(const Panel& panel) const {
    return given_begin_[static_cast<std::size_t>(panel.node)];
  }

 private:
  void set_panels(PatternScratch& scratch);
  void sort_below(PatternScratch& scratch);
  void set_targets();
  void use_one_panel();
  void subtract_products(std::span<double> values, const Panel& panel) const;
  template <int Width>
  void eliminate_columns(const Panel& panel, const double* first, int j, double* y) const;
  template <int Width>
  void substitute_columns(const Panel& panel, const double* first, int j, double* y) const;

  NodeGraph graph_;
  int rows_ = 0;
  std::size_t value_count_ = 0;
  std::vector<int> position_;     ///< position of each node in the order of elimination
  std::vector<int> given_begin_;  ///< first row of each node, as given
  std::vector<Panel> panels_;     ///< panels in the order of elimination
  std::vector<Below> below_;
  std::vector<std::size_t> targets_;  ///< where products of two blocks go
};

}  // namespace tactum
