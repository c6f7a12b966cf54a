// SPDX-License-Identifier: BSD-2-Clause
// The factor by panels multiplies to its matrix, and finds the pivot that is not positive.
#include "solver/linear/dense_cholesky.hpp"

#include <gtest/gtest.h>

#include "support/dense_reference.hpp"

namespace tactum::dense_cholesky_test {
namespace {

using namespace tactum::testing;

Eigen::MatrixXd random_definite(Random& random, Eigen::Index rows) {
  const Eigen::MatrixXd root = random_matrix(random, rows, rows);
  return product(root, root.transpose()) + Eigen::MatrixXd::Identity(rows, rows);
}

TEST(DenseCholesky, FactorGivesTheMatrix) {
  Random random(91);
  for (const Eigen::Index rows : {0, 1, 7, 255, 256, 257, 530}) {
    const Eigen::MatrixXd matrix = random_definite(random, rows);
    Eigen::MatrixXd factor = matrix;
    ASSERT_EQ(factorize_dense(factor), rows);
    const Eigen::MatrixXd L = factor.triangularView<Eigen::Lower>();
    EXPECT_LT((product(L, L.transpose()) - matrix).norm(), 1e-13 * (1.0 + matrix.norm())) << rows;
  }
}

TEST(DenseCholesky, FindsWhatIsNotDefinite) {
  Random random(92);
  for (const Eigen::Index bad : {0, 3, 255, 256, 400, 529}) {
    Eigen::MatrixXd matrix = random_definite(random, 530);
    matrix(bad, bad) = -1.0;
    EXPECT_FALSE(is_definite(matrix));
    Eigen::MatrixXd factor = matrix;
    const Eigen::Index done = factorize_dense(factor);
    ASSERT_LT(done, matrix.cols());
    EXPECT_EQ(first_bad_pivot(matrix, factor, done), bad);
  }
}

}  // namespace
}  // namespace tactum::dense_cholesky_test
