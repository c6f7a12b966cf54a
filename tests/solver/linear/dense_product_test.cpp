// SPDX-License-Identifier: BSD-2-Clause
// Strips cover every column once and in order; the product by strips is the product.
#include "solver/linear/dense_product.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "support/dense_reference.hpp"

namespace tactum::dense_product_test {
namespace {

using namespace tactum::testing;

TEST(DenseProduct, StripsCoverEveryColumnOnce) {
  for (const double work : {0.0, 1.0, 1e5, 1e7, 1e12}) {
    for (const Eigen::Index columns : {0, 1, 31, 32, 33, 255, 256, 1000}) {
      Eigen::Index next = 0;
      for_column_strips(columns, work, [&](Eigen::Index first, Eigen::Index count) {
        EXPECT_EQ(first, next);
        EXPECT_GT(count, 0);
        next = first + count;
      });
      EXPECT_EQ(next, columns);
    }
  }
}

TEST(DenseProduct, IsTheProduct) {
  Random random(51);
  const Eigen::MatrixXd a = random_matrix(random, 70, 40), b = random_matrix(random, 40, 700);
  Eigen::MatrixXd out(70, 700);
  multiply_dense(out, a, b);
  EXPECT_LT((out - product(a, b)).norm(), 1e-13 * out.norm());
}

TEST(DenseProduct, AsksAboutInterruptsBeforeEveryStrip) {
  const std::function<bool()> at_once = [] { return true; };
  const Eigen::MatrixXd a = Eigen::MatrixXd::Ones(50, 50);
  Eigen::MatrixXd out(50, 50);
  const InterruptScope scope(at_once);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until the first question
  EXPECT_THROW(multiply_dense(out, a, a), Interrupted);
}

}  // namespace
}  // namespace tactum::dense_product_test
