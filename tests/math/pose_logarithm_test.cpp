// SPDX-License-Identifier: BSD-2-Clause
// The logarithm against the exponential, and screws against rotations about an axis.
#include "math/pose_logarithm.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "support/random.hpp"

namespace tactum::pose_logarithm_test {
namespace {

using testing::Random;

double difference(const Pose& X, const Pose& Y) {
  return std::max((X.rotation - Y.rotation).cwiseAbs().maxCoeff(),
                  (X.translation - Y.translation).cwiseAbs().maxCoeff());
}

TEST(PoseLogarithm, IsTheInverseOfTheExponential) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    // angles of every size, up to half a turn
    const double angle = random.chance(0.5) ? random.log_uniform(1e-12, std::numbers::pi)
                                            : std::numbers::pi - random.log_uniform(1e-12, 1.0);
    const Pose X{Random::turn(random.direction(), angle), random.in_box(2.0)};
    const Twist twist = pose_logarithm(X);
    EXPECT_NEAR(twist.w.norm(), angle, 1e-14);
    EXPECT_LE(difference(pose_exponential(twist.v, twist.w), X), 2e-14) << angle;
  }
}

TEST(PoseLogarithm, HalfTurnsAndNoTurn) {
  for (const Vector3& axis : {Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)}) {
    const Pose X{2.0 * axis * axis.transpose() - Matrix3::Identity(), {1.0, 2.0, 3.0}};
    const Twist twist = pose_logarithm(X);
    EXPECT_LE(difference(pose_exponential(twist.v, twist.w), X), 4e-15);
  }
  const Pose translation{Matrix3::Identity(), {1.0, -2.0, 3.0}};
  EXPECT_EQ(pose_logarithm(translation).v, translation.translation);
  EXPECT_EQ(pose_logarithm(translation).w, Vector3::Zero());
}

/// A body that turns about a fixed axis away from its origin stays on its circle.
TEST(ScrewMotion, TurnsAboutAFixedAxis) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const Vector3 axis = random.direction(), center = random.in_box(1.0);
    const double angle = random.uniform(0.01, 3.1), pitch = random.uniform(-1.0, 1.0);
    const Pose from{random.rotation(), random.in_box(1.0)};
    const auto at = [&](double t) {
      const Matrix3 R = Random::turn(axis, t * angle);
      return Pose{R, center - R * center + t * pitch * axis} * from;
    };
    const ScrewMotion motion(from, at(1.0));
    for (const double t : {0.0, 0.25, 0.6, 1.0}) EXPECT_LE(difference(motion.at(t), at(t)), 3e-14);
  }
}

}  // namespace
}  // namespace tactum::pose_logarithm_test
