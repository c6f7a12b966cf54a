// SPDX-License-Identifier: BSD-2-Clause
// G or W without its zeros: for every block of contact rows the nodes that it touches, and the
// pattern of the systems that solvers make.
//
// Nodes      rows of W that the same blocks use (the motions of a body), or rows of G with the same
//            neighbors (the contacts of a pair of bodies). A small matrix is one node. `position`
//            counts rows in the order of nodes.
// Entry      the part of the matrix in the rows of a node and the columns of a block, column by
//            column.
// Systems    of an operator: I + sum of W_c S_c W_c^T over blocks c. Of a matrix: G with its blocks
//            scaled. Both have the pattern of nodes.
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
  /// Of G (symmetric) or W. Reads the whole matrix once.
  void build(const Eigen::MatrixXd& matrix, std::span<const ContactBlock> blocks, bool is_operator);

  std::span<const ContactBlock> blocks() const { return blocks_; }
  int positions() const { return node_begin_.empty() ? 0 : node_begin_.back(); }
  const CholeskyPattern& pattern() const { return pattern_; }
  /// Of G: where the first row of a block is among the positions.
  int position_of(std::size_t block) const { return block_position_[block]; }
  /// Rows from the order of nodes to that of the matrix, and back. Of G.
  void to_rows(const double* at_positions, double* at_rows) const;
  void to_positions(const double* at_rows, double* at_positions) const;

  /// out (in the order of nodes) = matrix x.
  void multiply(const double* x, double* out) const;
  /// out = matrix^T y, y in the order of nodes.
  void multiply_transposed(const double* y, double* out) const;
  /// y += the columns of one block times a change of its force.
  void add(std::size_t block, const double* change, double* y) const;
  /// The columns of one block, each times y.
  void dot(std::size_t block, const double* y, double* out) const;

  /// Of W: the block's columns times themselves, 3 x 3 (one number where it has one row).
  std::array<double, 9> gram(std::size_t block) const;

  /// Values of a system that is I + sum of W_c S_c W_c^T: identity, then one call for each block
  /// with S_c (rows x rows, symmetric).
  void set_identity(std::vector<double>& values) const;
  void add_weighted(std::size_t block, const double* weight, std::vector<double>& values) const;
  /// Of G: values of the system B^T G B + E, B and E of nine numbers for each block (3 x 3, column
  /// by column; the first where it has one row). B = I where `scale` is null.
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
  std::vector<int> block_node_;                ///< of G: the node of each block
  std::vector<std::vector<int>> node_blocks_;  ///< of G: the blocks of each node
  std::vector<std::size_t> entry_begin_;
  std::vector<Entry> entries_;
  std::vector<double> values_;
  CholeskyPattern pattern_;
  std::vector<std::size_t> pair_begin_;  ///< of W: places of the products of two entries of a block
  std::vector<CholeskyPattern::Place> pair_place_;
  std::vector<CholeskyPattern::Place> entry_place_;  ///< of G: place of an entry that lies on or
                                                     ///< below the diagonal
};

}  // namespace tactum
