// SPDX-License-Identifier: BSD-2-Clause
// Linear algebra with G + R, for a G that is given as a matrix and for a G = W^T W that is never
// formed.
#pragma once

#include <Eigen/Cholesky>
#include <array>
#include <vector>

#include "math/double3.hpp"
#include "solver/problem/problem_data.hpp"

namespace tactum {

using BlockMatrix = std::array<double, 9>;  ///< 3 x 3, symmetric; blocks of one row use the first
                                            ///< entry

/// Sets `diagonal` to the diagonal block of G + R of every block of a problem.
void set_diagonal_blocks(const ProblemView& problem, std::vector<BlockMatrix>& diagonal);

/// Mean of the diagonal of a block: the velocity that one unit of its force makes in its own rows.
double block_scale(const BlockMatrix& matrix, const ContactBlock& block);

/// Largest eigenvalue of the upper left `size` rows and columns of a block; `size` is 2 or 3.
double largest_eigenvalue(const BlockMatrix& matrix, int size);

/// out = (G + R) x. `out` is not `x`.
void delassus_product(const DelassusView& delassus, const Eigen::VectorXd& x,
                      Eigen::VectorXd& scratch, Eigen::VectorXd& out);

/// velocity = (G + R) force + g, computed afresh. `velocity` is not `force`.
void set_contact_velocity(const ProblemView& problem, const Eigen::VectorXd& force,
                          Eigen::VectorXd& scratch, Eigen::VectorXd& velocity);

/// Keeps the velocity (G + R) f + g up to date while forces change block by block. A change costs
/// as much as the block has entries in G or W.
class VelocityTracker {
 public:
  /// Computes the velocity of a force afresh. Keeps a reference to the problem.
  void start(const ProblemView& problem, const Eigen::VectorXd& force);
  /// Velocity of one block.
  Double3 block_velocity(std::size_t block, const Eigen::VectorXd& force) const;
  /// Adds what a change of the force of one block does to all velocities.
  void add(std::size_t block, Double3 change);
  /// Velocities of all rows; `force` is the sum of the start and of all changes.
  const Eigen::VectorXd& velocity(const Eigen::VectorXd& force);

 private:
  const ProblemView* problem_ = nullptr;
  Eigen::VectorXd velocity_;
  Eigen::VectorXd moving_;  ///< W f, or (G + R) f + g, in the order of nodes
};

/// (G + R + diag(shift))^-1 on the rows of the mask, by sparse Cholesky factorization of the matrix
/// itself, or, for an operator, of a matrix with as many rows as W (Woodbury's formula).
class ShiftedInverse {
 public:
  /// Shifts are positive. Returns false when the matrix is not positive definite to rounding.
  bool factorize(const DelassusView& delassus, const Eigen::VectorXd& shift);
  /// Replaces x by the solution, which is 0 in the rows outside the mask.
  void solve(const DelassusView& delassus, Eigen::VectorXd& x);

 private:
  Eigen::VectorXd inverse_diagonal_;  ///< 1 / (R + shift); 0 in the rows outside the mask
  Eigen::VectorXd motion_, scratch_, rows_;
  std::vector<double> values_;    ///< values of the factor
  std::vector<double> addition_;  ///< nine numbers for each block: what is added to G
  std::vector<double> chosen_;    ///< nine numbers for each block: the mask on its diagonal
};

}  // namespace tactum
