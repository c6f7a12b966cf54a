// SPDX-License-Identifier: BSD-2-Clause
// The views of the islands of a problem share its memory and hold every row once.
#include "solver/problem/problem_data.hpp"

#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"

namespace tactum::problem_data_test {
namespace {

using namespace tactum::testing;

TEST(ProblemData, ViewsShareTheMemoryOfTheProblem) {
  const ContactScene scene = stack_scene({1, 2}, 0.5);
  for (const ContactProblem& problem : {scene.problem(), scene.operator_problem()}) {
    ASSERT_EQ(problem.data().islands().size(), 1U);
    const ContactIsland& island = problem.data().islands()[0];
    const Eigen::VectorXd R = Eigen::VectorXd::Ones(problem.rows());
    const ProblemView view = view_of(island, R);
    EXPECT_EQ(view.rows(), problem.rows());
    EXPECT_EQ(view.delassus.columns, &island.columns);
    EXPECT_EQ(view.delassus.R.data(), R.data());
    EXPECT_EQ(view.g.data(), island.g.data());
    EXPECT_EQ(view.blocks.size(), problem.blocks().size());
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
  ASSERT_EQ(data.islands().size(), 2U);
  Eigen::VectorXd gathered, scattered = Eigen::VectorXd::Constant(24, 7);
  for (const ContactIsland& island : data.islands()) {
    gather_rows(island, g, gathered);
    const ProblemView view = view_of(island, gathered);
    ASSERT_EQ(view.rows(), 12);
    EXPECT_EQ(Eigen::VectorXd(view.g), gathered);
    scatter_rows(island, gathered, scattered);
    Eigen::VectorXd scratch(island.columns.positions()), column(12);
    for (std::size_t c = 0; c < 4; ++c) {
      for (int k = 0; k < 3; ++k) {
        island.columns.set_column(c, k, scratch.data(), column.data());
        const int j = island.rows[3 * c + static_cast<std::size_t>(k)];
        EXPECT_EQ(column, Eigen::VectorXd(G(island.rows, j)));
      }
    }
  }
  EXPECT_EQ(scattered, g);
}

}  // namespace
}  // namespace tactum::problem_data_test
