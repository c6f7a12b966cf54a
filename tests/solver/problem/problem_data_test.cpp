// SPDX-License-Identifier: BSD-2-Clause
// The view of a whole problem shares its memory; the views of its islands hold every row once.
#include "solver/problem/problem_data.hpp"

#include <gtest/gtest.h>

#include "solver/contact_fixtures.hpp"

namespace tactum::problem_data_test {
namespace {

using namespace tactum::testing;

TEST(ProblemData, ViewOfTheWholeSharesItsMemory) {
  const ContactScene scene = stack_scene({1, 2}, 0.5);
  for (const ContactProblem& problem : {scene.problem(), scene.operator_problem()}) {
    const Eigen::VectorXd R = Eigen::VectorXd::Ones(problem.rows());
    const ProblemView view = view_of(problem.data(), R);
    EXPECT_EQ(view.rows(), problem.rows());
    EXPECT_EQ(view.delassus.matrix.data(), problem.data().matrix.data());
    EXPECT_EQ(view.delassus.R.data(), R.data());
    EXPECT_EQ(view.g.data(), problem.g().data());
    EXPECT_EQ(view.delassus.is_operator, problem.is_operator());
    EXPECT_EQ(view.blocks.size(), problem.blocks().size());
    EXPECT_TRUE(problem.data().islands.empty());
  }
}

TEST(ProblemData, IslandsHoldEveryRowOnce) {
  const Eigen::MatrixXd stack = stack_scene({1}, 0.5).G();
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(24, 24);
  G.topLeftCorner(12, 12) = stack;
  G.bottomRightCorner(12, 12) = 2 * stack;
  const Eigen::VectorXd g = Eigen::VectorXd::LinSpaced(24, -1, 1);
  const ContactProblem problem(G, {.g = g, .mu = Eigen::VectorXd::Ones(8)});
  const ContactProblem::Data& data = problem.data();
  ASSERT_EQ(data.islands.size(), 2U);
  std::vector<int> seen(24, 0);
  for (const ContactIsland& island : data.islands) {
    const Eigen::VectorXd R = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(island.rows.size()));
    const ProblemView view = view_of(data, island, R);
    ASSERT_EQ(view.rows(), static_cast<int>(island.rows.size()));
    for (int i = 0; i < view.rows(); ++i) {
      const int row = island.rows[static_cast<std::size_t>(i)];
      ++seen[static_cast<std::size_t>(row)];
      EXPECT_EQ(view.g[i], g[row]);
      for (int j = 0; j < view.rows(); ++j)
        EXPECT_EQ(view.delassus.matrix(i, j), G(row, island.rows[static_cast<std::size_t>(j)]));
    }
  }
  for (const int count : seen) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace tactum::problem_data_test
