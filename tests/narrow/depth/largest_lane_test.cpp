// SPDX-License-Identifier: BSD-2-Clause
// The largest of many numbers in four lanes against a loop.
#include "narrow/depth/largest_lane.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "support/random.hpp"

namespace tactum::largest_lane_test {
namespace {

#if TACTUM_HAS_X86_TARGETS
using testing::Random;

TACTUM_TARGET_AVX2 LargestPlace found_in(const std::vector<double>& values,
                                         const std::vector<bool>& taken) {
  LargestLanes lanes = no_lanes();
  for (std::size_t i = 0; i < values.size(); i += 4) {
    const auto mask = [&](std::size_t k) {
      return std::bit_cast<double>(taken[i + k] ? ~std::uint64_t{0} : std::uint64_t{0});
    };
    update_largest(lanes, _mm256_loadu_pd(values.data() + i),
                   _mm256_set_pd(mask(3), mask(2), mask(1), mask(0)));
  }
  return largest_place(lanes);
}

TEST(LargestLane, IsTheFirstLargestThatIsTaken) {
  if (simd_level() < SimdLevel::avx2) return;  // the kernels that use it are not called either
  Random random(8);
  for (int k = 0; k < 500; ++k) {
    const std::size_t count = 4 * static_cast<std::size_t>(1 + random.below(6));
    std::vector<double> values(count);
    std::vector<bool> taken(count);
    int place = -1;
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = random.chance(0.5) ? random.below(4) : random.uniform(-3.0, 3.0);  // with ties
      taken[i] = random.chance(0.8);
      if (taken[i] && (place < 0 || values[i] > values[static_cast<std::size_t>(place)]))
        place = static_cast<int>(i);
    }
    const LargestPlace found = found_in(values, taken);
    ASSERT_EQ(found.place, place) << k;
    if (place >= 0) {
      ASSERT_EQ(found.value, values[static_cast<std::size_t>(place)]);
    }
  }
}
#endif

}  // namespace
}  // namespace tactum::largest_lane_test
