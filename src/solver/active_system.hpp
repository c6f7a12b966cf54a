// SPDX-License-Identifier: BSD-2-Clause
// The equations of all blocks in their present modes, linearised: what Newton's polish and the derivative of the solution solve.
//
//     (F_f + F_s (G + R)) df = right, on the rows whose force is not fixed by its own equation alone (breaking, at a bound).
//
// Regular    LU with partial pivoting, of the matrix scaled to unit diagonal blocks.
// Singular   complete orthogonal decomposition: the solution of least norm. That is the case of hyperstatic problems.
#pragma once

#include <Eigen/LU>
#include <Eigen/QR>

#include "solver/contact_modes.hpp"

namespace tactum {

class ActiveSystem {
 public:
  /// Modes and equations at this force; factorises.
  void assemble(const ProblemView& problem, const ResidualRule& rule, const Eigen::VectorXd& force,
                const Eigen::VectorXd& velocity);

  bool singular() const { return singular_; }
  const std::vector<BlockMode>& modes() const { return modes_; }
  const std::vector<BlockEquations>& equations() const { return equations_; }

  /// df of all rows from right-hand sides of all rows, one or several: A df = right.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;
  /// A^T w = right.
  Eigen::VectorXd solve_transposed(const Eigen::VectorXd& right) const;

 private:
  std::vector<ContactBlock> blocks_;
  std::vector<BlockMode> modes_;
  std::vector<BlockEquations> equations_;
  std::vector<int> active_;       ///< rows of the system
  Eigen::VectorXd row_scale_;     ///< of the active rows, to units of force
  Eigen::VectorXd column_scale_;  ///< of the active rows: the square root of what a force does to its own row
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> orthogonal_;
  bool singular_ = false;
};

}  // namespace tactum
