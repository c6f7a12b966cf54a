// SPDX-License-Identifier: BSD-2-Clause
// LU factorization with partial pivoting of a dense square matrix that can be interrupted.
//
// Panels     right-looking: a panel of columns is factorized, then the columns to its right are
//            updated. Panels are narrow enough for a question about interrupts in between.
// Condition  the estimate of Hager (1984) and Higham (1988) for the 1-norm of the inverse: a lower
//            bound that is rarely off by more than a factor of three.
#pragma once

#include <Eigen/Core>

namespace tactum {

class DenseLu {
 public:
  /// Always ends, also for a singular matrix: pivots of zero are kept, and solve() divides by them.
  void factorize(Eigen::MatrixXd matrix);

  /// U on and above the diagonal, L without its unit diagonal below it.
  const Eigen::MatrixXd& factors() const { return lu_; }

  /// Estimate of 1 / (|A|_1 |A^-1|_1): 0 for a matrix that has a pivot of zero.
  double reciprocal_condition() const;

  /// Replaces the columns of `x` by A^-1 x.
  void solve_in_place(Eigen::MatrixXd& x) const;
  /// Replaces `x` by A^-T x.
  void solve_transposed_in_place(Eigen::VectorXd& x) const;

 private:
  void solve_vector(Eigen::VectorXd& x) const;
  void factorize_panel(Eigen::Index begin, Eigen::Index size);

  Eigen::MatrixXd lu_;
  Eigen::VectorXi swapped_;  ///< the row that each row was swapped with, in order
  double norm_ = 0;          ///< |A|_1
};

}  // namespace tactum
