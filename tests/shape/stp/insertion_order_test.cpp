// SPDX-License-Identifier: BSD-2-Clause
// The insertion order is a permutation, its rounds double in size, and neighbors in it are near.
#include "shape/stp/insertion_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/random.hpp"

namespace tactum::insertion_order_test {
namespace {

using testing::Random;

std::vector<Double3> random_points(int count) {
  Random random(5);
  std::vector<Double3> points;
  for (int i = 0; i < count; ++i) points.push_back(to_double3(random.in_box(0.5)));
  return points;
}

TEST(InsertionOrder, EveryPointComesOnce) {
  const std::vector<Double3> points = random_points(1000);
  std::vector<std::int32_t> order = insertion_order(points, 1.0);
  EXPECT_EQ(order, insertion_order(points, 1.0));
  std::sort(order.begin(), order.end());
  std::vector<std::int32_t> all(points.size());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(order, all);
}

TEST(InsertionOrder, NeighborsAreNear) {
  const std::vector<Double3> points = random_points(8000);
  const std::vector<std::int32_t> order = insertion_order(points, 1.0);
  double along_order = 0.0, along_index = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    along_order += (points[order[i]] - points[order[i - 1]]).norm();
    along_index += (points[i] - points[i - 1]).norm();
  }
  EXPECT_LT(along_order, 0.25 * along_index);
}

TEST(InsertionOrder, EarlyPointsAreSpreadOverTheWhole) {
  const std::vector<Double3> points = random_points(8000);
  const std::vector<std::int32_t> order = insertion_order(points, 1.0);
  Double3 sum{0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < 1000; ++i) sum = sum + points[order[i]];
  EXPECT_LT((1e-3 * sum).norm(), 0.05);  // the mean of one octant has a norm of 0.43
}

TEST(InsertionOrder, NoPointsAndOnePoint) {
  EXPECT_TRUE(insertion_order({}, 1.0).empty());
  EXPECT_EQ(insertion_order(random_points(1), 1.0).size(), 1U);
}

}  // namespace
}  // namespace tactum::insertion_order_test
