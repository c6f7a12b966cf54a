// SPDX-License-Identifier: BSD-2-Clause
// These tests are about the work of solve() after its checks: the start, the status, and the warm
// start.
#include "solver/query/solve_checked.hpp"

#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"

namespace tactum::solve_checked_test {
namespace {

using namespace tactum::testing;

TEST(SolveChecked, RefusesToWriteToItsWarmStart) {
  const ContactProblem problem = stack_scene({1}, 0.5).problem();
  ContactWorkspace work;
  ContactSolution solution = solve(problem);
  const Eigen::VectorXd before = solution.force;
  EXPECT_THROW(solve_checked(problem, {.warm_start = &solution}, work, solution), InvalidInput);
  EXPECT_EQ(solution.force, before);
}

TEST(SolveChecked, ResidualDecidesTheStatus) {
  Random random(64);
  const ContactProblem problem = random_scene(random, 4, 8).problem();
  ContactWorkspace work;
  ContactSolution solution;
  for (const ContactSolver solver : kAllSolvers) {
    for (const int iterations : {1, 3, 1000}) {
      for (const double relative : {0.0, 0.5}) {
        const SolveOptions options{
            .solver = solver, .relative_tolerance = relative, .max_iterations = iterations};
        solve_checked(problem, options, work, solution);
        EXPECT_EQ(solution.status == ContactStatus::converged,
                  solution.residual <= options.tolerance);
        if (solution.status == ContactStatus::max_iterations) {
          EXPECT_GE(solution.iterations, iterations);
        }
      }
    }
  }
}

/// A box row whose bounds exclude 0 pushes another row. The start from zero has the velocity that
/// this push makes.
TEST(SolveChecked, StartFromZeroCountsTheForcesOfBoxes) {
  Eigen::MatrixXd G(2, 2);
  G << 2, 1, 1, 2;
  const ContactProblem problem(G, {.g = Eigen::Vector2d(0.0, -10.0),
                                   .kinds = {ContactKind::box, ContactKind::limit},
                                   .bounds = (BoundsMatrix(1, 2) << 10.0, 20.0).finished()});
  // the solution is (10, 0): the push of the box alone lifts the limit to a velocity of 0
  ContactSolution warm;
  warm.force = Eigen::Vector2d(10.0, 0.5);
  ContactWorkspace work;
  ContactSolution solution;
  solve_checked(problem, {.solver = ContactSolver::ncp_pgs, .warm_start = &warm}, work, solution);
  EXPECT_EQ(solution.status, ContactStatus::converged);
  EXPECT_EQ(solution.iterations, 0);  // the start from zero is the solution
  EXPECT_NEAR(solution.force[0], 10.0, 1e-12);
  EXPECT_NEAR(solution.force[1], 0.0, 1e-12);
}

}  // namespace
}  // namespace tactum::solve_checked_test
