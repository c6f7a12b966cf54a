// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"

namespace tactum::testing {
namespace {

std::vector<ContactProblem> problems_of_all_sizes(int count) {
  Random random(61);
  std::vector<ContactProblem> problems;
  for (int i = 0; i < count; ++i)
    problems.push_back(random_scene(random, 1 + random.below(4), random.below(9)).problem());
  return problems;
}

TEST(SolveMany, SameBitsAsOneByOneForAnyNumberOfThreads) {
  const std::vector<ContactProblem> problems = problems_of_all_sizes(60);
  BatchWorkspace work;
  for (const ContactSolver solver :
       {ContactSolver::ncp_admm, ContactSolver::ccp_newton, ContactSolver::raisim}) {
    const SolveOptions options{.solver = solver, .max_iterations = 200};
    for (const int threads : {1, 2, 5}) {
      std::vector<ContactSolution> solutions(problems.size());
      EXPECT_TRUE(solve_many(problems, options, {.num_threads = threads}, {}, work, solutions));
      for (std::size_t i = 0; i < problems.size(); ++i) {
        const ContactSolution alone = solve(problems[i], options);
        EXPECT_EQ(solutions[i].force, alone.force);
        EXPECT_EQ(solutions[i].iterations, alone.iterations);
        EXPECT_EQ(solutions[i].residual, alone.residual);
        EXPECT_EQ(solutions[i].status, alone.status);
      }
    }
  }
}

TEST(SolveMany, SaysWhatHasNoSolution) {
  // no force moves the contact that closes; a force on the other one is a solution
  const auto contact = [](double size) {
    return ContactProblem(size * Eigen::MatrixXd::Identity(3, 3),
                          {.g = Eigen::Vector3d(0, 0, -1), .mu = Eigen::VectorXd::Ones(1)});
  };
  const std::vector<ContactProblem> problems = {contact(0.0), contact(1.0), contact(0.0)};
  BatchWorkspace work;
  std::vector<ContactSolution> solutions(problems.size());
  solve_many(problems, {}, {}, {}, work, solutions);
  EXPECT_EQ(solutions[0].status, ContactStatus::infeasible);
  EXPECT_EQ(solutions[1].status, ContactStatus::converged);
  EXPECT_EQ(solutions[2].status, ContactStatus::infeasible);
}

TEST(SolveMany, WarmStartsOneByOne) {
  const std::vector<ContactProblem> problems = problems_of_all_sizes(20);
  BatchWorkspace work;
  std::vector<ContactSolution> cold(problems.size()), warm(problems.size());
  solve_many(problems, {}, {}, {}, work, cold);
  std::vector<const ContactSolution*> starts;
  for (const ContactSolution& solution : cold)
    starts.push_back(starts.size() % 2 == 0 ? &solution : nullptr);
  solve_many(problems, {}, {}, starts, work, warm);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (cold[i].status != ContactStatus::converged) continue;
    EXPECT_EQ(warm[i].iterations, i % 2 == 0 ? 0 : cold[i].iterations);
  }
}

TEST(SolveMany, RefusesBeforeItStarts) {
  const std::vector<ContactProblem> problems = problems_of_all_sizes(3);
  BatchWorkspace work;
  std::vector<ContactSolution> solutions(2);
  EXPECT_THROW(solve_many(problems, {}, {}, {}, work, solutions), InvalidInput);
  solutions.resize(3);
  EXPECT_THROW(solve_many(problems, {.tolerance = -1}, {}, {}, work, solutions), InvalidInput);
  EXPECT_THROW(solve_many(problems, {}, {.num_threads = -1}, {}, work, solutions), InvalidInput);
  EXPECT_EQ(solutions[0].force.size(), 0);
  EXPECT_TRUE(solve_many({}, {}, {}, {}, work, {}));
}

}  // namespace
}  // namespace tactum::testing
