// SPDX-License-Identifier: BSD-2-Clause
// Eight boxes in a node against one at a time.
#include "broad/wide_node.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/random.hpp"

namespace tactum::wide_node_test {
namespace {

using testing::Random;

FloatBox random_box(Random& random) {
  const Vector3 a = random.in_box(1.0), b = random.in_box(1.0);
  return float_box({a.cwiseMin(b), a.cwiseMax(b)});
}

bool overlap(const FloatBox& a, const FloatBox& b) {
  for (int i = 0; i < 3; ++i) {
    if (a.lower[i] > b.upper[i] || b.lower[i] > a.upper[i]) return false;
  }
  return true;
}

TEST(WideNode, OverlapsAreThoseOfEachLane) {
  Random random(28);
  for (int k = 0; k < 300; ++k) {
    WideNode node{};
    std::vector<FloatBox> boxes(kWidth);
    const int used = 1 + random.below(kWidth);
    for (int i = 0; i < kWidth; ++i) node.clear_lane(i);
    for (int i = 0; i < used; ++i) {
      boxes[static_cast<std::size_t>(i)] = random_box(random);
      node.set_box(i, boxes[static_cast<std::size_t>(i)]);
    }
    const FloatBox box = random_box(random);
    unsigned expected = 0;
    FloatBox all = boxes[0];
    for (int i = 0; i < used; ++i) {
      const FloatBox& lane = boxes[static_cast<std::size_t>(i)];
      expected |= overlap(lane, box) ? 1U << i : 0U;
      all = merged(all, lane);
      EXPECT_TRUE(encloses(node.box(i), lane) && encloses(lane, node.box(i)));
    }
    EXPECT_EQ(Probe(box).overlaps(node), expected);
    // each lane overlaps itself, and an empty lane nothing
    EXPECT_TRUE((Probe(node, 0).overlaps(node) & 1U) != 0U);
    const FloatBox found = bounds(node);
    EXPECT_TRUE(encloses(found, all) && encloses(all, found));
  }
}

TEST(WideNode, BitsComeInOrder) {
  std::vector<int> seen;
  for_each_bit(0b10100101U, [&](int i) { seen.push_back(i); });
  EXPECT_EQ(seen, (std::vector<int>{0, 2, 5, 7}));
}

}  // namespace
}  // namespace tactum::wide_node_test
