// SPDX-License-Identifier: BSD-2-Clause
// Rank, distance from the range and least-norm solutions against the singular values of matrices of
// known rank, and against Eigen's complete orthogonal decomposition.
#include "solver/linear/rank_revealing_qr.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <functional>

#include "support/random.hpp"
#include "tactum/interrupt.hpp"

namespace tactum::rank_revealing_qr_test {
namespace {

using namespace tactum::testing;

struct Case {
  Eigen::Index rows, columns, rank;
};

constexpr Case kCases[] = {{1, 1, 1},    {3, 3, 2},    {5, 9, 4},      {9, 5, 5},    {40, 40, 40},
                           {40, 40, 7},  {33, 70, 33}, {70, 33, 31},   {64, 64, 32}, {100, 100, 99},
                           {150, 90, 1}, {90, 150, 0}, {200, 200, 120}};

Eigen::MatrixXd random_matrix(Random& random, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd result(rows, columns);
  for (double& entry : result.reshaped()) entry = random.uniform(-1, 1);
  return result;
}

Eigen::MatrixXd matrix_of(Random& random, const Case& of) {
  return random_matrix(random, of.rows, of.rank) * random_matrix(random, of.rank, of.columns);
}

TEST(RankRevealingQr, FindsTheRank) {
  Random random(41);
  for (const Case& of : kCases) {
    RankRevealingQr qr;
    qr.factorize(matrix_of(random, of), 1e-10);
    EXPECT_EQ(qr.rank(), of.rank) << of.rows << " x " << of.columns;
  }
}

TEST(RankRevealingQr, SolutionsAreThoseOfThePseudoInverse) {
  Random random(42);
  for (const Case& of : kCases) {
    const Eigen::MatrixXd matrix = matrix_of(random, of), b = random_matrix(random, of.rows, 5);
    const Eigen::VectorXd c = random_matrix(random, of.columns, 1);
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(1e-10);
    RankRevealingQr qr;
    qr.factorize(matrix, 1e-10);
    qr.prepare_solve();
    if (of.rank == 0) {
      EXPECT_EQ(qr.solve(b).norm(), 0.0);
      EXPECT_EQ(qr.solve_transposed(c).norm(), 0.0);
      continue;
    }
    const Eigen::VectorXd inverse = svd.singularValues().head(of.rank).cwiseInverse();
    const Eigen::MatrixXd pseudo_inverse = svd.matrixV().leftCols(of.rank) * inverse.asDiagonal() *
                                           svd.matrixU().leftCols(of.rank).transpose();
    const double error = 1e-12 * svd.singularValues()[0] * inverse[of.rank - 1];
    const Eigen::MatrixXd wanted = pseudo_inverse * b;
    EXPECT_LT((qr.solve(b) - wanted).norm(), error * wanted.norm()) << of.rows << of.columns;
    const Eigen::VectorXd transposed = pseudo_inverse.transpose() * c;
    EXPECT_LT((qr.solve_transposed(c) - transposed).norm(), error * transposed.norm());
    const Eigen::VectorXd x = b.col(0);
    EXPECT_NEAR(qr.distance_from_range(x), (x - matrix * (pseudo_inverse * x)).norm(),
                error * x.norm());
  }
}

/// Columns whose norms cancel: powers of a matrix, whose columns are almost parallel.
TEST(RankRevealingQr, PivotsFallAsThoseOfEigen) {
  Random random(43);
  for (int trial = 0; trial < 30; ++trial) {
    const Eigen::Index size = 20 + 5 * trial;
    Eigen::VectorXd values(size);
    for (Eigen::Index i = 0; i < size; ++i)
      values[i] = std::pow(10.0, -14.0 * static_cast<double>(i) / static_cast<double>(size));
    const Eigen::MatrixXd left =
        Eigen::HouseholderQR<Eigen::MatrixXd>(random_matrix(random, size, size)).householderQ();
    const Eigen::MatrixXd right =
        Eigen::HouseholderQR<Eigen::MatrixXd>(random_matrix(random, size, size)).householderQ();
    const Eigen::MatrixXd matrix = left * values.asDiagonal() * right;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> eigen;
    eigen.setThreshold(1e-10);
    eigen.compute(matrix);
    RankRevealingQr qr;
    qr.factorize(matrix, 1e-10);
    EXPECT_NEAR(static_cast<double>(qr.rank()), static_cast<double>(eigen.rank()), 1.0) << size;
  }
}

TEST(RankRevealingQr, CanBeInterrupted) {
  Random random(44);
  const Eigen::MatrixXd matrix = matrix_of(random, {800, 800, 500});
  const std::function<bool()> at_once = [] { return true; };
  RankRevealingQr qr;
  {
    const InterruptScope scope(at_once);
    EXPECT_THROW(qr.factorize(matrix, 1e-10), Interrupted);
  }
  qr.factorize(matrix, 1e-10);
  qr.prepare_solve();
  const InterruptScope scope(at_once);
  EXPECT_THROW(qr.solve(matrix), Interrupted);
}

}  // namespace
}  // namespace tactum::rank_revealing_qr_test
