// SPDX-License-Identifier: BSD-2-Clause
// Vertices in one place, against the definition by all pairs.
#include "mesh/surface/weld.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tactum::weld_test {
namespace {

TEST(Weld, FindsWhatAllPairsFind) {
  testing::Random random(3);
  for (int round = 0; round < 200; ++round) {
    const int count = 1 + random.below(60);
    const double tolerance = random.log_uniform(1e-12, 1e-1);
    Points points(3, count);
    for (int i = 0; i < count; ++i) {
      points.col(i) = random.in_box(1.0);
      if (i > 0 && random.chance(0.5))
        points.col(i) = points.col(random.below(i)) + random.in_box(2.0 * tolerance);
    }
    const std::vector<std::int32_t> found = welded(points, tolerance);
    for (int i = 0; i < count; ++i) {
      int expected = i;
      for (int j = i - 1; j >= 0; --j) {
        const bool kept = found[static_cast<std::size_t>(j)] == j;
        if (kept && (points.col(j) - points.col(i)).cwiseAbs().maxCoeff() <= tolerance)
          expected = j;
      }
      ASSERT_EQ(found[static_cast<std::size_t>(i)], expected);
    }
  }
}

TEST(Weld, PointsThatAllCoincideAreTheFirst) {
  const Points points = Points::Constant(3, 1000, 7.0);
  EXPECT_EQ(weld_tolerance(points), 0.0);
  for (const std::int32_t first : welded(points, 0.0)) EXPECT_EQ(first, 0);
}

TEST(Weld, TheToleranceIsThatOfTheExtent) {
  Points points(3, 2);
  points << 0, 1, 0, 8, 0, 2;
  EXPECT_EQ(weld_tolerance(points), 32.0 * 0x1p-52);
}

}  // namespace
}  // namespace tactum::weld_test
