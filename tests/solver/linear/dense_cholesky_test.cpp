// SPDX-License-Identifier: BSD-2-Clause
// The factor by panels against the matrix it is of, and against Eigen's verdict on matrices that
// are not definite.
#include "solver/linear/dense_cholesky.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tactum::dense_cholesky_test {
namespace {

using namespace tactum::testing;

Eigen::MatrixXd random_definite(Random& random, Eigen::Index rows) {
  Eigen::MatrixXd root(rows, rows);
  for (double& entry : root.reshaped()) entry = random.uniform(-1, 1);
  return root * root.transpose() + Eigen::MatrixXd::Identity(rows, rows);
}

TEST(DenseCholesky, FactorGivesTheMatrix) {
  Random random(91);
  for (const Eigen::Index rows : {0, 1, 7, 255, 256, 257, 530}) {
    const Eigen::MatrixXd matrix = random_definite(random, rows);
    Eigen::MatrixXd factor = matrix;
    ASSERT_EQ(factorize_dense(factor), rows);
    const Eigen::MatrixXd L = factor.triangularView<Eigen::Lower>();
    EXPECT_LT((L * L.transpose() - matrix).norm(), 1e-13 * (1.0 + matrix.norm())) << rows;
  }
}

TEST(DenseCholesky, FindsWhatIsNotDefinite) {
  Random random(92);
  for (const Eigen::Index bad : {0, 3, 255, 256, 400, 529}) {
    Eigen::MatrixXd matrix = random_definite(random, 530);
    matrix(bad, bad) = -1.0;
    EXPECT_NE(Eigen::LLT<Eigen::MatrixXd>(matrix).info(), Eigen::Success);
    Eigen::MatrixXd factor = matrix;
    const Eigen::Index done = factorize_dense(factor);
    ASSERT_LT(done, matrix.cols());
    EXPECT_EQ(first_bad_pivot(matrix, factor, done), bad);
  }
}

}  // namespace
}  // namespace tactum::dense_cholesky_test
