// SPDX-License-Identifier: BSD-2-Clause
// The path of proximal Newton steps ends at the solution that another solver finds, or when its
// caller says so.
#include "solver/method/proximal_path.hpp"

#include <gtest/gtest.h>

#include "solver/whole_problem.hpp"
#include "support/contact_scenes.hpp"

namespace tactum::proximal_path_test {
namespace {

using namespace tactum::testing;

constexpr ProximalPath kPath{.first_weight = 1e-2, .least_weight = 1e-8, .patience = 6};

TEST(ProximalPath, EndsAtTheSolution) {
  Random random(62);
  for (int trial = 0; trial < 10; ++trial) {
    const ContactScene scene = random_scene(random, 5, 5);
    const ContactProblem problem = scene.problem();
    const ContactIsland whole = whole_island(problem);
    const ProblemView view = view_of(whole, problem.R());
    const Eigen::VectorXd weight = Eigen::VectorXd::Ones(view.rows()), g = problem.g();
    Eigen::VectorXd center = Eigen::VectorXd::Zero(view.rows()), last;
    ProximalNewton newton;
    const auto evaluate = [&](const Eigen::VectorXd& force, double) {
      last = force;
      const double residual = contact_residual(problem, force, ContactModel::ccp).worst();
      return PathEvaluation{residual <= 1e-10, residual};
    };
    const auto linear = [&]() -> const Eigen::VectorXd& { return g; };
    EXPECT_TRUE(follow_path(kPath, view, weight, newton, center, evaluate, linear)) << trial;
    const Eigen::VectorXd wanted = solve(problem, {.solver = ContactSolver::ccp_pgs,
                                                   .tolerance = 1e-12,
                                                   .max_iterations = 100000})
                                       .velocity;
    EXPECT_LT((problem.velocity(last) - wanted).norm(), 1e-4 * (1 + wanted.norm())) << trial;
  }
}

TEST(ProximalPath, GivesUpWithoutProgress) {
  const ContactProblem problem = stack_scene({1}, 0.5).problem();
  const ContactIsland whole = whole_island(problem);
  const ProblemView view = view_of(whole, problem.R());
  const Eigen::VectorXd weight = Eigen::VectorXd::Ones(view.rows()), g = problem.g();
  Eigen::VectorXd center = Eigen::VectorXd::Zero(view.rows());
  ProximalNewton newton;
  int evaluations = 0;
  const auto never = [&](const Eigen::VectorXd&, double) {
    ++evaluations;
    return PathEvaluation{false, 1.0};
  };
  const auto linear = [&]() -> const Eigen::VectorXd& { return g; };
  EXPECT_FALSE(follow_path(kPath, view, weight, newton, center, never, linear));
  EXPECT_LT(evaluations, 1000);
}

}  // namespace
}  // namespace tactum::proximal_path_test
