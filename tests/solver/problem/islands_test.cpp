// SPDX-License-Identifier: BSD-2-Clause
#include "solver/problem/islands.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/contact_scenes.hpp"

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
    const std::span<const ContactIsland> islands = problem.data().islands();
    ASSERT_EQ(islands.size(), 2U);
    EXPECT_EQ(islands[0].blocks, (std::vector<int>{0, 2, 4, 6}));
    EXPECT_EQ(islands[1].blocks, (std::vector<int>{1, 3, 5, 7}));
    EXPECT_EQ(islands[1].rows[0], 3);
    EXPECT_EQ(islands[1].rows[3], 9);
    EXPECT_EQ(islands[1].columns.blocks()[1].row, 3);
    EXPECT_EQ(islands[1].columns.blocks()[1].mu, 0.2);
    EXPECT_EQ(stack_scene({1, 1}, 0.5).problem().data().island_count, 1U);
  }
}

TEST(Islands, UnionFindKeepsTheSmallestNumber) {
  Random random(91);
  UnionFind groups;
  for (int trial = 0; trial < 50; ++trial) {
    const int count = 1 + random.below(30);
    groups.start(static_cast<std::size_t>(count));
    // labels by brute force: all members of a group are given one label
    std::vector<int> label(static_cast<std::size_t>(count));
    std::iota(label.begin(), label.end(), 0);
    for (int k = random.below(20); k > 0; --k) {
      const int i = random.below(count), j = random.below(count);
      groups.unite(i, j);
      const int x = label[static_cast<std::size_t>(i)], y = label[static_cast<std::size_t>(j)];
      for (int& each : label)
        if (each == x || each == y) each = std::min(x, y);
    }
    for (int i = 0; i < count; ++i) EXPECT_EQ(groups.root(i), label[static_cast<std::size_t>(i)]);
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

TEST(Islands, KeepOnlyMotionsThatTheyUse) {
  // two stacks of six boxes: 72 rows each are too many for a dense matrix
  const ContactScene stack = stack_scene({1, 2, 3, 4, 5, 6}, 0.5);
  const ContactProblem problem = merged(stack, stack).operator_problem();
  ASSERT_EQ(problem.data().island_count, 2U);
  for (const ContactIsland& island : problem.data().islands()) {
    EXPECT_TRUE(island.columns.is_operator());
    EXPECT_EQ(island.columns.positions(), 36);
  }
}

}  // namespace
}  // namespace tactum::testing
