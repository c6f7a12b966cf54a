// SPDX-License-Identifier: BSD-2-Clause
#include "solver/method/ccp_newton.hpp"

#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"
#include "support/repetitions.hpp"

namespace tactum::testing {
namespace {

TEST(CcpNewton, NoForceOfTheConesHasLessEnergy) {
  Random random(31);
  for (int i = 0; i < repetitions(100); ++i) {
    const ContactScene scene = random_scene(random, 2, 5);
    const ContactProblem problem = random.chance(0.5) ? scene.problem() : scene.operator_problem();
    const ContactSolution solution = solve(
        problem, {.solver = ContactSolver::ccp_newton, .tolerance = 1e-9});
    EXPECT_EQ(solution.status, ContactStatus::converged);
    EXPECT_LT(solution.iterations, 100);
    const auto energy = [&](const Eigen::VectorXd& f) {
      return 0.5 * f.dot(problem.velocity(f) + problem.g());
    };
    const double best = energy(solution.force);
    for (int k = 0; k < 50; ++k) {
      Eigen::VectorXd other = solution.force;
      for (int c = 0; c < 5; ++c) {
        const double normal = random.uniform(0, 2), angle = random.uniform(0, 6.28),
                     radius = scene.mu[c] * normal * random.uniform();
        other.segment<3>(3 * c) += 0.3 * (Eigen::Vector3d(radius * std::cos(angle),
                                                          radius * std::sin(angle), normal) -
                                          other.segment<3>(3 * c));
      }
      EXPECT_GE(energy(other), best - 1e-9 * (1 + std::abs(best)));
    }
  }
}

TEST(CcpNewton, FewIterationsWhereGaussSeidelNeedsThousands) {
  const ContactProblem problem = stack_scene(std::vector<double>(6, 1.0), 0.9).problem();
  const ContactSolution newton = solve(problem,
                                       {.solver = ContactSolver::ccp_newton, .tolerance = 1e-9});
  EXPECT_EQ(newton.status, ContactStatus::converged);
  EXPECT_LT(newton.iterations, 60);
  EXPECT_EQ(solve(problem, {.solver = ContactSolver::ccp_pgs, .tolerance = 1e-9}).status,
            ContactStatus::max_iterations);
}

TEST(CcpNewton, RegularizationIsMujocosShift) {
  // at rest, forces in a column of G + R~ with R~ = share * diag(G): the velocity that is left is
  // -R~ f
  const ContactProblem problem = stack_scene({2.0}, 0.8).problem();
  const ContactSolution shifted = solve(
      problem, {.solver = ContactSolver::ccp_newton, .tolerance = 1e-10, .regularization = 0.1});
  EXPECT_EQ(shifted.status, ContactStatus::converged);
  const Eigen::VectorXd left = -0.1 * problem.diagonal_G().cwiseProduct(shifted.force);
  EXPECT_LT((shifted.velocity - left).norm(), 1e-8);
  EXPECT_GT(shifted.ncp_residual, 1e-3);
}

}  // namespace
}  // namespace tactum::testing
