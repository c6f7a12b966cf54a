// SPDX-License-Identifier: BSD-2-Clause
// Solutions by LU are compared with known ones, and the estimate of the condition with the inverse.
#include "solver/linear/dense_lu.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "support/dense_reference.hpp"
#include "tactum/interrupt.hpp"

namespace tactum::dense_lu_test {
namespace {

using namespace tactum::testing;

TEST(DenseLu, SolvesWhatItFactorizes) {
  Random random(31);
  for (const Eigen::Index rows : {1, 2, 63, 64, 65, 200, 300}) {
    const Eigen::MatrixXd matrix = random_matrix(random, rows, rows),
                          wanted = random_matrix(random, rows, 70);
    DenseLu lu;
    lu.factorize(matrix);
    Eigen::MatrixXd x = product(matrix, wanted);
    lu.solve_in_place(x);
    const double error = 1e-15 * static_cast<double>(rows) / lu.reciprocal_condition();
    EXPECT_LT((x - wanted).norm(), error * wanted.norm()) << rows;
    Eigen::VectorXd y = matrix.transpose() * wanted.col(0);
    lu.solve_transposed_in_place(y);
    EXPECT_LT((y - wanted.col(0)).norm(), error * wanted.col(0).norm()) << rows;
  }
}

TEST(DenseLu, EstimateIsWithinAFactorOfTheCondition) {
  Random random(32);
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Index rows = 1 + trial % 40;
    Eigen::MatrixXd matrix = random_matrix(random, rows, rows);
    matrix.row(0) *= std::pow(10.0, random.uniform(-10, 0));
    DenseLu lu;
    lu.factorize(matrix);
    const Eigen::MatrixXd inverse = solve_full_pivot(matrix, Eigen::MatrixXd::Identity(rows, rows));
    const double exact = 1 / (matrix.cwiseAbs().colwise().sum().maxCoeff() *
                              inverse.cwiseAbs().colwise().sum().maxCoeff());
    EXPECT_GE(lu.reciprocal_condition(), exact * (1 - 1e-3)) << trial;
    EXPECT_LE(lu.reciprocal_condition(), 10 * exact) << trial;
  }
}

TEST(DenseLu, SingularMatricesHaveNoCondition) {
  DenseLu lu;
  for (const Eigen::Index rows : {1, 5, 130}) {
    lu.factorize(Eigen::MatrixXd::Zero(rows, rows));
    EXPECT_EQ(lu.reciprocal_condition(), 0.0);
    lu.factorize(Eigen::MatrixXd::Ones(rows, rows) -
                 Eigen::MatrixXd::Identity(rows, rows) * (rows == 1 ? 1.0 : 0.0));
    EXPECT_LT(lu.reciprocal_condition(), 1e-15);
  }
}

TEST(DenseLu, CanBeInterrupted) {
  Random random(33);
  const Eigen::MatrixXd matrix = random_matrix(random, 200, 200);
  const std::function<bool()> at_once = [] { return true; };
  DenseLu lu;
  {
    const InterruptScope scope(at_once);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until the first question
    EXPECT_THROW(lu.factorize(matrix), Interrupted);
  }
  lu.factorize(matrix);
  Eigen::MatrixXd x = matrix;
  const InterruptScope scope(at_once);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_THROW(lu.solve_in_place(x), Interrupted);
}

}  // namespace
}  // namespace tactum::dense_lu_test
