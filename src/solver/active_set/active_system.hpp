// SPDX-License-Identifier: BSD-2-Clause
// The equations of all blocks in their present modes, linearized: what Newton's polish and the
// derivative of the solution solve.
//
//     (F_f + F_s (G + R)) df = right, on the rows whose force is not fixed by its own equation
//     alone (breaking, at a bound).
//
// Regular    LU with partial pivoting, of the matrix scaled to unit diagonal blocks.
// Singular   rank-revealing QR: the solution of least norm. That is the case of
//            hyperstatic problems.
// Large      from J and a factor of M: the same answers without the zeros of W
//            (sparse_pseudo_inverse.hpp).
#pragma once

#include "solver/linear/dense_lu.hpp"
#include "solver/linear/rank_revealing_qr.hpp"
#include "solver/linear/sparse_pseudo_inverse.hpp"
#include "solver/problem/contact_modes.hpp"

namespace tactum {

class ActiveSystem {
 public:
  /// Blocks on the boundary of two modes: as they lie, or on the side where the equations are those
  /// of a force that is not noise.
  enum class Boundary { as_is, settled };

  /// Modes and equations at this force; factorizes.
  void assemble(const ProblemView& problem, const ResidualRule& rule, const Eigen::VectorXd& force,
                const Eigen::VectorXd& velocity, Boundary boundary = Boundary::as_is);

  bool singular() const { return singular_; }
  const std::vector<BlockMode>& modes() const { return modes_; }
  const std::vector<BlockEquations>& equations() const { return equations_; }

  /// df of all rows from right-hand sides of all rows, one or several: A df = right.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;
  /// A^T w = right.
  Eigen::VectorXd solve_transposed(const Eigen::VectorXd& right) const;

 private:
  void factorize_dense(const DelassusView& delassus, const std::vector<std::size_t>& block_of);
  bool factorize_sparse(const DelassusView& delassus, const std::vector<std::size_t>& block_of);
  void solve_regular(Eigen::MatrixXd& reduced) const;
  Eigen::VectorXd solve_sparse(const Eigen::VectorXd& reduced, int rows, bool transposed) const;

  std::vector<ContactBlock> blocks_;
  std::vector<BlockMode> modes_;
  std::vector<BlockEquations> equations_;
  std::vector<int> active_;       ///< rows of the system
  Eigen::VectorXd row_scale_;     ///< of the active rows, to units of force
  Eigen::VectorXd column_scale_;  ///< of the active rows: the square root of what a force does to
                                  ///< its own row
  DenseLu lu_;
  RankRevealingQr qr_;  ///< of a singular system
  SparsePseudoInverse pseudo_inverse_;
  bool sparse_ = false;
  bool singular_ = false;
};

}  // namespace tactum
