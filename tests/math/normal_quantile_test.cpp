// SPDX-License-Identifier: BSD-2-Clause
// The quantile undoes the distribution function, which the standard library has as erfc.
#include "math/normal_quantile.hpp"

#include <gtest/gtest.h>

namespace tactum::normal_quantile_test {
namespace {

TEST(NormalQuantile, UndoesTheDistributionFunction) {
  const auto below = [](double x) {
    return 0.5L * std::erfc(-static_cast<long double>(x) / std::sqrt(2.0L));
  };
  for (int i = 1; i < 20000; ++i) {
    const double tail = std::pow(10.0, -i / 1250.0);  // from almost 1 to 1e-16
    for (const double p : {tail, 1.0 - tail, i / 20000.0}) {
      if (!(p > 0.0 && p < 1.0)) continue;
      const double x = normal_quantile(p);
      const long double density = std::exp(-0.5L * x * x) / std::sqrt(2.0L * std::acos(-1.0L));
      ASSERT_NEAR(static_cast<double>((below(x) - p) / density), 0.0, 3e-15 * (1.0 + std::abs(x)))
          << p;
    }
  }
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
}

}  // namespace
}  // namespace tactum::normal_quantile_test
