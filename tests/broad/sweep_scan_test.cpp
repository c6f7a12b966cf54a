// SPDX-License-Identifier: BSD-2-Clause
#include "broad/sweep_scan.hpp"

#include <gtest/gtest.h>

#include "broad/broad_fixtures.hpp"

namespace tactum::sweep_scan_test {
namespace {

using namespace tactum::testing;

TEST(SweepScan, FindsWhatOneByOneFindsAtEveryLevel) {
  Random random(1);
  for (int k = 0; k < 500; ++k) {
    const auto count = static_cast<std::size_t>(random.below(200));
    std::array<std::vector<float>, 5> columns;
    for (std::vector<float>& column : columns) {
      // ties are frequent
      for (std::size_t i = 0; i < count; ++i)
        column.push_back(static_cast<float>(random.below(10)));
      column.resize(count + kSweepBlock, std::numeric_limits<float>::infinity());
    }
    std::ranges::sort(columns[0]);
    const SweepColumns view{columns[0].data(), columns[1].data(), columns[2].data(),
                            columns[3].data(), columns[4].data()};
    const auto draw = [&] { return static_cast<float>(random.below(10)); };
    const SweepLimits limits{draw(), draw(), draw(), draw(), draw()};
    const auto begin = static_cast<std::size_t>(random.below(static_cast<int>(count) + 1));
    std::vector<std::size_t> expected;
    for (std::size_t i = begin; i < count && columns[0][i] <= limits.first_upper; ++i) {
      const bool hit = columns[1][i] <= limits.second_upper &&
                       columns[2][i] >= limits.second_lower &&
                       columns[3][i] <= limits.third_upper && columns[4][i] >= limits.third_lower;
      if (hit) expected.push_back(i);
    }
    for (const SimdLevel level : kSimdLevels) {
      if (level > machine_simd_level()) continue;
      std::vector<std::size_t> found;
      for (std::size_t row = begin;;) {
        const SweepBlock block = sweep_scan_at(level)(view, limits, row);
        for (std::size_t bit = 0; bit < kSweepBlock; ++bit) {
          if ((block.hits >> bit & 1U) != 0) found.push_back(block.begin + bit);
        }
        if (block.last) break;
        row = block.begin + kSweepBlock;
      }
      ASSERT_EQ(found, expected) << to_string(level);
    }
  }
}

}  // namespace
}  // namespace tactum::sweep_scan_test
