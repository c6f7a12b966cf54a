// SPDX-License-Identifier: BSD-2-Clause
// The compliance that a solver works with: R plus a share of the diagonal of G. MuJoCo adds it to
// every problem; it makes the forces of a hyperstatic problem unique.
#pragma once

#include "solver/problem/problem_data.hpp"

namespace tactum {

/// Adds `share` times the diagonal of G to a vector over all rows.
inline void add_diagonal(const ContactProblem::Data& data, double share, Eigen::VectorXd& vector) {
  for (const ContactIsland& island : data.islands()) {
    for (std::size_t c = 0; c < island.blocks.size(); ++c) {
      const ContactBlock& block = island.columns.blocks()[c];
      const auto diagonal = island.columns.diagonal_block(c);
      for (int k = 0; k < row_count(block.kind); ++k)
        vector[island.rows[static_cast<std::size_t>(block.row + k)]] +=
            share * diagonal[static_cast<std::size_t>(4 * k)];
    }
  }
}

/// R becomes the compliance of the problem plus `share` times the diagonal of G. Allocates nothing
/// where R has its size already.
inline void set_regularized_compliance(const ContactProblem& problem, double share,
                                       Eigen::VectorXd& R) {
  R = problem.R();
  if (share != 0) add_diagonal(problem.data(), share, R);
}

/// Returns that compliance.
inline Eigen::VectorXd regularized_compliance(const ContactProblem& problem, double share) {
  Eigen::VectorXd R;
  set_regularized_compliance(problem, share, R);
  return R;
}

}  // namespace tactum
