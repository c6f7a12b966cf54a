// SPDX-License-Identifier: BSD-2-Clause
// Cholesky factorization of a symmetric matrix whose rows come in nodes (a body's motions, the
// contacts of a pair of bodies), most pairs of which do not touch.
//
// Order      least degree first, ties by the smaller index; found once for a pattern, with the
//            places of all blocks that fill in.
// Storage    one panel for each column of nodes: its diagonal block and the blocks below it,
//            stacked, column by column. A matrix of one node is a dense matrix.
// Numbers    right-looking: factorize a panel, subtract its products from the panels to its right.
//            No allocation.
#pragma once

#include <span>
#include <vector>

namespace tactum {

class CholeskyPattern {
 public:
  /// Sizes of the nodes, and for each node those that it touches (symmetric; itself may be left
  /// out).
  void analyze(std::span<const int> sizes, std::vector<std::vector<int>> neighbors);

  int rows() const { return rows_; }
  /// Numbers that a factor holds.
  std::size_t value_count() const { return value_count_; }

  /// Where the block of two touching nodes lies: entry (i, j) of the block at offset + j * stride +
  /// i. `row` is the node that is eliminated later, or the same; only lower halves are kept.
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
  /// False when a pivot is not positive.
  bool factorize(std::span<double> values) const;
  /// In place; `x` and `scratch` have rows() numbers, x in the order of the nodes as they were
  /// given.
  void solve(std::span<const double> values, double* x, double* scratch) const;

  // what other factorizations of the same pattern need
  struct Panel {
    int node;            ///< whose column it is
    int size;            ///< its columns
    int height;          ///< its rows
    int begin;           ///< first row of the node, in the order of elimination
    std::size_t offset;  ///< of its values
    int first_below;     ///< of `below_`: one for each block under the diagonal one
    int count_below;
    std::size_t first_target;  ///< of `targets_`: one for each pair of blocks under the diagonal
                               ///< one
  };
  struct Below {
    int position;  ///< of the panel that has this block's rows on its diagonal
    int row;       ///< its first row within the panel
    int size;
  };
  /// In the order of elimination.
  const std::vector<Panel>& panels() const { return panels_; }
  std::span<const Below> below(const Panel& panel) const {
    return {below_.data() + panel.first_below, static_cast<std::size_t>(panel.count_below)};
  }
  /// Where the products of two blocks below the diagonal go: those of the first with itself and all
  /// after it, then of the second...
  const std::size_t* targets(const Panel& panel) const {
    return targets_.data() + panel.first_target;
  }
  /// First row of the panel's node, in the order that was given.
  int given_begin(const Panel& panel) const {
    return given_begin_[static_cast<std::size_t>(panel.node)];
  }

 private:
  std::vector<std::vector<int>> eliminate(std::span<const int> sizes,
                                          std::vector<std::vector<int>>& neighbors);
  void set_panels(std::span<const int> sizes, const std::vector<std::vector<int>>& structure);
  void set_targets();
  void subtract_products(std::span<double> values, const Panel& panel) const;
  template <int Width>
  void eliminate_columns(const Panel& panel, const double* first, int j, double* y) const;
  template <int Width>
  void substitute_columns(const Panel& panel, const double* first, int j, double* y) const;

  int rows_ = 0;
  std::size_t value_count_ = 0;
  std::vector<int> position_;     ///< of each node in the order of elimination
  std::vector<int> given_begin_;  ///< first row of each node, as given
  std::vector<Panel> panels_;     ///< in the order of elimination
  std::vector<Below> below_;
  std::vector<std::size_t> targets_;  ///< where products of two blocks go
};

}  // namespace tactum
