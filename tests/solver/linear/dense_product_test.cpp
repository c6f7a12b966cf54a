// SPDX-License-Identifier: BSD-2-Clause
// Strips cover every column once and in order; the product by strips is the product.
#include "solver/linear/dense_product.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "support/random.hpp"

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
  Eigen::MatrixXd a(70, 40), b(40, 700), out(70, 700);
  for (double& entry : a.reshaped()) entry = random.uniform(-1, 1);
  for (double& entry : b.reshaped()) entry = random.uniform(-1, 1);
  multiply_dense(out, a, b);
  EXPECT_LT((out - a * b).norm(), 1e-13 * out.norm());
}

TEST(DenseProduct, AsksAboutInterruptsBeforeEveryStrip) {
  const std::function<bool()> at_once = [] { return true; };
  const Eigen::MatrixXd a = Eigen::MatrixXd::Ones(1500, 1500);
  Eigen::MatrixXd out(1500, 1500);
  const InterruptScope scope(at_once);
  EXPECT_THROW(multiply_dense(out, a, a), Interrupted);
}

}  // namespace
}  // namespace tactum::dense_product_test
