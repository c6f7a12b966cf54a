// SPDX-License-Identifier: BSD-2-Clause
// Moments of the random numbers, and that they depend on seed, stream and index alone.
#include "math/counter_random.hpp"

#include <gtest/gtest.h>

namespace tactum::counter_random_test {
namespace {

TEST(CounterRandom, MomentsAndIndependenceOfOrder) {
  const CounterRandom random(7, 1), other(7, 2);
  double sum = 0.0, squares = 0.0, fourth = 0.0, product = 0.0, between = 0.0;
  const int count = 20000;
  for (int k = 0; k < count; ++k) {
    const double x = random.normal(static_cast<std::uint64_t>(2 * k)),
                 y = random.normal(static_cast<std::uint64_t>(2 * k + 1));
    const double z = other.normal3(static_cast<std::uint64_t>(k)).x;
    sum += x, squares += x * x, fourth += x * x * x * x, product += x * y, between += x * z;
  }
  const double n = count, error = 4.0 / std::sqrt(n);
  EXPECT_NEAR(sum / n, 0.0, error);
  EXPECT_NEAR(squares / n, 1.0, 1.5 * error);
  EXPECT_NEAR(fourth / n, 3.0, 10.0 * error);
  EXPECT_NEAR(product / n, 0.0, error);
  EXPECT_NEAR(between / n, 0.0, error);
  EXPECT_EQ(random.bits(17), CounterRandom(7, 1).bits(17));
  EXPECT_NE(random.bits(17), CounterRandom(8, 1).bits(17));
}

}  // namespace
}  // namespace tactum::counter_random_test
