// SPDX-License-Identifier: BSD-2-Clause
#include "gpu/half_bits.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tactum::gpu {
namespace half_bits_tests {

TEST(GpuHalfBits, EveryNumberComesBack) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    if ((bits & 0x7c00U) == 0x7c00U) continue;  // no finite number
    const auto half = static_cast<std::uint16_t>(bits);
    EXPECT_EQ(to_half_bits(from_half_bits(half)), half);
  }
}

TEST(GpuHalfBits, KnownNumbers) {
  EXPECT_EQ(to_half_bits(1.0F), 0x3c00U);
  EXPECT_EQ(to_half_bits(-2.0F), 0xc000U);
  EXPECT_EQ(to_half_bits(0.0F), 0x0000U);
  EXPECT_EQ(to_half_bits(-0.0F), 0x8000U);
  EXPECT_EQ(to_half_bits(std::ldexp(1.0F, -24)), 0x0001U);
  EXPECT_EQ(to_half_bits(std::ldexp(1.0F, -14)), 0x0400U);
  EXPECT_EQ(to_half_bits(kLargestHalf), 0x7bffU);
  EXPECT_EQ(to_half_bits(1e30F), 0x7bffU);
  EXPECT_EQ(to_half_bits(-1e30F), 0xfbffU);
  // halfway between 1 and the next number, and between that and the one behind it
  EXPECT_EQ(to_half_bits(1.0F + std::ldexp(1.0F, -11)), 0x3c00U);
  EXPECT_EQ(to_half_bits(1.0F + 3.0F * std::ldexp(1.0F, -11)), 0x3c02U);
}

TEST(GpuHalfBits, NoNeighborIsNearer) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> fraction(-1.0F, 1.0F);
  std::uniform_int_distribution<int> power(-26, 15);
  for (int i = 0; i < 20000; ++i) {
    const float value = std::ldexp(fraction(random), power(random));
    const std::uint16_t half = to_half_bits(value);
    const float error = std::fabs(from_half_bits(half) - value);
    for (const int step : {-1, 1}) {
      const auto other = static_cast<std::uint16_t>(half + step);
      if ((other & 0x7c00U) == 0x7c00U || ((other ^ half) & 0x8000U) != 0) continue;
      EXPECT_LE(error, std::fabs(from_half_bits(other) - value)) << value;
    }
  }
}

}  // namespace half_bits_tests
}  // namespace tactum::gpu
