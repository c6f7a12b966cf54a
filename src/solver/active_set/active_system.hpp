// SPDX-License-Identifier: BSD-2-Clause
// The linearized equations of all blocks in their present modes, which Newton's polish and the
// derivative of the solution solve:
//
//     (F_f + F_s (G + R)) df = right
//
// on the rows whose force is not fixed by its own equation alone (breaking, or at a bound).
//
// Regular    LU with partial pivoting factorizes the matrix, scaled to unit diagonal blocks.
// Singular   Rank-revealing QR gives the solution of least norm, which hyperstatic problems need.
// Large      For a problem made from J and a factor of M, sparse_pseudo_inverse.hpp gives these
//            answers without the zeros of W.
#pragma once

#include "solver/linear/dense_lu.hpp"
#include "solver/linear/rank_revealing_qr.hpp"
#include "solver/linear/sparse_pseudo_inverse.hpp"
#include "solver/problem/contact_modes.hpp"

namespace tactum {

class ActiveSystem {
 public:
  /// How blocks on the boundary of two modes are treated: `as_is` takes the mode that the numbers
  /// say; `settled` takes the side where the equations do not depend on rounding.
  enum class Boundary { as_is, settled };

  /// Determines modes and equations at a force, and factorizes them.
  void assemble(const ProblemView& problem, const ResidualRule& rule, const Eigen::VectorXd& force,
                const Eigen::VectorXd& velocity, Boundary boundary = Boundary::as_is);

  bool singular() const { return singular_; }
  const std::vector<BlockMode>& modes() const { return modes_; }
  const std::vector<BlockEquations>& equations() const { return equations_; }

  /// Solves A df = right for one or several right-hand sides of all rows.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;
  /// Solves A^T w = right.
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
  Eigen::VectorXd row_scale_;     ///< factors of the active rows to units of force
  Eigen::VectorXd column_scale_;  ///< square root of the velocity that a unit force of an active
                                  ///< row makes in this row
  DenseLu lu_;
  RankRevealingQr qr_;  ///< factor of a singular system
  SparsePseudoInverse pseudo_inverse_;
  bool sparse_ = false;
  bool singular_ = false;
};

}  // namespace tactum
