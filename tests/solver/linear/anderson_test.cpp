// SPDX-License-Identifier: BSD-2-Clause
#include "solver/linear/anderson.hpp"

#include <gtest/gtest.h>

#include "support/dense_reference.hpp"

namespace tactum::testing::anderson_test {
namespace {

Eigen::MatrixXd random_matrix(Random& random, int size) {
  Eigen::MatrixXd result(size, size);
  for (double& value : result.reshaped()) value = random.uniform(-1, 1);
  return result;
}

TEST(Anderson, SolvesAffineProblemsOfItsDepth) {
  // with one point more than unknowns the combination is exact, however badly F itself converges
  Random random(31);
  for (int trial = 0; trial < 20; ++trial) {
    const int size = 1 + trial % (Anderson::kDepth - 1);
    const Eigen::MatrixXd A = 3 * random_matrix(random, size);
    const Eigen::VectorXd b = random_matrix(random, size).col(0);
    const Eigen::VectorXd fixed = solve_full_pivot(Eigen::MatrixXd::Identity(size, size) - A, b);
    Anderson mixing;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(size);
    for (int i = 0; i < size + 3; ++i) mixing.advance(A * x + b, x);
    EXPECT_LT((x - fixed).norm(), 1e-6 * (1 + fixed.norm())) << "size " << size;
  }
}

TEST(Anderson, BeatsThePlainIteration) {
  // the contraction is 0.98: the plain iteration needs 900 steps for 1e-8
  Eigen::VectorXd rates = Eigen::VectorXd::LinSpaced(12, 0.1, 0.98), x = Eigen::VectorXd::Zero(12);
  const Eigen::VectorXd fixed = (1 - rates.array()).inverse();
  Anderson mixing;
  int steps = 0;
  while ((x - fixed).norm() > 1e-8 * fixed.norm() && steps < 200) {
    mixing.advance(rates.cwiseProduct(x) + Eigen::VectorXd::Ones(12), x);
    ++steps;
  }
  EXPECT_LT(steps, 120);
}

TEST(Anderson, StaysAtAFixedPointAndForgets) {
  Anderson mixing;
  Eigen::VectorXd x = Eigen::VectorXd::Constant(3, 2.0);
  for (int i = 0; i < 4; ++i) mixing.advance(Eigen::VectorXd::Constant(3, 2.0), x);
  EXPECT_EQ(x, Eigen::VectorXd::Constant(3, 2.0));
  mixing.advance(Eigen::VectorXd::Constant(3, 5.0), x);
  mixing.reset();
  const Eigen::VectorXd image = Eigen::VectorXd::LinSpaced(3, 0, 1);
  mixing.advance(image, x);
  EXPECT_EQ(x, image);  // the first step after a reset is the plain one
}

}  // namespace
}  // namespace tactum::testing::anderson_test
