// SPDX-License-Identifier: BSD-2-Clause
// The pose of one frame in another against the composition of poses.
#include "math/relative_pose.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tactum::relative_pose_test {
namespace {

using testing::Random;

TEST(RelativePose, IsTheInverseOfOneTimesTheOther) {
  Random random(5);
  for (int k = 0; k < 100; ++k) {
    const Pose X_WA{random.rotation(), random.in_box(1.0)},
        X_WB{random.rotation(), random.in_box(1.0)};
    const RelativePose found = relative_pose(X_WA, X_WB);
    const Pose expected = inverse(X_WA) * X_WB;
    const Vector3 v = random.in_box(1.0);
    EXPECT_LE((to_vector3(found.center) - expected.translation).norm(), 2e-15);
    EXPECT_LE((to_vector3(found.from_second(to_double3(v))) - expected.rotation * v).norm(), 4e-15);
    EXPECT_LE(
        (to_vector3(found.to_second(to_double3(v))) - expected.rotation.transpose() * v).norm(),
        4e-15);
    const Pose as_pose = pose_in_frame(X_WA, X_WB);
    EXPECT_EQ(as_pose.rotation.col(0), to_vector3(found.x));
    EXPECT_EQ(as_pose.rotation.col(1), to_vector3(found.y));
    EXPECT_EQ(as_pose.rotation.col(2), to_vector3(found.z));
    EXPECT_EQ(as_pose.translation, to_vector3(found.center));
  }
}

/// Both far away: the difference of the origins is taken first, so that it is exact.
TEST(RelativePose, DoesNotDependOnHowFarBothAre) {
  const Matrix3 R = Random(6).rotation();
  const Vector3 far(0x1p30, -0x1p30, 0x1p29), step(0.25, 0.5, -0.125);
  const RelativePose near_by = relative_pose({R, Vector3::Zero()}, {R, step}),
                     far_away = relative_pose({R, far}, {R, far + step});
  EXPECT_EQ(to_vector3(near_by.center), to_vector3(far_away.center));
}

}  // namespace
}  // namespace tactum::relative_pose_test
