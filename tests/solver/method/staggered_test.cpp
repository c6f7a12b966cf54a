// SPDX-License-Identifier: BSD-2-Clause
// Both halves of a solution must minimize their own quadratic program, which is checked from the
// outside.
#include "solver/method/staggered.hpp"

#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"
#include "support/dense_reference.hpp"
#include "support/repetitions.hpp"

namespace tactum::testing {
namespace {

TEST(Staggered, NormalForcesAgainstEnumerationOfActiveSets) {
  Random random(21);
  for (int i = 0; i < repetitions(100); ++i) {
    ContactScene scene = random_scene(random, 2, 4);
    scene.mu.setZero();
    const Eigen::VectorXd R = Eigen::VectorXd::Constant(12, 0.05);
    const ContactSolution solution = solve(
        scene.problem(R), {.solver = ContactSolver::ncp_staggered, .tolerance = 1e-11});
    ASSERT_EQ(solution.status, ContactStatus::converged);
    // exactly one set of active normals has forces that push while the other contacts move apart
    Eigen::MatrixXd G = scene.G() + Eigen::MatrixXd(R.asDiagonal());
    int found = 0;
    for (int set = 0; set < 16; ++set) {
      std::vector<int> rows;
      for (int c = 0; c < 4; ++c)
        if ((set >> c) % 2 == 1) rows.push_back(3 * c + 2);
      Eigen::VectorXd force = Eigen::VectorXd::Zero(12);
      if (!rows.empty()) {
        const Eigen::VectorXd active = solve_definite(G(rows, rows), -scene.g()(rows));
        force(rows) = active;
      }
      const Eigen::VectorXd velocity = G * force + scene.g();
      bool good = true;
      for (int c = 0; c < 4; ++c) good &= force[3 * c + 2] >= 0 && velocity[3 * c + 2] >= -1e-10;
      if (!good) continue;
      ++found;
      EXPECT_LT((solution.force - force).norm(), 1e-9 * (1 + force.norm()));
    }
    EXPECT_GE(found, 1);
  }
}

TEST(Staggered, TangentialForcesMinimizeOverDiscs) {
  Random random(22);
  for (int i = 0; i < repetitions(30); ++i) {
    const ContactScene scene = random_scene(random, 3, 5);
    const ContactProblem problem = scene.problem(Eigen::VectorXd::Constant(15, 0.05));
    for (const ContactSolver solver :
         {ContactSolver::ncp_staggered, ContactSolver::lcp_staggered}) {
      const ContactSolution solution = solve(problem, {.solver = solver, .tolerance = 1e-10});
      // the algorithm has no guarantee; the next test counts
      if (solution.status != ContactStatus::converged) continue;
      const auto energy = [&](const Eigen::VectorXd& f) {
        return 0.5 * f.dot(problem.velocity(f) + problem.g());
      };
      const double best = energy(solution.force);
      for (int k = 0; k < 50; ++k) {
        Eigen::VectorXd other = solution.force;
        for (int c = 0; c < 5; ++c) {  // any other tangential force within the bounds that the
                                       // normal ones set
          const double radius = scene.mu[c] * other[3 * c + 2], angle = random.uniform(0, 6.28),
                       share = random.uniform();
          other[3 * c] += 0.5 * (radius * share * std::cos(angle) - other[3 * c]);
          other[3 * c + 1] += 0.5 * (radius * share * std::sin(angle) - other[3 * c + 1]);
        }
        EXPECT_GE(energy(other), best - 1e-8);
      }
    }
  }
}

TEST(Staggered, AFewOuterIterations) {
  const ContactProblem problem = stack_scene({1, 1, 1, 1, 1}, 0.9).problem();
  const ContactSolution solution = solve(
      problem, {.solver = ContactSolver::ncp_staggered, .tolerance = 1e-8});
  EXPECT_EQ(solution.status, ContactStatus::converged);
  EXPECT_LE(solution.iterations, 20);
}

}  // namespace
}  // namespace tactum::testing
