// SPDX-License-Identifier: BSD-2-Clause
// What holds of every printed algorithm: refusals, the models they solve, rows that the listings do
// not know, finite answers.
#include "solver/as_printed/as_printed.hpp"

#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"

namespace tactum::testing {
namespace {

TEST(AsPrinted, RefusesWhatTheSurveyDoesNotList) {
  const ContactProblem problem = stack_scene({1.0}, 0.5).problem();
  for (const ContactSolver solver : kAllSolvers) {
    if (is_printed(solver))
      EXPECT_NO_THROW(solve(problem, {.solver = solver, .as_printed = true}));
    else
      EXPECT_THROW(solve(problem, {.solver = solver, .as_printed = true}), InvalidInput);
  }
  EXPECT_THROW(solve(problem, {.polish = true, .as_printed = true}), InvalidInput);
}

TEST(AsPrinted, SolvesWhatItCanToTheModelsOfTheOthers) {
  // the motion of a cube that rests or slides is the same in ours and as printed
  for (const Vector3& push : {Vector3(0.01, 0.02, 0), Vector3(0.3, 1.0, 0)}) {
    const ContactProblem problem = stack_scene({1.0}, 0.4, push).problem();
    for (const ContactSolver solver : kAllSolvers) {
      if (!is_printed(solver) || solver == ContactSolver::raisim) continue;
      const SolveOptions options{.solver = solver, .tolerance = 1e-9, .max_iterations = 20000};
      SolveOptions printed = options;
      printed.as_printed = true;
      const ContactSolution a = solve(problem, options), b = solve(problem, printed);
      EXPECT_EQ(b.status, ContactStatus::converged) << to_string(solver);
      EXPECT_LT((a.velocity - b.velocity).cwiseAbs().maxCoeff(), 1e-5) << to_string(solver);
    }
  }
}

TEST(AsPrinted, RowsOfEveryKind) {
  ContactTerms terms{.g = Eigen::VectorXd(5)};
  terms.g << 3, 3, -3, 3, -30;
  terms.kinds = {ContactKind::bilateral, ContactKind::limit, ContactKind::frictionless,
                 ContactKind::box, ContactKind::box};
  terms.bounds.resize(2, 2);
  terms.bounds << -1, 1, -1, std::numeric_limits<double>::infinity();
  const ContactProblem problem(2 * Eigen::MatrixXd::Identity(5, 5), terms);
  Eigen::VectorXd expected(5);
  expected << -1.5, 0, 1.5, -1, 15;
  for (const ContactSolver solver : kAllSolvers) {
    if (!is_printed(solver)) continue;
    const ContactSolution solution = solve(
        problem, {.solver = solver, .tolerance = 1e-10, .as_printed = true});
    EXPECT_LT((solution.force - expected).norm(), 1e-8) << to_string(solver);
  }
}

TEST(AsPrinted, EndsWithFiniteNumbersOnAnyProblem) {
  Random random(11);
  for (int i = 0; i < 150; ++i) {
    const ContactProblem problem = hostile_problem(random);
    for (const ContactSolver solver : kAllSolvers) {
      if (!is_printed(solver)) continue;
      EXPECT_TRUE(
          all_finite(solve(problem, {.solver = solver, .max_iterations = 30, .as_printed = true})))
          << to_string(solver);
    }
  }
}

}  // namespace
}  // namespace tactum::testing
