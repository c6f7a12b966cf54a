// SPDX-License-Identifier: BSD-2-Clause
// What the printed loops share: the last iterate is the answer, and a pass is relaxed by eq. 22.
#include "solver/as_printed/printed_loop.hpp"

#include <gtest/gtest.h>

#include "solver/as_printed/as_printed.hpp"
#include "support/contact_scenes.hpp"

namespace tactum::testing {
namespace {

TEST(PrintedLoop, ReturnsTheLastIterate) {
  // the residual of Gauss-Seidel rises and falls on a stack; the history has that of every pass
  const ContactProblem problem = stack_scene({1.0, 30.0}, 0.7, {0.3, 1.0, 0.0}).problem();
  for (const int passes : {1, 2, 5, 17}) {
    for (const ContactSolver solver : kAllSolvers) {
      if (!is_printed(solver)) continue;
      const ContactSolution solution = solve(problem, {.solver = solver,
                                                       .tolerance = 0,
                                                       .max_iterations = passes,
                                                       .as_printed = true,
                                                       .history = true});
      ASSERT_EQ(static_cast<int>(solution.history.size()), passes) << to_string(solver);
      EXPECT_NEAR(solution.residual, solution.history.back(), 1e-12 * (1 + solution.history.back()))
          << to_string(solver);
    }
  }
}

TEST(PrintedLoop, TheFirstPassFromZeroIsScaledByTheRelaxation) {
  const ContactProblem problem = stack_scene({1.0, 2.0}, 0.5).problem();
  for (const ContactSolver solver :
       {ContactSolver::lcp_pgs, ContactSolver::ccp_pgs, ContactSolver::ncp_pgs}) {
    SolveOptions options{.solver = solver, .tolerance = 0, .max_iterations = 1, .as_printed = true};
    const Eigen::VectorXd plain = solve(problem, options).force;
    ASSERT_GT(plain.norm(), 0.0);
    for (const double relaxation : {0.5, 1.5}) {
      options.over_relaxation = relaxation;
      EXPECT_LT((solve(problem, options).force - relaxation * plain).norm(), 1e-14 * plain.norm())
          << to_string(solver);
    }
  }
}

}  // namespace
}  // namespace tactum::testing
