// SPDX-License-Identifier: BSD-2-Clause
#include "core/format_number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "support/random.hpp"

namespace tactum::format_number_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double random_double(testing::Random& random) {
  for (;;) {
    const double value = std::bit_cast<double>(random.bits());
    if (std::isfinite(value)) return value;
  }
}

TEST(FormatNumber, ExactReadsBackAndIsNoLongerThanPrintf) {
  testing::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const double value = i % 2 == 0 ? random_double(random) : random.uniform(-100.0, 100.0);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(exact_text(value).c_str(), nullptr)),
              std::bit_cast<std::uint64_t>(value));
    char longest[64];
    std::snprintf(longest, sizeof longest, "%.17g", value);
    EXPECT_LE(exact_text(value).size(), std::string(longest).size());
  }
  EXPECT_EQ(exact_text(-0.1), "-0.1");
  EXPECT_EQ(exact_text(-1.0), "-1");
  EXPECT_EQ(exact_text(100.0), "100");
  EXPECT_EQ(exact_text(1e30), "1e+30");
}

TEST(FormatNumber, ShortestReadsBackAsTheSameBits) {
  testing::Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const double value = i % 2 == 0 ? random_double(random) : random.uniform(-100.0, 100.0);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(shortest_text(value).c_str(), nullptr)),
              std::bit_cast<std::uint64_t>(value));
  }
}

TEST(FormatNumber, ShortestIsPythonsRepr) {  // the right-hand sides were printed by Python's repr
  EXPECT_EQ(shortest_text(0.1), "0.1");
  EXPECT_EQ(shortest_text(2.0), "2.0");
  EXPECT_EQ(shortest_text(-0.0), "-0.0");
  EXPECT_EQ(shortest_text(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(shortest_text(100000.0), "100000.0");
  EXPECT_EQ(shortest_text(1e15), "1000000000000000.0");
  EXPECT_EQ(shortest_text(1e16), "1e+16");
  EXPECT_EQ(shortest_text(1.5e300), "1.5e+300");
  EXPECT_EQ(shortest_text(1e-4), "0.0001");
  EXPECT_EQ(shortest_text(1e-5), "1e-05");
  EXPECT_EQ(shortest_text(-2.5e-7), "-2.5e-07");
  EXPECT_EQ(shortest_text(5e-324), "5e-324");
}

TEST(FormatNumber, NotFinite) {
  for (const auto text : {exact_text, shortest_text}) {
    EXPECT_EQ(text(kInfinity), "inf");
    EXPECT_EQ(text(-kInfinity), "-inf");
    EXPECT_EQ(text(std::numeric_limits<double>::quiet_NaN()), "nan");
    EXPECT_EQ(text(-std::numeric_limits<double>::quiet_NaN()), "nan");
  }
}

}  // namespace
}  // namespace tactum::format_number_test
