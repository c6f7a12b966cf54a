// SPDX-License-Identifier: BSD-2-Clause
// Rank, distance from the range and least-norm solutions are compared with singular value
// decompositions of matrices of known rank, and with the pivoted QR of Eigen.
#include "solver/linear/rank_revealing_qr.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "support/dense_reference.hpp"
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

Eigen::MatrixXd matrix_of(Random& random, const Case& of) {
  return product(random_matrix(random, of.rows, of.rank),
                 random_matrix(random, of.rank, of.columns));
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
    RankRevealingQr qr;
    qr.factorize(matrix, 1e-10);
    qr.prepare_solve();
    if (of.rank == 0) {
      EXPECT_EQ(qr.solve(b).norm(), 0.0);
      EXPECT_EQ(qr.solve_transposed(c).norm(), 0.0);
      continue;
    }
    const PseudoInverse inverse = pseudo_inverse(matrix, of.rank);
    const double error = 1e-12 * inverse.condition;
    const Eigen::MatrixXd wanted = product(inverse.matrix, b);
    EXPECT_LT((qr.solve(b) - wanted).norm(), error * wanted.norm()) << of.rows << of.columns;
    const Eigen::VectorXd transposed = inverse.matrix.transpose() * c;
    EXPECT_LT((qr.solve_transposed(c) - transposed).norm(), error * transposed.norm());
    const Eigen::VectorXd x = b.col(0);
    EXPECT_NEAR(qr.distance_from_range(x), (x - matrix * (inverse.matrix * x)).norm(),
                error * x.norm());
  }
}

/// Matrices whose singular values fall evenly over 14 decades: norms of columns cancel on the way.
TEST(RankRevealingQr, PivotsFallAsThoseOfEigen) {
  Random random(43);
  for (int trial = 0; trial < 30; ++trial) {
    const Eigen::Index size = 20 + 5 * trial;
    Eigen::VectorXd values(size);
    for (Eigen::Index i = 0; i < size; ++i)
      values[i] = std::pow(10.0, -14.0 * static_cast<double>(i) / static_cast<double>(size));
    const Eigen::MatrixXd left = random_orthogonal(random, size),
                          right = random_orthogonal(random, size),
                          matrix = product(left * values.asDiagonal(), right);
    RankRevealingQr qr;
    qr.factorize(matrix, 1e-10);
    EXPECT_NEAR(static_cast<double>(qr.rank()), static_cast<double>(pivoted_rank(matrix, 1e-10)),
                1.0)
        << size;
  }
}

TEST(RankRevealingQr, CanBeInterrupted) {
  Random random(44);
  const Eigen::MatrixXd matrix = matrix_of(random, {120, 120, 70});
  const std::function<bool()> at_once = [] { return true; };
  RankRevealingQr qr;
  {
    const InterruptScope scope(at_once);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until the first question
    EXPECT_THROW(qr.factorize(matrix, 1e-10), Interrupted);
  }
  qr.factorize(matrix, 1e-10);
  qr.prepare_solve();
  const InterruptScope scope(at_once);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_THROW(qr.solve(matrix), Interrupted);
}

}  // namespace
}  // namespace tactum::rank_revealing_qr_test
