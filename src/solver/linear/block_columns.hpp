// SPDX-License-Identifier: BSD-2-Clause
// G or W without its zeros. It knows the nodes that every block of contact rows touches, and the
// pattern of the systems that solvers make.
//
// Nodes      A node is a group of rows of W (the motions of a body or of a robot), or of rows of G
//            with the same neighbors (the contacts of a pair of bodies). A small matrix is one
//            node. Positions count rows in the order of nodes.
// Entry      An entry is the part of the matrix in the rows of a node and the columns of a block,
//            column by column.
// Systems    For an operator they are I + sum of W_c S_c W_c^T over blocks c; for a matrix they are
//            G with its blocks scaled. Both have the pattern of nodes.
// Memory     The numbers of W stay where the caller has them. Everything else is kept here, in
//            memory that the next build uses again.
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
  struct Entry {
    int node;
    std::size_t offset;  ///< place of its first number
  };
  /// Memory of a build, which the next one uses again.
  struct Scratch {
    NodeGraph graph;
    std::vector<int> pairs, seen;
    PatternScratch pattern;
  };

  BlockColumns() = default;
  BlockColumns(BlockColumns&&) = default;  // a copy would refer to the numbers of the original
  BlockColumns& operator=(BlockColumns&&) = default;

  /// Build W, or G = W^T W: start() first, then all nodes, then all blocks, then one of the two
  /// ends with the numbers of W. A block has at most one entry for each node.
  void start();
  void add_node(int motions) { node_begin_.push_back(node_begin_.back() + motions); }
  void add_block(const ContactBlock& block, std::span<const Entry> entries);
  /// Ends with W. The numbers must outlive this object.
  void finish_operator(const double* numbers, Scratch& scratch);
  /// Ends with G as a dense matrix of one node.
  void finish_matrix(const double* numbers, Scratch& scratch);
  /// Whether G costs a solver less than W: whether its dense product is cheaper than two products
  /// with W and one with a matrix of motions.
  bool matrix_is_cheaper() const;

  /// Builds a symmetric matrix G that is given; reads the whole of it once.
  void build_matrix(const Eigen::MatrixXd& G, std::span<const ContactBlock> blocks);

  bool is_operator() const { return is_operator_; }
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

  /// Diagonal block of G of a block: 3 x 3, or one number for one row.
  std::array<double, 9> diagonal_block(std::size_t block) const {
    return is_operator_ ? gram(block) : stored_block(block);
  }
  /// Sets `out` to one column of G, that of row k of a block. `scratch` has positions() numbers.
  void set_column(std::size_t block, int k, double* scratch, double* out) const;

  /// Make the values of a system I + sum of W_c S_c W_c^T: set_identity() first, then
  /// add_weighted() once for each block, with the symmetric S_c of as many rows as the block.
  void set_identity(std::vector<double>& values) const;
  void add_weighted(std::size_t block, const double* weight, std::vector<double>& values) const;
  /// Makes the values of the system B^T G B + E. `scale` holds B and `addition` holds E: nine
  /// numbers for each block (3 x 3, column by column; a block of one row uses the first). B is the
  /// identity where `scale` is null.
  void set_scaled(const double* scale, const double* addition, std::vector<double>& values) const {
    set_scaled(scale, scale, addition, values);
  }
  /// Sets `values` to the lower half of A^T G B + E, which need not be symmetric; `left` holds A.
  void set_scaled(const double* left, const double* right, const double* addition,
                  std::vector<double>& values) const;

 private:
  int node_size(int node) const {
    return node_begin_[static_cast<std::size_t>(node) + 1] -
           node_begin_[static_cast<std::size_t>(node)];
  }
  std::array<double, 9> gram(std::size_t block) const;
  std::array<double, 9> stored_block(std::size_t block) const;
  void set_matrix_nodes(const std::vector<std::vector<int>>& touching);
  void set_matrix_entries(const Eigen::MatrixXd& G,
                          const std::vector<std::vector<int>>& nodes_of_block);
  void set_graph(Scratch& scratch) const;
  void sort_entries();
  void set_operator_places();
  void set_one_node(int rows, Scratch& scratch);
  void set_matrix_places();

  bool is_operator_ = false;
  std::vector<ContactBlock> blocks_;
  std::vector<int> node_begin_;
  std::vector<std::size_t> entry_begin_;
  std::vector<Entry> entries_;
  const double* numbers_ = nullptr;  ///< numbers of all entries
  CholeskyPattern pattern_;
  // of W only
  std::vector<std::size_t> pair_begin_;             ///< first place of each block in `pair_place_`
  std::vector<CholeskyPattern::Place> pair_place_;  ///< products of two entries of a block
  // of G only
  std::vector<double> own_numbers_;
  std::vector<int> row_at_;                          ///< row at each position
  std::vector<int> block_position_;                  ///< position of the first row of each block
  std::vector<int> block_node_;                      ///< node of each block
  std::vector<int> node_block_begin_, node_blocks_;  ///< blocks of each node
  std::vector<CholeskyPattern::Place> entry_place_;  ///< entries on or below the diagonal
};

}  // namespace tactum
