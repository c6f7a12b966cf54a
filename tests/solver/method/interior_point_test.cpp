// SPDX-License-Identifier: BSD-2-Clause
#include "solver/method/interior_point.hpp"

#include <gtest/gtest.h>

#include "solver/method/proximal_admm.hpp"
#include "solver/whole_problem.hpp"
#include "support/contact_scenes.hpp"

namespace tactum::interior_point {
namespace {

using namespace tactum::testing;

struct Outcome {
  bool done;
  int steps;
  double residual;  ///< from fresh velocities
  Eigen::VectorXd force;
};

Outcome run(const ContactProblem& problem, double tolerance, int most) {
  const ContactIsland whole = whole_island(problem);
  const ProblemView view = view_of(whole, problem.R());
  std::vector<BlockMatrix> diagonal;
  set_diagonal_blocks(view, diagonal);
  Eigen::VectorXd weight(problem.rows()), dual = Eigen::VectorXd::Zero(problem.rows()),
                                          force = Eigen::VectorXd::Zero(problem.rows());
  set_block_weights(view.blocks, diagonal, weight);
  const SolveOptions options{.tolerance = tolerance, .max_iterations = 1000};
  double exponent = 0;
  SolverProgress progress;
  progress.start(options);
  SolverTask task{view,     diagonal, ResidualRule(ContactModel::ncp, options.polygon, diagonal),
                  options,  force,    dual,
                  exponent, progress};
  InteriorPoint interior;
  const bool done = interior.run_near(task, weight, most) == InteriorEnd::done ||
                    interior.run_far(task, weight, most);
  Outcome outcome{done, progress.iterations(), 0.0, force};
  if (progress.iterations() == 0) return outcome;
  outcome.force = progress.best();
  outcome.residual = contact_residual(problem, outcome.force, ContactModel::ncp).worst();
  return outcome;
}

TEST(InteriorPoint, OneContactSticksSlidesAndBreaks) {
  // G = I: a force changes the velocity of its own direction alone
  const auto solved = [](const Eigen::Vector3d& g, double mu) {
    const ContactProblem problem(Eigen::Matrix3d::Identity(),
                                 {.g = g, .mu = Eigen::VectorXd::Constant(1, mu)});
    const Outcome outcome = run(problem, 1e-9, 40);
    EXPECT_TRUE(outcome.done);
    EXPECT_LE(outcome.residual, 1e-9);
    return Eigen::Vector3d(outcome.force);
  };
  // the residual is quadratic in the angle of a sliding force, so 1e-9 leaves some 1e-5
  EXPECT_LT((solved({0.3, -0.2, -1.0}, 0.5) - Eigen::Vector3d(-0.3, 0.2, 1.0)).norm(), 1e-6);
  EXPECT_LT((solved({3.0, -4.0, -1.0}, 0.5) - Eigen::Vector3d(-0.3, 0.4, 1.0)).norm(), 1e-4);
  EXPECT_LT(solved({0.1, 0.0, 1.0}, 0.5).norm(), 1e-6);
}

TEST(InteriorPoint, AnswersItCannotGiveAreLeftToOthers) {
  const ContactProblem frictionless(
      Eigen::Matrix3d::Identity(),
      {.g = Eigen::Vector3d(0.0, 0.0, -1.0), .mu = Eigen::VectorXd::Zero(1)});
  const Outcome outcome = run(frictionless, 1e-9, 40);
  EXPECT_FALSE(outcome.done);
  EXPECT_EQ(outcome.steps, 0);
}

}  // namespace
}  // namespace tactum::interior_point
