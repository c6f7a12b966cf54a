// SPDX-License-Identifier: BSD-2-Clause
// Boxes in float hold the boxes in double they were made of.
#include "broad/float_box.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random.hpp"

namespace tactum::float_box_test {
namespace {

using testing::Random;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Aabb random_box(Random& random) {
  const Vector3 a = random.log_uniform(1e-30, 1e30) * random.direction(),
                b = random.log_uniform(1e-30, 1e30) * random.direction();
  return {a.cwiseMin(b), a.cwiseMax(b)};
}

bool holds(const FloatBox& outer, const Aabb& inner) {
  for (int i = 0; i < 3; ++i) {
    if (static_cast<double>(outer.lower[i]) > inner.lower[i] ||
        static_cast<double>(outer.upper[i]) < inner.upper[i])
      return false;
  }
  return true;
}

TEST(FloatBox, HoldsTheBoxItWasMadeOf) {
  Random random(26);
  for (int k = 0; k < 2000; ++k) {
    const Aabb a = random_box(random), b = random_box(random);
    ASSERT_TRUE(is_ordinary(a));
    const FloatBox small = float_box(a), other = float_box(b), both = merged(small, other);
    EXPECT_TRUE(holds(small, a));
    EXPECT_TRUE(holds(enlarged_box(a), a));
    EXPECT_TRUE(encloses(enlarged_box(a), small));
    EXPECT_TRUE(encloses(both, small) && encloses(both, other));
    EXPECT_TRUE(holds(clipped_box(a), a));
    for (int i = 0; i < 3; ++i) {
      const double size = std::max(std::abs(a.lower[i]), std::abs(a.upper[i]));
      EXPECT_LE(static_cast<double>(small.upper[i]) - a.upper[i], 3e-7 * size + 1e-37);
    }
  }
}

TEST(FloatBox, OverlapCountsTouching) {
  const Aabb unit{Vector3::Zero(), Vector3::Ones()};
  EXPECT_TRUE(boxes_overlap(unit, {Vector3::Ones(), 2.0 * Vector3::Ones()}));
  EXPECT_FALSE(boxes_overlap(unit, {Vector3(1.001, 0, 0), Vector3(2, 1, 1)}));
  EXPECT_FALSE(boxes_overlap({Vector3(0, 0, -2), Vector3(1, 1, -0.001)}, unit));
  EXPECT_EQ(half_area({{0, 0, 0}, {1, 2, 3}}), 11.0);
}

TEST(FloatBox, WhatIsNotOrdinary) {
  const Aabb unit{Vector3::Zero(), Vector3::Ones()};
  EXPECT_TRUE(is_ordinary(unit));
  for (const double bad : {kInfinity, -kInfinity, 3.5e38, std::nan("")}) {
    Aabb box = unit;
    box.upper[1] = bad;
    EXPECT_FALSE(is_ordinary(box)) << bad;
  }
  EXPECT_FALSE(is_ordinary({Vector3::Ones(), Vector3::Zero()}));
  const FloatBox clipped = clipped_box(
      {Vector3::Constant(-kInfinity), Vector3::Constant(kInfinity)});
  EXPECT_LE(clipped.lower[0], -3.4e38F);
  EXPECT_TRUE(std::isfinite(clipped.upper[2]));
}

}  // namespace
}  // namespace tactum::float_box_test
