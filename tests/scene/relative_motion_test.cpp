// SPDX-License-Identifier: BSD-2-Clause
// Bounds of the approach of two bodies against the bodies themselves, at many times.
#include "scene/relative_motion.hpp"

#include <gtest/gtest.h>

#include "scene/scene_fixtures.hpp"
#include "tactum/distance.hpp"

namespace tactum::relative_motion_test {
namespace {

using testing::Random;

struct Sample {
  Shape a, b;
  RelativeMotion motion;

  Distance at(double time) const {
    return distance(a, motion.a().motion.at(time), b, motion.b().motion.at(time));
  }
};

Sample random_sample(Random& random) {
  const Shape a = testing::bounded_shape(random), b = testing::bounded_shape(random);
  const auto moving = [&](const Shape& shape) {
    const Pose from = testing::random_pose(random, 1.5);
    const bool turns = random.chance(0.7), moves = random.chance(0.8);
    const Pose by{turns ? random.rotation() : Matrix3::Identity(),
                  moves ? random.in_box(2.0) : Vector3::Zero()};
    return MovingBody{ScrewMotion(from, from * by), bounding_sphere(shape)};
  };
  return {a, b, {moving(a), moving(b)}};
}

TEST(RelativeMotion, NothingApproachesFasterThanTheBounds) {
  Random random(5);
  int tight = 0;
  for (int i = 0; i < 300; ++i) {
    const Sample sample = random_sample(random);
    const double time = random.uniform(0.0, 0.9);
    const Distance start = sample.at(time);
    if (!(start.distance > 0.01)) continue;
    const double gap = random.uniform(0.0, start.distance);
    const double any = sample.motion.safe_time(time, gap),
                 along = sample.motion.safe_time_along(start.normal, time, gap);
    const double until = std::min(1.0, time + std::max(any, along));
    for (int k = 0; k <= 20; ++k) {
      const double t = time + (until - time) * k / 20.0;
      EXPECT_GE(sample.at(t).distance, start.distance - gap - 1e-9) << i << " " << t;
    }
    EXPECT_GE(sample.at(1.0).distance,
              start.distance - sample.motion.farthest_approach(time) - 1e-9);
    if (until < 1.0 && sample.at(until).distance < start.distance - 0.5 * gap) ++tight;
  }
  EXPECT_GT(tight, 5);
}

/// Two bodies that only move along the normal: both bounds are what they move by.
TEST(RelativeMotion, TranslationsAreExact) {
  const BoundingSphere ball{Vector3::Zero(), 1.0};
  const Pose from{Matrix3::Identity(), {5.0, 0.0, 0.0}}, to{Matrix3::Identity(), {1.0, 0.0, 0.0}};
  const RelativeMotion motion({ScrewMotion(Pose{}, Pose{}), ball}, {ScrewMotion(from, to), ball});
  EXPECT_DOUBLE_EQ(motion.safe_time(0.0, 3.0), 0.75);
  EXPECT_DOUBLE_EQ(motion.safe_time_along({1.0, 0.0, 0.0}, 0.0, 3.0), 0.75);
  EXPECT_EQ(motion.safe_time_along({0.0, 1.0, 0.0}, 0.0, 3.0),
            std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(motion.rate_along({1.0, 0.0, 0.0}, Vector3::Zero(), 0.3), -4.0);
  EXPECT_DOUBLE_EQ(motion.farthest_approach(0.5), 2.0);
}

/// Bodies that move as one do not approach, however fast they turn.
TEST(RelativeMotion, OneRigidBodyIsAtRest) {
  Random random(6);
  const Pose from = testing::random_pose(random, 1.0), to = testing::random_pose(random, 1.0);
  const Pose X_AB = testing::random_pose(random, 3.0);
  const BoundingSphere ball{Vector3::Zero(), 0.5};
  const RelativeMotion motion({ScrewMotion(from, to), ball},
                              {ScrewMotion(from * X_AB, to * X_AB), ball});
  EXPECT_GT(motion.safe_time(0.0, 0.1), 1e6);  // rounding leaves a turn of 1e-16
  EXPECT_LT(motion.farthest_approach(0.0), 1e-12);
}

}  // namespace
}  // namespace tactum::relative_motion_test
