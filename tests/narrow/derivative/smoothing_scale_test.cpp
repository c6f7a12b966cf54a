// SPDX-License-Identifier: BSD-2-Clause
// Scales of estimators as angles.
#include "narrow/derivative/smoothing_scale.hpp"

#include <gtest/gtest.h>

namespace tactum::smoothing_scale_test {
namespace {

TEST(SmoothingScale, OfADirectionIsAnAngle) {
  WitnessPair pair{};
  pair.distance = 0.5;
  pair.scale = 1.0;
  EXPECT_EQ(angle_of(0.1, RelativeTo::direction, pair), 0.1);
}

TEST(SmoothingScale, OfASeparationIsDividedByTheDistance) {
  WitnessPair pair{};
  pair.scale = 1.0;
  for (const double distance : {0.5, -0.5}) {
    pair.distance = distance;
    EXPECT_EQ(angle_of(0.1, RelativeTo::separation, pair), 0.2);
  }
  pair.distance = 0.0;  // at contact it stays finite
  EXPECT_NEAR(angle_of(0.1, RelativeTo::separation, pair), 1e8, 1.0);
}

}  // namespace
}  // namespace tactum::smoothing_scale_test
