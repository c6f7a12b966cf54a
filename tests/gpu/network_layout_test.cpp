// SPDX-License-Identifier: BSD-2-Clause
// Every number of a network has one place, and every place at most one number.
#include "gpu/network_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tactum::gpu {
namespace network_layout_tests {

/// How often each number below `count` occurs; others must not occur.
class Tally {
 public:
  explicit Tally(int count) : seen_(static_cast<std::size_t>(count), 0) {}
  void see(int number) {
    ASSERT_GE(number, 0);
    ASSERT_LT(number, static_cast<int>(seen_.size()));
    ++seen_[static_cast<std::size_t>(number)];
  }
  bool all_once() const {
    return std::all_of(seen_.begin(), seen_.end(), [](int times) { return times == 1; });
  }

 private:
  std::vector<int> seen_;
};

TEST(GpuNetworkLayout, ColumnsAreFeaturesInAnotherOrder) {
  for (const int features : {64, 96}) {
    Tally tally(features);
    for (int column = 0; column < features; ++column)
      tally.see(feature_of_column(column, features));
    EXPECT_TRUE(tally.all_once());
    // column v of the x of the vectors of a half belongs to the triple v
    EXPECT_EQ(feature_of_column(5, features), 15);
    EXPECT_EQ(feature_of_column(kVectorsPerHalf + 5, features), 16);
    EXPECT_EQ(feature_of_column(features / 2 + 2 * kVectorsPerHalf + 5, features),
              features / 2 + 17);
  }
}

TEST(GpuNetworkLayout, EveryInputHasAColumn) {
  constexpr int kRest = 38;  // what a view has besides the features of both objects
  for (const int features : {64, 96}) {
    Tally tally(2 * features + kRest);
    int empty = 0;
    for (int column = 0; column < 2 * features + kSlots; ++column) {
      const int input = input_of_column(column, features);
      if (input < 0)
        ++empty;
      else
        tally.see(input);
    }
    EXPECT_TRUE(tally.all_once());
    EXPECT_EQ(empty, kSlots - kRest);
  }
}

TEST(GpuNetworkLayout, SlotsOfALaneHaveColumnsOfTheirOwn) {
  Tally tally(kSlots);
  for (int t = 0; t < 4; ++t)
    for (int s = 0; s < kSlotsPerLane; ++s) tally.see(column_of_slot(t, s));
  EXPECT_TRUE(tally.all_once());
}

TEST(GpuNetworkLayout, WeightsFillTheirTable) {
  constexpr int kInputs = 48, kWidth = 64;
  Tally tally(kInputs * kWidth);
  for (int k = 0; k < kInputs; ++k)
    for (int n = 0; n < kWidth; ++n) tally.see(place_of_weight(k, n, kWidth));
  EXPECT_TRUE(tally.all_once());
}

TEST(GpuNetworkLayout, CellsFillTheirTable) {
  constexpr int kFeatures = 64, kCells = 3 * kCellsPerTile;
  const int columns = 16 * tiles_per_half(kFeatures);
  Tally tally(kCells * columns);
  for (int k = 0; k < kCells; ++k)
    for (int n = 0; n < columns; ++n) tally.see(place_of_cell(k, n, kFeatures));
  EXPECT_TRUE(tally.all_once());
}

}  // namespace network_layout_tests
}  // namespace tactum::gpu
