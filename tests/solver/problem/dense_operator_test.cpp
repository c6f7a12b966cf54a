// SPDX-License-Identifier: BSD-2-Clause
#include "solver/problem/dense_operator.hpp"

#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"

namespace tactum::dense_operator_test {
namespace {

using namespace tactum::testing;

TEST(DenseOperator, RowsThatTheSameBlocksUseAreABody) {
  const ContactProblem problem = stack_scene({1, 2, 3}, 0.5).operator_problem();
  ContactProblem::Data data;
  data.blocks = problem.blocks();
  data.g = problem.g();
  data.is_operator = true;
  data.matrix = problem.W();
  set_dense_operator(data);
  ASSERT_EQ(data.motion_begin.size(), 4U);
  for (int body = 0; body < 3; ++body) EXPECT_EQ(data.motions(body), 6);
  EXPECT_EQ(data.entries.size(), 4U + 8U + 8U);  // the lowest box touches the ground
  EXPECT_EQ(data.island_count, 1U);
  // W from its entries is W up to the order of motions, which products do not see
  const Eigen::MatrixXd W = data.matrix;
  data.matrix.resize(0, 0);
  const Eigen::MatrixXd formed = dense_operator(data);
  EXPECT_EQ(formed.transpose() * formed, W.transpose() * W);
}

TEST(DenseOperator, MotionsThatNothingUsesAreLeftOut) {
  Random random(21);
  ContactScene scene = random_scene(random, 3, 4);
  scene.J.middleCols(6, 6).setZero();
  const ContactProblem problem = scene.operator_problem();
  EXPECT_EQ(problem.data().motion_begin.back(), 12);
  EXPECT_EQ(problem.W().rows(), 18);
  EXPECT_EQ(dense_operator(problem.data()), problem.W());
}

}  // namespace
}  // namespace tactum::dense_operator_test
