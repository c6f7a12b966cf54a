// SPDX-License-Identifier: BSD-2-Clause
// G or W without its zeros. It knows the nodes that every block of contact rows touches, and the
// pattern of the systems that solvers make.
//
// Nodes      A node is a group of rows of W that the same blocks use (the motions of a body), or of
//            rows of G with the same neighbors (the contacts of a pair of bodies). A small matrix
//            is one node. Positions count rows in the order of nodes.
// Entry      An entry is the part of the matrix in the rows of a node and the columns of a block,
//            column by column.
// Systems    For an operator they are I + sum of W_c S_c W_c^T over blocks c; for a matrix they are
//            G with its blocks scaled. Both have the pattern of nodes.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "solver/linear/block_cholesky.hpp"
#include "tactum/contact_problem.hpp"

namespace tactum {

class BlockColumns {
 public:
  /// Reads the whole of G (symmetric) or W once.
  void build(const Eigen::MatrixXd& matrix, std::span<const ContactBlock> blocks, bool is_operator);

  std::span<const ContactBlock> blocks() const { return blocks_; }
  int positions() const { return node_begin_.empty() ? 0 : node_begin_.back(); }
  const CholeskyPattern& pattern() const { return pattern_; }
  /// Position of the first row of a block of G.
  int position_of(std::size_t block) const { return block_position_[block]; }
  /// Copy a vector over the rows of G from the order of nodes to that of the matrix, and back.
  void to_rows(const double* at_positions, double* at_rows) const;
  void to_positions(const double* at_rows, double* at_positions) const;

  /// out = matrix x; `out` is in the order of nodes.
  void multiply(const double* x, double* out) const;
  /// out = matrix^T y; `y` is in the order of nodes.
  void multiply_transposed(const double* y, double* out) const;
  /// Adds the columns of one block times a change of its force to y.
  void add(std::size_t block, const double* change, double* y) const;
  /// Products of the columns of one block with y.
  void dot(std::size_t block, const double* y, double* out) const;

  /// Products of the columns of a block of W with each other: 3 x 3, or one number for one row.
  std::array<double, 9> gram(std::size_t block) const;

  /// Make the values of a system I + sum of W_c S_c W_c^T: set_identity() first, then
  /// add_weighted() once for each block, with the symmetric S_c of as many rows as the block.
  void set_identity(std::vector<double>& values) const;
  void add_weighted(std::size_t block, const double* weight, std::vector<double>& values) const;
  /// Makes the values of the system B^T G B + E. `scale` holds B and `addition` holds E: nine
  /// numbers for each block (3 x 3, column by column; a block of one row uses the first). B is the
  /// identity where `scale` is null.
  void set_scaled(const double* scale, const double* addition, std::vector<double>& values) const;

 private:
  struct Entry {
    int node;
    std::size_t offset;
  };
  int node_size(int node) const {
    return node_begin_[static_cast<std::size_t>(node) + 1] -
           node_begin_[static_cast<std::size_t>(node)];
  }
  void set_nodes(const std::vector<std::vector<int>>& touching, bool is_operator);
  void set_entries(const Eigen::MatrixXd& matrix, std::vector<std::vector<int>> nodes_of_block);
  void set_places(bool is_operator);

  std::vector<ContactBlock> blocks_;
  std::vector<int> node_begin_;
  std::vector<int> row_at_;
  std::vector<int> block_position_;
  std::vector<int> block_node_;                ///< node of each block of G
  std::vector<std::vector<int>> node_blocks_;  ///< blocks of each node of G
  std::vector<std::size_t> entry_begin_;
  std::vector<Entry> entries_;
  std::vector<double> values_;
  CholeskyPattern pattern_;
  std::vector<std::size_t> pair_begin_;  ///< for W: first place of each block in `pair_place_`
  std::vector<CholeskyPattern::Place> pair_place_;   ///< products of two entries of a block of W
  std::vector<CholeskyPattern::Place> entry_place_;  ///< entries of G on or below the diagonal
};

}  // namespace tactum
