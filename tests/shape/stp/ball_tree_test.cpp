// SPDX-License-Identifier: BSD-2-Clause
// Whether all points are inside a large ball, against a look at each in extended precision.
#include "shape/stp/ball_tree.hpp"

#include <gtest/gtest.h>

#include "support/extended.hpp"
#include "support/random.hpp"

namespace tactum::ball_tree_test {
namespace {

using namespace tactum::testing;

TEST(BallTree, SeesAPointOutsideAndOnlyThen) {
  Random random(20);
  int outside_found = 0;
  for (int k = 0; k < 400; ++k) {
    Points points(3, 1 + random.below(200));
    for (auto point : points.colwise()) point = random.in_box(1.0);
    const BallTree tree(points);
    const double radius = random.log_uniform(1.0, 1e6);
    const Vector3 corner = points.col(0), center = radius * random.direction();
    Real farthest = 0;
    for (const auto& point : points.colwise()) {
      const Vec3 d = widen(Vector3(point)) - widen(corner) - widen(center);
      farthest = std::max(farthest, d.norm());
    }
    const double excess = static_cast<double>(farthest - widen(center).norm());
    if (std::abs(excess) < 1e-9) continue;  // rounding may decide
    EXPECT_EQ(tree.has_point_outside(corner, center, radius, 0.0), excess > 0.0) << k;
    outside_found += excess > 0.0 ? 1 : 0;
    if (excess > 0.0) {
      EXPECT_FALSE(
          tree.has_point_outside(corner, center, radius, 2.0 * excess + excess * excess / radius));
    }
  }
  EXPECT_GT(outside_found, 100);
  EXPECT_LT(outside_found, 400);
}

}  // namespace
}  // namespace tactum::ball_tree_test
