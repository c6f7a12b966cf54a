// SPDX-License-Identifier: BSD-2-Clause
// The fast check of two poses says yes only where check_pose takes both as they are, always does so
// for proper rotations, and never traps.
#include "math/exact_pose.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <limits>

#include "support/extended.hpp"
#include "support/random.hpp"
#include "tactum/status.hpp"

namespace tactum::exact_pose_test {
namespace {

using testing::Mat3;
using testing::Random;
using testing::Real;
using testing::widen;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLimit = 1e-12;

bool taken_as_it_is(const Pose& pose) {
  try {
    return !check_pose(pose, "X").corrected;
  } catch (const InvalidInput&) {
    return false;
  }
}

/// max|R'R - I| / 2 in extended precision.
Real error_of(const Matrix3& R) {
  const Mat3 wide = widen(R);
  return (wide.transpose() * wide - Mat3::Identity()).cwiseAbs().maxCoeff() / 2;
}

/// The fast check with every trap on, beside a pose that is surely good, from both sides. Overflow
/// traps too.
bool is_exact(const Pose& pose, double error = kLimit) {
  const Pose good{Random::turn(Vector3(2.0, -1.0, 2.0) / 3.0, 0.7), Vector3(1.0, 2.0, 3.0)};
  const int before = feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  const bool first = are_exact_poses(pose, good, error),
             second = are_exact_poses(good, pose, error);
  const bool both = are_exact_poses(pose, pose, error);
  fedisableexcept(FE_OVERFLOW);
  feenableexcept(before);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first, both);
  return first;
}

TEST(ExactPose, RotationsAtEveryDistanceFromOrthonormal) {
  Random random(201);
  int yes = 0, no = 0;
  for (int i = 0; i < 6000; ++i) {
    Pose pose{random.rotation(), random.in_box(1e3)};
    ASSERT_TRUE(is_exact(pose)) << i;
    ASSERT_TRUE(is_exact(pose, 2e-15)) << i;
    const double off = random.log_uniform(1e-17, 1e-3);
    switch (i % 3) {
      case 0: pose.rotation *= 1.0 + random.sign() * off; break;                     // scaled
      case 1: pose.rotation.col(i % 2) += off * pose.rotation.col(2); break;         // sheared
      default: pose.rotation.data()[random.below(9)] += random.sign() * off; break;  // one entry
    }
    const bool exact = is_exact(pose);
    const Real error = error_of(pose.rotation);
    SCOPED_TRACE(::testing::Message()
                 << i << " off " << off << " error " << static_cast<double>(error));
    if (exact) {
      ASSERT_TRUE(taken_as_it_is(pose));
    }
    // in between the check may say no to what is good
    if (error < 0.13e-12L) {
      ASSERT_TRUE(exact);
    } else if (error > 1e-12L) {
      ASSERT_FALSE(exact);
    }
    if (error > 2.2e-15L) {
      ASSERT_FALSE(is_exact(pose, 2e-15));
    }
    (exact ? yes : no) += 1;
  }
  EXPECT_GT(yes, 1000);
  EXPECT_GT(no, 1000);
}

TEST(ExactPose, EveryPairOfAxesIsLookedAt) {
  // one axis too long, or two not at right angles: a single entry of R'R is wrong
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (const double off : {1e-11, -1e-11, 1e-6, -0.5}) {
        Pose pose;
        pose.rotation(i, j) += off;
        EXPECT_FALSE(is_exact(pose)) << i << " " << j << " " << off;
        EXPECT_FALSE(taken_as_it_is(pose));
      }
    }
  }
}

TEST(ExactPose, ScaledAndMirrored) {
  Random random(202);
  for (int i = 0; i < 500; ++i) {
    const Pose pose{random.rotation(), random.in_box(1.0)};
    Pose mirrored = pose;
    mirrored.rotation.col(i % 3) *= -1.0;
    Pose swapped = pose;
    swapped.rotation.col(i % 3).swap(swapped.rotation.col((i + 1) % 3));
    for (const Pose& bad :
         {mirrored, swapped, Pose{-pose.rotation, pose.translation},
          Pose{1.9 * pose.rotation, pose.translation}, Pose{0.5 * pose.rotation, pose.translation},
          Pose{1e-200 * pose.rotation, pose.translation}, Pose{Matrix3::Zero(), pose.translation},
          Pose{1e300 * pose.rotation, pose.translation}}) {
      ASSERT_FALSE(is_exact(bad)) << i << "\n" << bad.rotation;
      ASSERT_FALSE(taken_as_it_is(bad)) << i << "\n" << bad.rotation;
    }
  }
}

TEST(ExactPose, AnyEntryMayBeBadAndNothingTraps) {
  const double denormal = std::numeric_limits<double>::denorm_min(),
               largest = std::numeric_limits<double>::max();
  for (const double bad : {kNan, -kNan, kInfinity, -kInfinity, 1e300, -1e300, largest, -largest,
                           2.0001, std::numeric_limits<double>::signaling_NaN(),
                           -std::numeric_limits<double>::signaling_NaN()}) {
    for (int i = 0; i < 9; ++i) {
      Pose pose;
      pose.rotation.data()[i] = bad;
      EXPECT_FALSE(is_exact(pose)) << bad << " at " << i;
    }
  }
  for (const double good : {0.0, -0.0, denormal, -denormal, 1e-300, -1e-16}) {
    Pose pose;
    pose.rotation(0, 1) = good;
    EXPECT_TRUE(is_exact(pose)) << good;
  }
  for (int i = 0; i < 3; ++i) {
    for (const double bad : {kNan, -kNan, kInfinity, -kInfinity, largest, 1.0001e30, -1.0001e30}) {
      Pose pose;
      pose.translation[i] = bad;
      EXPECT_FALSE(is_exact(pose)) << bad << " at " << i;
    }
    for (const double good : {1e30, -1e30, denormal, 0.0, -0.0, 1e-300}) {
      Pose pose;
      pose.translation[i] = good;
      EXPECT_TRUE(is_exact(pose)) << good << " at " << i;
      EXPECT_TRUE(taken_as_it_is(pose));
    }
  }
}

TEST(ExactPose, OneBadPoseOfTwoIsEnough) {
  Random random(203);
  for (int i = 0; i < 500; ++i) {
    const Pose good{random.rotation(), random.in_box(1.0)};
    Pose off{random.rotation(), random.in_box(1.0)};
    EXPECT_TRUE(are_exact_poses(good, off, kLimit));
    off.rotation *= 1.0 + 1e-9;
    EXPECT_FALSE(are_exact_poses(good, off, kLimit));
    EXPECT_FALSE(are_exact_poses(off, good, kLimit));
    // two errors do not cancel
    Pose other = good;
    other.rotation *= 1.0 - 1e-9;
    EXPECT_FALSE(are_exact_poses(off, other, kLimit));
    EXPECT_FALSE(are_exact_poses({-good.rotation, good.translation},
                                 {-off.rotation, off.translation}, 1e-6));
  }
}

}  // namespace
}  // namespace tactum::exact_pose_test
