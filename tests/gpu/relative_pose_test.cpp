// SPDX-License-Identifier: BSD-2-Clause
// Poses of the kernels against tactum::Pose, which is computed with Eigen.
#include "gpu/relative_pose.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cfenv>
#include <cmath>

#include "support/random.hpp"
#include "tactum/pose.hpp"

namespace tactum::gpu {
namespace relative_pose_tests {

Vector3 to_vector3(Vector<double> v) { return {v.x, v.y, v.z}; }

TEST(GpuRelativePose, IsThatOfTheLibrary) {
  testing::Random random(11);
  for (int i = 0; i < 2000; ++i) {
    const Pose A{random.rotation(), random.in_box(1e3)}, B{random.rotation(), random.in_box(1e3)};
    const Vector7 a = pose_xyz_xyzw(A), b = pose_xyz_xyzw(B);
    const RelativePose<double> X = relative_pose(read_pose(a.data()), read_pose(b.data()));
    const Pose expected = inverse(A) * B;
    const Vector3 p = random.in_box(1.0);
    EXPECT_LT((to_vector3(moved_to_a(X, {p.x(), p.y(), p.z()})) - expected * p).norm(),
              1e-12 * 2e3);
    EXPECT_LT((to_vector3(turned_to_a(X, {p.x(), p.y(), p.z()})) - expected.rotation * p).norm(),
              1e-14);
    EXPECT_LT(
        (to_vector3(turned_to_b(X, {p.x(), p.y(), p.z()})) - expected.rotation.transpose() * p)
            .norm(),
        1e-14);
    EXPECT_LT(
        (to_vector3(rotated(read_pose(a.data()).rotation, {p.x(), p.y(), p.z()})) - A.rotation * p)
            .norm(),
        1e-14);
  }
}

TEST(GpuRelativePose, DoesNotDependOnTheDistanceFromTheOrigin) {
  const std::array<double, 7> near_a = {0, 0, 0, 0, 0, 0, 1},
                              near_b = {0.25, 0.5, -0.125, 0, 0, 0, 1};
  std::array<double, 7> far_a = near_a, far_b = near_b;
  for (int i = 0; i < 3; ++i) far_a[i] += 1048576.0, far_b[i] += 1048576.0;
  const Vector<double> t =
      relative_pose(read_pose(far_a.data()), read_pose(far_b.data())).translation;
  EXPECT_EQ(t.x, 0.25);
  EXPECT_EQ(t.y, 0.5);
  EXPECT_EQ(t.z, -0.125);
}

TEST(GpuRelativePose, RefusesWhatTheLibraryRefuses) {
  const std::array<double, 7> good = {1, 2, 3, 0, 0, 0, 1};
  EXPECT_TRUE(read_pose(good.data()).valid);
  const double infinity = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 7; ++i) {
    for (const double bad : {std::nan(""), infinity, -infinity, 1e300, -1e31}) {
      std::array<double, 7> pose = good;
      pose[i] = bad;
      EXPECT_FALSE(read_pose(pose.data()).valid) << i << " " << bad;
    }
  }
  for (const double length : {0.0, 0.5, 1.0 + 3e-6, 2.0}) {
    std::array<double, 7> pose = good;
    pose[6] = length;
    EXPECT_FALSE(read_pose(pose.data()).valid) << length;
  }
  std::array<double, 7> close = good;
  close[6] = 1.0 + 5e-7;
  EXPECT_TRUE(read_pose(close.data()).valid);
  EXPECT_EQ(read_pose(close.data()).rotation.w, 1.0);
}

}  // namespace relative_pose_tests
}  // namespace tactum::gpu
