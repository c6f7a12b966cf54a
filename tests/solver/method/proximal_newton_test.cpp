// SPDX-License-Identifier: BSD-2-Clause
#include "solver/method/proximal_newton.hpp"

#include <gtest/gtest.h>

#include "solver/whole_problem.hpp"
#include "support/contact_scenes.hpp"

namespace tactum::proximal_newton {
namespace {

using namespace tactum::testing;

/// The proximal step as a problem of its own: R + Q for the compliance, g - Q f_k for the free
/// velocity. Another solver solves it.
TEST(ProximalNewton, SolvesAProximalStep) {
  Random random(311);
  for (int i = 0; i < 10; ++i) {
    const ContactScene scene = random_scene(random, 5, 9);
    const Eigen::Index rows = scene.J.rows();
    Eigen::VectorXd R(rows), center(rows), weight(rows);
    for (Eigen::Index k = 0; k < rows; ++k) {
      R[k] = i % 2 == 0 ? 0.0 : random.uniform(0, 0.1);
      center[k] = random.uniform(-1, 1);
      weight[k] = 1.0 + 0.1 * static_cast<double>(k / 3);
    }
    const double tau = 0.03;
    Eigen::VectorXd Q(rows);
    for (Eigen::Index k = 0; k < rows; ++k)
      Q[k] = tau * weight[k] + R.segment<3>(3 * (k / 3)).maxCoeff() - R[k];
    const ContactProblem stepped(
        scene.G(), {.g = scene.g() - Q.cwiseProduct(center), .mu = scene.mu, .R = R + Q});
    const Eigen::VectorXd expected = solve(stepped, {.solver = ContactSolver::ccp_pgs,
                                                     .tolerance = 1e-12,
                                                     .max_iterations = 100000})
                                         .force;
    for (const ContactProblem& problem : {scene.problem(R), scene.operator_problem(R)}) {
      const ContactIsland whole = whole_island(problem);
      const ProblemView view = view_of(whole, problem.R());
      ProximalNewton newton;
      newton.start(view, weight, tau, problem.g(), center);
      for (int k = 0; k < 30; ++k) ASSERT_TRUE(newton.step());
      EXPECT_LT((newton.force() - expected).norm(), 1e-6 * (1 + expected.norm())) << i;
      EXPECT_LT(newton.left(), 1e-9);
      EXPECT_NEAR(newton.moved(), (newton.force() - center).cwiseAbs().maxCoeff(), 1e-15);
    }
  }
}

}  // namespace
}  // namespace tactum::proximal_newton
