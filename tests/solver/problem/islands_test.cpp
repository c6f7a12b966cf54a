// SPDX-License-Identifier: BSD-2-Clause
#include "solver/problem/islands.hpp"

#include <gtest/gtest.h>

#include "solver/contact_fixtures.hpp"

namespace tactum::testing {
namespace {

/// Both scenes in one problem; the contacts of the second lie between those of the first.
ContactScene merged(const ContactScene& a, const ContactScene& b) {
  ContactScene both;
  const Eigen::Index contacts = a.mu.size();
  both.M = Eigen::MatrixXd::Zero(a.M.rows() + b.M.rows(), a.M.rows() + b.M.rows());
  both.M.topLeftCorner(a.M.rows(), a.M.rows()) = a.M;
  both.M.bottomRightCorner(b.M.rows(), b.M.rows()) = b.M;
  both.J = Eigen::MatrixXd::Zero(6 * contacts, both.M.rows());
  both.mu.resize(2 * contacts);
  for (Eigen::Index c = 0; c < contacts; ++c) {
    both.J.block(6 * c, 0, 3, a.J.cols()) = a.J.middleRows(3 * c, 3);
    both.J.block(6 * c + 3, a.J.cols(), 3, b.J.cols()) = b.J.middleRows(3 * c, 3);
    both.mu[2 * c] = a.mu[c];
    both.mu[2 * c + 1] = b.mu[c];
  }
  both.free_motion.resize(both.M.rows());
  both.free_motion << a.free_motion, b.free_motion;
  return both;
}

TEST(Islands, AreFoundInBothForms) {
  const ContactScene a = stack_scene({1.0}, 0.5), b = stack_scene({3.0}, 0.2);
  for (const ContactProblem& problem : {merged(a, b).problem(), merged(a, b).operator_problem()}) {
    Islands islands;
    find_islands(problem.data(), islands);
    EXPECT_EQ(islands.count, 2);
    EXPECT_EQ(islands.of_block, (std::vector<int>{0, 1, 0, 1, 0, 1, 0, 1}));
    find_islands(stack_scene({1, 1}, 0.5).problem().data(), islands);
    EXPECT_EQ(islands.count, 1);
  }
}

TEST(Islands, AreSolvedAsIfAlone) {
  const ContactScene a = stack_scene({1.0}, 0.5, {0.4, 0, 0}),
                     b = stack_scene({3.0}, 0.2, {0, 0.3, 0}, 1);
  for (const ContactSolver solver : kAllSolvers) {
    const ContactSolution both = solve(merged(a, b).problem(), {.solver = solver, .history = true});
    const ContactSolution first = solve(a.problem(), {.solver = solver, .history = true});
    const ContactSolution second = solve(b.problem(), {.solver = solver, .history = true});
    EXPECT_EQ(both.islands, 2);
    EXPECT_EQ(both.iterations, std::max(first.iterations, second.iterations));
    EXPECT_EQ(both.history.size(), std::max(first.history.size(), second.history.size()));
    for (int c = 0; c < 4; ++c) {
      // the merged G has the same entries, so the bits are the same
      EXPECT_EQ(Eigen::Vector3d(both.force.segment<3>(6 * c)),
                Eigen::Vector3d(first.force.segment<3>(3 * c)))
          << to_string(solver);
      EXPECT_EQ(Eigen::Vector3d(both.force.segment<3>(6 * c + 3)),
                Eigen::Vector3d(second.force.segment<3>(3 * c)))
          << to_string(solver);
    }
  }
}

TEST(Islands, GatherKeepsOnlyMotionsThatAreUsed) {
  const ContactProblem problem =
      merged(stack_scene({1.0}, 0.5), stack_scene({3.0}, 0.2)).operator_problem();
  Islands islands;
  find_islands(problem.data(), islands);
  const ContactIsland island = gather_island(problem.data(), islands, 1);
  EXPECT_EQ(island.matrix.rows(), 6);
  EXPECT_EQ(island.matrix.cols(), 12);
  EXPECT_EQ(island.rows[0], 3);
  EXPECT_EQ(island.blocks[1].row, 3);
  EXPECT_EQ(island.blocks[1].mu, 0.2);
}

}  // namespace
}  // namespace tactum::testing
