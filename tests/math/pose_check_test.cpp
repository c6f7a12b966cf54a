// SPDX-License-Identifier: BSD-2-Clause
// The quiet checks agree with the ones that throw, on good and bad numbers of every sort, and never
// trap.
#include "math/pose_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random.hpp"
#include "tactum/status.hpp"

namespace tactum::pose_check_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

PoseQuality by_exception(const Pose& pose) {
  try {
    return check_pose(pose, "X").corrected ? PoseQuality::correctable : PoseQuality::exact;
  } catch (const InvalidInput&) {
    return PoseQuality::bad;
  }
}

TEST(PoseCheck, RotationsAtEveryDistanceFromOrthonormal) {
  testing::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Pose exact{random.rotation(), random.in_box(1e3)};
    EXPECT_EQ(pose_quality(exact), PoseQuality::exact);
    EXPECT_EQ(pose_quality({-exact.rotation, exact.translation}), PoseQuality::bad);
    Pose stretched = exact;
    const double stretch = random.log_uniform(1e-16, 1e-3);
    stretched.rotation *= 1.0 + stretch;
    // left out: what rounding may put on either side of a limit
    if (stretch < 0.9e-12) {
      EXPECT_EQ(pose_quality(stretched), PoseQuality::exact) << stretch;
    } else if (stretch > 1.1e-12 && stretch < 0.99e-6) {
      EXPECT_EQ(pose_quality(stretched), PoseQuality::correctable) << stretch;
    } else if (stretch > 1.01e-6) {
      EXPECT_EQ(pose_quality(stretched), PoseQuality::bad) << stretch;
    }
    EXPECT_EQ(pose_quality(stretched), by_exception(stretched)) << stretch;
    // a sheared one: only an entry off the diagonal of R^T R is wrong
    Pose sheared = exact;
    sheared.rotation.col(0) += 1e-3 * sheared.rotation.col(1);
    EXPECT_EQ(pose_quality(sheared), PoseQuality::bad);
  }
}

TEST(PoseCheck, AnyEntryMayBeBad) {
  for (const double bad : {kNan, -kNan, kInfinity, -kInfinity, 1e300, -1e300, 2.0001,
                           std::numeric_limits<double>::signaling_NaN()}) {
    for (int i = 0; i < 9; ++i) {
      Pose pose;
      pose.rotation.data()[i] = bad;
      EXPECT_EQ(pose_quality(pose), PoseQuality::bad) << bad << " at " << i;
    }
  }
  for (const double bad : {kNan, kInfinity, -kInfinity, 1.0001e30, -1e300}) {
    for (int i = 0; i < 3; ++i) {
      Pose pose;
      pose.translation[i] = bad;
      EXPECT_EQ(pose_quality(pose), PoseQuality::bad) << bad << " at " << i;
      pose.translation[i] = std::copysign(1e30, bad);
      EXPECT_EQ(pose_quality(pose), PoseQuality::exact);
    }
  }
}

TEST(PoseCheck, Quaternions) {
  testing::Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const Pose pose{random.rotation(), random.in_box(10.0)};
    Vector7 numbers = pose_xyz_xyzw(pose);
    const auto made = try_pose_from_xyz_xyzw(numbers);
    ASSERT_TRUE(made.has_value());
    EXPECT_FALSE(made->corrected);
    EXPECT_LE((made->pose.rotation - pose.rotation).norm(), 1e-14);
    EXPECT_EQ(made->pose.rotation, pose_from_xyz_xyzw(numbers).rotation);
    EXPECT_EQ(made->pose.translation, pose.translation);
    numbers.tail<4>() *= 1.0 + 1e-9;
    ASSERT_TRUE(try_pose_from_xyz_xyzw(numbers).has_value());
    EXPECT_TRUE(try_pose_from_xyz_xyzw(numbers)->corrected);
    numbers.tail<4>() *= 1.0 + 1e-5;
    EXPECT_FALSE(try_pose_from_xyz_xyzw(numbers).has_value());
    EXPECT_THROW(pose_from_xyz_xyzw(numbers), InvalidInput);
  }
  for (int i = 0; i < 7; ++i) {
    for (const double bad : {kNan, kInfinity, -kInfinity, 1e300}) {
      Vector7 numbers = pose_xyz_xyzw({});
      numbers[i] = bad;
      EXPECT_FALSE(try_pose_from_xyz_xyzw(numbers).has_value()) << bad << " at " << i;
      EXPECT_THROW(pose_from_xyz_xyzw(numbers), InvalidInput);
    }
  }
  EXPECT_FALSE(try_pose_from_xyz_xyzw(Vector7::Zero()).has_value());
}

TEST(PoseCheck, Points) {
  EXPECT_TRUE(is_point({1e30, -1e30, 0.0}));
  for (int i = 0; i < 3; ++i) {
    for (const double bad : {kNan, kInfinity, -kInfinity, 1.0001e30}) {
      Vector3 point(1.0, 2.0, 3.0);
      point[i] = bad;
      EXPECT_FALSE(is_point(point)) << bad << " at " << i;
    }
  }
}

TEST(PoseCheck, LastRow) {
  const double good[] = {0.0, 0.0, 0.0, 1.0};
  EXPECT_TRUE(is_homogeneous_row(good));
  for (int i = 0; i < 4; ++i) {
    for (const double bad : {kNan, kInfinity, 1e-9, 2.0}) {
      double row[] = {0.0, 0.0, 0.0, 1.0};
      row[i] += bad;
      EXPECT_FALSE(is_homogeneous_row(row));
      row[i] = good[i] + 1e-13;
      EXPECT_TRUE(is_homogeneous_row(row));
    }
  }
}

}  // namespace
}  // namespace tactum::pose_check_test
