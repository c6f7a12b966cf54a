// SPDX-License-Identifier: BSD-2-Clause
// One rule for bounds and status, case by case.
#include "narrow/pair/bounds_and_status.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tactum::bounds_and_status_test {
namespace {

using testing::Random;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(BoundsAndStatus, ASignIsClaimedOnlyWhereBothBoundsHaveIt) {
  Random random(14);
  for (int k = 0; k < 2000; ++k) {
    const double scale = random.log_uniform(1e-3, 1e3);
    const double distance = random.sign() * scale * random.log_uniform(1e-17, 1.0);
    const double gap = random.chance(0.5) ? 0.0 : scale * random.log_uniform(1e-17, 1e-12);
    const BoundsAndStatus r(distance, distance - gap, distance + gap, 0.0, scale, kInfinity);
    EXPECT_LT(r.lower, distance);
    EXPECT_GT(r.upper, distance);
    EXPECT_EQ(r.distance, distance);
    if (r.status == Status::separated) {
      EXPECT_GT(r.lower, 0.0);
    }
    if (r.status == Status::penetrating) {
      EXPECT_LT(r.upper, 0.0);
    }
    if (std::abs(distance) <= kContactBand * scale) {
      EXPECT_EQ(r.status, Status::touching);
    }
    if (distance > 1e-10 * scale) {
      EXPECT_EQ(r.status, Status::separated);
    }
    if (distance < -1e-10 * scale) {
      EXPECT_EQ(r.status, Status::penetrating);
    }
  }
}

TEST(BoundsAndStatus, BeyondTheCutoffTheDistanceIsTheLowerBound) {
  const BoundsAndStatus r(2.0, 2.0, 2.0, 0.0, 1.0, 1.0);
  EXPECT_EQ(r.status, Status::beyond_cutoff);
  EXPECT_EQ(r.distance, r.lower);
  EXPECT_EQ(r.upper, kInfinity);
  EXPECT_LT(r.lower, 2.0);
}

TEST(BoundsAndStatus, WhatTouchesIsWithinEveryCutoff) {
  for (const double distance : {0.0, kContactBand, -kContactBand})
    EXPECT_EQ(BoundsAndStatus(distance, distance, distance, 0.0, 1.0, 0.0).status,
              Status::touching);
  // a support error widens bounds and contact
  const BoundsAndStatus r(1e-9, 1e-9, 1e-9, 1e-8, 1.0, 0.0);
  EXPECT_EQ(r.status, Status::touching);
  EXPECT_LE(r.upper - r.lower, 2.0 * (1e-8 + kBoundSlack) * (1.0 + 1e-9));
}

}  // namespace
}  // namespace tactum::bounds_and_status_test
