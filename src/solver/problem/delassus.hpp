// SPDX-License-Identifier: BSD-2-Clause
// Linear algebra with G + R, for G as a matrix and for G = W^T W that is never formed.
#pragma once

#include <Eigen/Cholesky>
#include <array>
#include <vector>

#include "math/double3.hpp"
#include "solver/problem/problem_data.hpp"

namespace tactum {

using BlockMatrix = std::array<double, 9>;  ///< 3 x 3 symmetric; one entry for blocks of one row

/// G + R on the rows of a block.
BlockMatrix diagonal_block(const DelassusView& delassus, const ContactBlock& block);

/// The same of all blocks.
void set_diagonal_blocks(const ProblemView& problem, std::vector<BlockMatrix>& diagonal);

/// Mean of the diagonal of a block: what one unit of force does to its own velocity.
double block_scale(const BlockMatrix& matrix, const ContactBlock& block);

/// Largest eigenvalue of the upper left part of a block of that size, 2 or 3.
double largest_eigenvalue(const BlockMatrix& matrix, int size);

/// out = (G + R) x.
void delassus_product(const DelassusView& delassus, const Eigen::VectorXd& x,
                      Eigen::VectorXd& scratch, Eigen::VectorXd& out);

/// The velocity (G + R) f + g while forces change block by block: a change costs what the block
/// touches. The problem has its columns.
class VelocityTracker {
 public:
  void start(const ProblemView& problem, const Eigen::VectorXd& force);
  Double3 block_velocity(std::size_t block, const Eigen::VectorXd& force) const;
  void add(std::size_t block, Double3 change);
  /// Of all rows, after a sweep.
  const Eigen::VectorXd& velocity(const Eigen::VectorXd& force);

 private:
  const ProblemView* problem_ = nullptr;
  Eigen::VectorXd velocity_;
  Eigen::VectorXd moving_;  ///< W f, or (G + R) f + g, in the order of nodes
};

/// (G + R + diag(shift))^-1 on the rows of the mask: by sparse Cholesky, or through a matrix of the
/// size of W (Woodbury). Positive shifts.
class ShiftedInverse {
 public:
  /// False when the matrix is not positive definite to rounding.
  bool factorize(const DelassusView& delassus, const Eigen::VectorXd& shift);
  /// In place; 0 in the other rows.
  void solve(const DelassusView& delassus, Eigen::VectorXd& x);

 private:
  Eigen::VectorXd inverse_diagonal_;  ///< 1 / (R + shift), 0 in the other rows
  Eigen::VectorXd motion_, scratch_, rows_;
  std::vector<double> values_;             ///< of the factor
  std::vector<double> addition_, chosen_;  ///< nine numbers for each block; `chosen_` is the mask
                                           ///< on its diagonal
};

}  // namespace tactum
