// SPDX-License-Identifier: BSD-2-Clause
// R with a share of the diagonal of G added: what MuJoCo does to every problem, and what makes the
// forces of a hyperstatic one unique.
#pragma once

#include "tactum/contact_problem.hpp"

namespace tactum {

inline Eigen::VectorXd regularized_compliance(const ContactProblem& problem, double share) {
  if (share == 0) return problem.R();
  return problem.R() + share * problem.diagonal_G();
}

}  // namespace tactum
