// SPDX-License-Identifier: BSD-2-Clause
// QR factorization with column pivoting, A P = Q [R11 R12; 0 0], that can be interrupted, and the
// least-squares solution of least norm that follows from it.
//
// Source     Quintana-Orti, Sun, Bischof 1998: columns of a panel are factorized one by one, the
//            matrix to their right is updated by one product for the whole panel. Norms of the
//            columns are updated, and computed afresh where cancellation has spoiled them.
// Rank       the factorization ends at the first pivot below `tolerance` times the first one.
// Null space N = P [-R11^-1 R12; I] spans the null space of A. The solution of least norm is any
//            solution minus its part along N, by a Cholesky factor of N^T N, which is at least I.
#pragma once

#include <Eigen/Core>

namespace tactum {

class RankRevealingQr {
 public:
  /// Replaces what was factorized before. `matrix` may have any shape, with finite entries.
  void factorize(Eigen::MatrixXd matrix, double tolerance);

  Eigen::Index rank() const { return rank_; }

  /// |x - A A^+ x|: distance of a vector from the range of A.
  double distance_from_range(Eigen::VectorXd x) const;

  /// Makes solve() and solve_transposed() possible.
  void prepare_solve();
  /// A^+ b for every column of b.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;
  /// (A^+)^T c.
  Eigen::VectorXd solve_transposed(const Eigen::VectorXd& c) const;

 private:
  struct Norms {
    Eigen::VectorXd now;    ///< of the rows that are left
    Eigen::VectorXd exact;  ///< when it was computed last
  };
  Eigen::Index factorize_panel(Eigen::Index begin, double least, Norms& norms);
  void choose_pivot(Eigen::Index begin, Eigen::Index column, Norms& norms);
  bool update_norms(Eigen::Index column, Norms& norms) const;
  void refresh_norms(Eigen::Index column, Norms& norms) const;
  template <class Columns>
  void remove_null_space(Columns&& x) const;

  Eigen::MatrixXd qr_;       ///< R on and above the diagonal, reflectors of Q below it
  Eigen::VectorXd scales_;   ///< of the reflectors
  Eigen::MatrixXd pending_;  ///< products of the panel's reflectors with the columns to its right
  Eigen::VectorXi order_;    ///< column of A at each place
  Eigen::MatrixXd null_;     ///< R11^-1 R12
  Eigen::MatrixXd null_factor_;  ///< Cholesky factor of I + null_^T null_
  Eigen::Index rank_ = 0;
};

}  // namespace tactum
