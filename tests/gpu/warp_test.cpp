// SPDX-License-Identifier: BSD-2-Clause
// The warp of the host: every lane runs every step once, votes and winners are those of a loop.
#include "gpu/warp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "support/random.hpp"

namespace tactum::gpu::warp_test {
namespace {

TEST(GpuWarp, EveryLaneRunsEveryStepOnceAndSeesTheStepBefore) {
  const HostWarp warp;
  std::array<int, kWarpLanes> runs{}, seen{};
  warp.each([&](int lane) { ++runs[static_cast<std::size_t>(lane)]; });
  warp.each([&](int lane) {
    seen[static_cast<std::size_t>(lane)] = runs[static_cast<std::size_t>(31 - lane)];
  });
  for (const int count : seen) EXPECT_EQ(count, 1);
}

TEST(GpuWarp, BallotHasOneBitForEachLane) {
  const HostWarp warp;
  EXPECT_EQ(warp.ballot([](int lane) { return lane % 3 == 0; }), 0x49249249U);
  EXPECT_EQ(count_bits(0x49249249U), 11);
  EXPECT_EQ(warp.ballot([](int) { return true; }), 0xFFFFFFFFU);
}

TEST(GpuWarp, LargestIsThatOfALoopAndTheLowestLaneWinsATie) {
  const HostWarp warp;
  testing::Random random(901);
  for (int i = 0; i < 200; ++i) {
    std::array<double, kWarpLanes> values;
    for (double& value : values) value = random.below(8);
    const auto first = std::max_element(values.begin(), values.end());
    const Best<double> best = warp.largest<double>(
        [&](int lane) { return Best<double>{values[static_cast<std::size_t>(lane)], 100 + lane}; });
    EXPECT_EQ(best.value, *first);
    EXPECT_EQ(best.name, 100 + (first - values.begin()));
  }
}

TEST(GpuWarp, SetBitSaysWhetherItWasSet) {
  std::uint32_t word = 0;
  EXPECT_FALSE(HostWarp::set_bit(word, 31));
  EXPECT_TRUE(HostWarp::set_bit(word, 31));
  EXPECT_FALSE(HostWarp::set_bit(word, 0));
  EXPECT_EQ(word, 0x80000001U);
}

}  // namespace
}  // namespace tactum::gpu::warp_test
