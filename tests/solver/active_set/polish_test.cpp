// SPDX-License-Identifier: BSD-2-Clause
#include "solver/active_set/polish.hpp"

#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"
#include "support/repetitions.hpp"

namespace tactum::testing {
namespace {

TEST(Polish, TakesEverySolverToRounding) {
  Random random(51);
  for (int i = 0; i < repetitions(20); ++i) {
    const ContactProblem problem =
        random_scene(random, 3, 7).problem(Eigen::VectorXd::Constant(21, 1e-3));
    for (const ContactSolver solver : kAllSolvers) {
      const ContactSolution rough = solve(problem, {.solver = solver, .tolerance = 1e-5});
      const ContactSolution fine = solve(problem,
                                         {.solver = solver, .tolerance = 1e-5, .polish = true});
      if (rough.status != ContactStatus::converged) continue;
      const double rounding = 1e-12 * (1 + fine.force.squaredNorm());
      // some solvers end by Newton steps of their own
      EXPECT_TRUE(fine.polished || rough.residual < rounding) << to_string(solver);
      EXPECT_LT(fine.residual, rounding) << to_string(solver) << " " << rough.residual;
      EXPECT_EQ(fine.modes, rough.modes) << to_string(solver);
    }
  }
}

TEST(Polish, NeverMakesItWorse) {
  Random random(52);
  for (int i = 0; i < repetitions(200); ++i) {
    const ContactProblem problem = random_scene(random, 2, 6).problem();
    const SolveOptions rough{
        .solver = kAllSolvers[i % 10], .tolerance = 1e-6, .max_iterations = 1 + random.below(5)};
    SolveOptions fine = rough;
    fine.polish = true;
    EXPECT_LE(solve(problem, fine).residual, solve(problem, rough).residual);
  }
}

}  // namespace
}  // namespace tactum::testing
