// SPDX-License-Identifier: BSD-2-Clause
#include "solver/method/active_newton.hpp"

#include <gtest/gtest.h>

#include "solver/method/proximal_admm.hpp"
#include "solver/whole_problem.hpp"
#include "support/contact_scenes.hpp"

namespace tactum::active_newton {
namespace {

using namespace tactum::testing;

struct Outcome {
  bool done;
  int steps;
  Eigen::VectorXd force;
};

/// Runs Newton's method from a force, or finishes that force where `most` is 0.
Outcome run(const ContactProblem& problem, Eigen::VectorXd force, double tolerance, int most) {
  const ContactIsland whole = whole_island(problem);
  const ProblemView view = view_of(whole, problem.R());
  std::vector<BlockMatrix> diagonal;
  set_diagonal_blocks(view, diagonal);
  Eigen::VectorXd weight(problem.rows()), dual = Eigen::VectorXd::Zero(problem.rows());
  set_block_weights(view.blocks, diagonal, weight);
  const SolveOptions options{.tolerance = tolerance, .max_iterations = 1000};
  double exponent = 0;
  SolverProgress progress;
  progress.start(options);
  SolverTask task{view,     diagonal, ResidualRule(ContactModel::ncp, options.polygon, diagonal),
                  options,  force,    dual,
                  exponent, progress};
  ActiveNewton newton;
  if (most == 0) {
    const double residual = contact_residual(problem, force, ContactModel::ncp).worst();
    const bool converged = progress.accept_start(force, residual);
    newton.finish(task, weight);
    return {converged, progress.iterations(), progress.best()};
  }
  const bool done = newton.run(task, weight, force, most);
  return {done, progress.iterations(), progress.best()};
}

TEST(ActiveNewton, OneContactSticksSlidesAndBreaks) {
  // G = I: a force changes the velocity of its own direction alone
  const auto solved = [](const Eigen::Vector3d& g, double mu) {
    const ContactProblem problem(Eigen::Matrix3d::Identity(),
                                 {.g = g, .mu = Eigen::VectorXd::Constant(1, mu)});
    const Outcome outcome = run(problem, Eigen::Vector3d::Zero(), 1e-12, 20);
    EXPECT_TRUE(outcome.done);
    return Eigen::Vector3d(outcome.force);
  };
  // at rest: the force takes back the whole velocity
  EXPECT_LT((solved({0.3, -0.2, -1.0}, 0.5) - Eigen::Vector3d(-0.3, 0.2, 1.0)).norm(), 1e-11);
  // sliding: the normal force takes back the normal velocity, friction pulls by mu against g_T
  EXPECT_LT((solved({3.0, -4.0, -1.0}, 0.5) - Eigen::Vector3d(-0.3, 0.4, 1.0)).norm(), 1e-11);
}

TEST(ActiveNewton, FinishTurnsASlidingForceThatTheResidualCallsGood) {
  const ContactProblem problem(
      Eigen::Matrix3d::Identity(),
      {.g = Eigen::Vector3d(3.0, -4.0, -1.0), .mu = Eigen::VectorXd::Constant(1, 0.5)});
  // the direction is wrong by 1e-5, which the residual sees as 1e-10 of a speed of 4.5
  const double turn = 1e-5;
  const Eigen::Vector3d exact(-0.3, 0.4, 1.0),
      turned(exact.x() - turn * exact.y(), exact.y() + turn * exact.x(), 1.0);
  const Outcome outcome = run(problem, turned, 1e-9, 0);
  EXPECT_TRUE(outcome.done);
  EXPECT_GE(outcome.steps, 1);
  EXPECT_LT((outcome.force - exact).norm(), 1e-9);
  // a force that is good already takes no step
  EXPECT_EQ(run(problem, outcome.force, 1e-9, 0).steps, 0);
}

TEST(ActiveNewton, APartingContactHasNoForce) {
  const ContactProblem problem(
      Eigen::Matrix3d::Identity(),
      {.g = Eigen::Vector3d(0.1, 0.0, 1.0), .mu = Eigen::VectorXd::Constant(1, 0.5)});
  const Outcome outcome = run(problem, Eigen::Vector3d(0.1, 0.1, 2.0), 1e-12, 20);
  EXPECT_TRUE(outcome.done);
  EXPECT_LT(outcome.force.norm(), 1e-12);
}

TEST(ActiveNewton, ReturnsToASolutionAfterASmallDisturbance) {
  // the solution of another method, disturbed by a thousandth: a few steps bring it back
  Random random(331);
  int scenes = 0;
  for (int i = 0; i < 12; ++i) {
    const ContactScene scene = random_scene(random, 5, 9);
    const Eigen::VectorXd R = Eigen::VectorXd::Constant(scene.J.rows(), i % 2 == 0 ? 0.0 : 1e-3);
    const ContactSolution solution = solve(
        scene.problem(R),
        {.solver = ContactSolver::ncp_pgs, .tolerance = 1e-11, .max_iterations = 100000});
    if (solution.status != ContactStatus::converged) continue;
    ++scenes;
    Eigen::VectorXd start = solution.force;
    for (double& entry : start) entry += 1e-3 * random.uniform(-1, 1);
    for (const ContactProblem& problem : {scene.problem(R), scene.operator_problem(R)}) {
      const Outcome outcome = run(problem, start, 1e-10, 12);
      EXPECT_TRUE(outcome.done) << i;
      EXPECT_LE(contact_residual(problem, outcome.force, ContactModel::ncp, {}, 0.0).worst(), 1e-10)
          << i;
      EXPECT_LE(outcome.steps, 8) << i;
    }
  }
  EXPECT_GE(scenes, 6);
}

TEST(ActiveNewton, ForcesThatMoveNothingStayWhereTheyAre) {
  // two contacts at one point: only their sum counts, and both keep their halves of it
  Eigen::MatrixXd J(6, 3);
  J << Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Identity();
  Eigen::VectorXd g(6);
  g << 0, 0, -1, 0, 0, -1;
  const ContactProblem problem(J * J.transpose(),
                               {.g = g, .mu = Eigen::VectorXd::Constant(2, 0.5)});
  Eigen::VectorXd start = Eigen::VectorXd::Zero(6);
  start[2] = start[5] = 0.4;
  const Outcome outcome = run(problem, start, 1e-9, 12);
  EXPECT_TRUE(outcome.done);
  EXPECT_NEAR(outcome.force[2], 0.5, 1e-7);
  EXPECT_NEAR(outcome.force[5], 0.5, 1e-7);
}

TEST(ActiveNewton, GivesUpWhereNoForceIsASolution) {
  // a row that no force moves is asked to move
  const ContactProblem problem(Eigen::Matrix3d::Zero(), {.g = Eigen::Vector3d(0, 0, -1.0),
                                                         .mu = Eigen::VectorXd::Constant(1, 0.5)});
  const Outcome outcome = run(problem, Eigen::Vector3d::Zero(), 1e-9, 12);
  EXPECT_FALSE(outcome.done);
}

}  // namespace
}  // namespace tactum::active_newton
