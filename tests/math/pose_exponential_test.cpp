// SPDX-License-Identifier: BSD-2-Clause
// The exponential of SE(3) against its power series.
#include "math/pose_exponential.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tactum::pose_exponential_test {
namespace {

using testing::Random;

/// The sum of (the 4 x 4 matrix of the motion)^k / k!.
Matrix4 power_series(const Vector3& v, const Vector3& w) {
  Matrix4 motion = Matrix4::Zero();
  motion.topLeftCorner<3, 3>() << 0.0, -w.z(), w.y(), w.z(), 0.0, -w.x(), -w.y(), w.x(), 0.0;
  motion.topRightCorner<3, 1>() = v;
  Matrix4 term = Matrix4::Identity(), sum = term;
  for (int k = 1; k < 40; ++k) {
    term = term * motion / k;
    sum += term;
  }
  return sum;
}

TEST(PoseExponential, IsThePowerSeries) {
  Random random(4);
  for (const double angle : {0.0, 1e-9, 1e-4, 0.049, 0.051, 0.5, 3.0}) {
    for (int k = 0; k < 20; ++k) {
      const Vector3 v = random.in_box(1.0), w = angle * random.direction();
      const Matrix4 difference = pose_matrix(pose_exponential(v, w)) - power_series(v, w);
      EXPECT_LE(difference.cwiseAbs().maxCoeff(), 2e-14) << angle;
    }
  }
}

TEST(PoseExponential, MotionsAboutOneAxisAddUp) {
  const Vector3 v(0.1, -0.2, 0.3), w(0.02, 0.03, -0.01);
  const Pose twice = pose_exponential(v, w) * pose_exponential(v, w),
             whole = pose_exponential(2.0 * v, 2.0 * w);
  EXPECT_LE((pose_matrix(twice) - pose_matrix(whole)).norm(), 1e-15);
}

}  // namespace
}  // namespace tactum::pose_exponential_test
