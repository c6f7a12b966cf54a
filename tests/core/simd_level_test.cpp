// SPDX-License-Identifier: BSD-2-Clause
// The rule of TACTUM_SIMD on every machine that could be, and the level of this one.
#include "core/simd_level.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tactum::simd_level_test {
namespace {

TEST(SimdLevel, NamesAreThoseOfTheEnvironmentVariable) {
  EXPECT_EQ(to_string(SimdLevel::baseline), "baseline");
  EXPECT_EQ(to_string(SimdLevel::avx2), "avx2");
  EXPECT_EQ(to_string(SimdLevel::avx512), "avx512");
}

TEST(SimdLevel, WithoutAWishItIsTheBestOfTheMachine) {
  for (const SimdLevel machine : kSimdLevels)
    EXPECT_EQ(chosen_simd_level(nullptr, machine), machine);
}

TEST(SimdLevel, AWishLowersItAndNeverRaisesIt) {
  EXPECT_EQ(chosen_simd_level("baseline", SimdLevel::avx512), SimdLevel::baseline);
  EXPECT_EQ(chosen_simd_level("avx2", SimdLevel::avx512), SimdLevel::avx2);
  EXPECT_EQ(chosen_simd_level("avx512", SimdLevel::avx512), SimdLevel::avx512);
  EXPECT_EQ(chosen_simd_level("avx512", SimdLevel::avx2), SimdLevel::avx2);
  EXPECT_EQ(chosen_simd_level("avx512", SimdLevel::baseline), SimdLevel::baseline);
}

TEST(SimdLevel, UnknownNamesAreIgnored) {
  for (const char* name : {"", " avx2", "AVX2", "avx", "sse2", "avx5122", "2"}) {
    EXPECT_EQ(chosen_simd_level(name, SimdLevel::avx512), SimdLevel::avx512) << name;
  }
}

TEST(SimdLevel, TheOneInUseFollowsTheEnvironmentAndStays) {
  const SimdLevel level = simd_level();
  EXPECT_EQ(level, chosen_simd_level(std::getenv("TACTUM_SIMD"), machine_simd_level()));
  EXPECT_LE(level, machine_simd_level());
  EXPECT_EQ(simd_level(), level);
}

TEST(SimdVariants, GiveTheFunctionOfTheLevel) {
  using Function = int();
  constexpr SimdVariants<Function> variants{[] { return 0; }, [] { return 1; }, [] { return 2; }};
  for (const SimdLevel level : kSimdLevels)
    EXPECT_EQ(variants.at(level)(), static_cast<int>(level));
}

}  // namespace
}  // namespace tactum::simd_level_test
