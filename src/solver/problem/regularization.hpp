// SPDX-License-Identifier: BSD-2-Clause
// The compliance that a solver works with: R plus a share of the diagonal of G. MuJoCo adds it to
// every problem; it makes the forces of a hyperstatic problem unique.
#pragma once

#include "solver/problem/problem_data.hpp"

namespace tactum {

/// R becomes the compliance of the problem plus `share` times the diagonal of G. Allocates nothing
/// where R has its size already.
inline void set_regularized_compliance(const ContactProblem& problem, double share,
                                       Eigen::VectorXd& R) {
  R = problem.R();
  if (share == 0) return;
  const Eigen::MatrixXd& matrix = problem.data().matrix;
  for (Eigen::Index i = 0; i < R.size(); ++i)
    R[i] += share * (problem.is_operator() ? matrix.col(i).squaredNorm() : matrix(i, i));
}

/// Returns that compliance.
inline Eigen::VectorXd regularized_compliance(const ContactProblem& problem, double share) {
  Eigen::VectorXd R;
  set_regularized_compliance(problem, share, R);
  return R;
}

}  // namespace tactum
