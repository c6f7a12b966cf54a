// SPDX-License-Identifier: BSD-2-Clause
// These tests are about when a solve ends, what it calls the end, and which force it keeps.
#include "solver/active_set/solver_progress.hpp"

#include <gtest/gtest.h>

namespace tactum::solver_progress_test {
namespace {

const Eigen::VectorXd kForce = Eigen::VectorXd::Ones(3), kOther = 2 * kForce;

TEST(SolverProgress, ResidualAloneMeansConverged) {
  const SolveOptions options{.tolerance = 1e-6, .relative_tolerance = 1e-3};
  SolverProgress progress;
  progress.start(options);
  EXPECT_FALSE(progress.accept_start(kForce, 1.0));
  EXPECT_TRUE(progress.finish_iteration(kOther, 0.5, 1e-5, 1.0));  // a small step
  EXPECT_FALSE(progress.converged());
  EXPECT_TRUE(progress.stalled());
  progress.start(options);
  EXPECT_TRUE(progress.accept_start(kForce, 0.9e-6));
  EXPECT_TRUE(progress.converged());
}

TEST(SolverProgress, KeepsTheBestForce) {
  const SolveOptions options{.tolerance = 1e-6, .max_iterations = 3};
  SolverProgress progress;
  progress.start(options);
  EXPECT_FALSE(progress.finish_iteration(kForce, 0.5, 1.0, 1.0));
  EXPECT_FALSE(progress.finish_iteration(kOther, 0.7, 1.0, 1.0));
  EXPECT_TRUE(progress.finish_iteration(kOther, SolverProgress::kNotComputed, 1.0, 1.0));
  EXPECT_EQ(progress.best(), kForce);
  EXPECT_EQ(progress.best_residual(), 0.5);
  EXPECT_EQ(progress.iterations(), 3);
  EXPECT_FALSE(progress.stalled());  // the iterations were used up
}

TEST(SolverProgress, EndsWhereNumbersRunAway) {
  const SolveOptions options{};
  SolverProgress progress;
  progress.start(options);
  EXPECT_FALSE(progress.finish_iteration(kForce, 0.5, 1.0, 1.0));
  EXPECT_TRUE(progress.finish_iteration(kOther, 1e80, 1.0, 1e80));
  progress.start(options);
  EXPECT_TRUE(progress.finish_iteration(kForce, std::numeric_limits<double>::infinity(), 1.0, 1.0));
  EXPECT_FALSE(progress.converged());
}

TEST(SolverProgress, TenIterationsWithoutChangeStagnate) {
  const SolveOptions options{};
  SolverProgress progress;
  progress.start(options);
  int iterations = 0;
  while (!progress.finish_iteration(kForce, 1.0, 1e-16, 1.0)) ++iterations;
  EXPECT_EQ(iterations, 9);
  EXPECT_TRUE(progress.stalled());
}

TEST(SolverProgress, AbsorbsAnotherSolver) {
  const SolveOptions options{.max_iterations = 10, .history = true};
  SolverProgress progress, other;
  progress.start(options);
  other.start(options);
  progress.finish_iteration(kForce, 0.5, 1.0, 1.0);
  other.finish_iteration(kOther, 0.25, 1.0, 1.0);
  EXPECT_FALSE(progress.absorb(other));
  EXPECT_EQ(progress.iterations(), 2);
  EXPECT_EQ(progress.best(), kOther);
  EXPECT_EQ(progress.history(), (std::vector<double>{0.5, 0.25}));
}

}  // namespace
}  // namespace tactum::solver_progress_test
