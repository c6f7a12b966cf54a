// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/pose.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "support/random.hpp"
#include "tactum/status.hpp"

namespace tactum::pose_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string field_of_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    EXPECT_FALSE(error.value().empty());
    EXPECT_FALSE(error.remedy().empty());
    return error.field();
  }
  return "no error";
}

Pose random_pose(testing::Random& random) { return {random.rotation(), random.in_box(3.0)}; }

double orthonormality_error(const Matrix3& r) {
  return (r.transpose() * r - Matrix3::Identity()).cwiseAbs().maxCoeff();
}

TEST(Pose, ComposeAndInvert) {
  testing::Random random(1);
  const Pose X_AB = random_pose(random);
  const Pose X_BC = random_pose(random);
  const Vector3 p_C(0.3, -2.0, 5.0);
  EXPECT_TRUE(((X_AB * X_BC) * p_C).isApprox(X_AB * (X_BC * p_C), 1e-15));
  EXPECT_LT(((inverse(X_AB) * X_AB) * p_C - p_C).norm(), 1e-14);
  EXPECT_TRUE(pose_matrix(X_AB * X_BC).isApprox(pose_matrix(X_AB) * pose_matrix(X_BC), 1e-15));
}

TEST(CheckPose, GoodPosesKeepTheirBits) {
  testing::Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Pose pose = random_pose(random);
    const CheckedPose checked = check_pose(pose, "X");
    EXPECT_FALSE(checked.corrected);
    EXPECT_EQ(checked.pose.rotation, pose.rotation);
    EXPECT_EQ(checked.pose.translation, pose.translation);
  }
}

TEST(CheckPose, SmallErrorsBecomeTheNearestRotation) {
  testing::Random random(3);
  for (int i = 0; i < 200; ++i) {
    Pose pose = random_pose(random);
    for (int k = 0; k < 9; ++k) pose.rotation(k) += random.uniform(-1e-7, 1e-7);
    const CheckedPose checked = check_pose(pose, "X");
    EXPECT_TRUE(checked.corrected);
    EXPECT_LT(orthonormality_error(checked.pose.rotation), 1e-15);
    EXPECT_NEAR(checked.pose.rotation.determinant(), 1.0, 1e-15);
    // the oracle: polar factor by singular values
    const Eigen::JacobiSVD<Matrix3> svd(pose.rotation, Eigen::ComputeFullU | Eigen::ComputeFullV);
    EXPECT_LT(
        (checked.pose.rotation - svd.matrixU() * svd.matrixV().transpose()).cwiseAbs().maxCoeff(),
        2e-15);
  }
}

TEST(CheckPose, LimitsOfTheBands) {
  Pose pose;
  pose.rotation(0, 0) = 1.0 + 0.9e-12;  // R^T R is off by 1.8e-12
  EXPECT_FALSE(check_pose(pose, "X").corrected);
  pose.rotation(0, 0) = 1.0 + 1.1e-12;
  EXPECT_TRUE(check_pose(pose, "X").corrected);
  pose.rotation(0, 0) = 1.0 + 1e-6;
  EXPECT_TRUE(check_pose(pose, "X").corrected);
  pose.rotation(0, 0) = 1.0 + 1.1e-6;
  EXPECT_EQ(field_of_error([&] { check_pose(pose, "X"); }), "X.rotation");
}

TEST(CheckPose, NamesTheBadEntry) {
  for (const double bad : {kNan, kInfinity, -kInfinity, 1e300, 3.0}) {
    Pose pose;
    pose.rotation(1, 2) = bad;
    EXPECT_EQ(field_of_error([&] { check_pose(pose, "X_WA"); }), "X_WA.rotation(1, 2)");
  }
  for (const double bad : {kNan, kInfinity, 2e30}) {
    Pose pose;
    pose.translation[2] = bad;
    EXPECT_EQ(field_of_error([&] { check_pose(pose, "X_WB"); }), "X_WB.translation[2]");
  }
}

TEST(CheckPose, RefusesReflectionsAndZero) {
  Pose pose;
  pose.rotation(2, 2) = -1.0;
  EXPECT_EQ(field_of_error([&] { check_pose(pose, "X"); }), "X.rotation");
  pose.rotation.setZero();
  EXPECT_EQ(field_of_error([&] { check_pose(pose, "X"); }), "X.rotation");
}

TEST(PoseFromMatrix, RoundTripAndLastRow) {
  testing::Random random(4);
  const Pose pose = random_pose(random);
  const Pose back = pose_from_matrix(pose_matrix(pose));
  EXPECT_EQ(back.rotation, pose.rotation);
  EXPECT_EQ(back.translation, pose.translation);
  Matrix4 matrix = pose_matrix(pose);
  matrix(3, 1) = 0.5;
  EXPECT_EQ(field_of_error([&] { pose_from_matrix(matrix, "X_WA"); }), "X_WA(3, 1)");
  matrix = pose_matrix(pose);
  matrix(3, 3) = kNan;
  EXPECT_EQ(field_of_error([&] { pose_from_matrix(matrix); }), "pose(3, 3)");
}

TEST(PoseFromQuaternion, IsARotationAboutItsAxis) {
  const double angle = 0.7;
  Vector7 xyz_xyzw;
  xyz_xyzw << 1.0, 2.0, 3.0, 0.0, 0.0, std::sin(angle / 2), std::cos(angle / 2);
  const Pose pose = pose_from_xyz_xyzw(xyz_xyzw);
  EXPECT_TRUE(pose.translation.isApprox(Vector3(1.0, 2.0, 3.0)));
  EXPECT_LT(
      (pose.rotation * Vector3::UnitX() - Vector3(std::cos(angle), std::sin(angle), 0.0)).norm(),
      1e-15);
}

TEST(PoseFromQuaternion, RoundTripForAllOrientations) {
  testing::Random random(5);
  for (int i = 0; i < 500; ++i) {
    Pose pose = random_pose(random);
    // w near zero
    if (i % 5 == 0) pose.rotation = testing::Random::turn(random.direction(), 3.14159265358979);
    const Vector7 xyz_xyzw = pose_xyz_xyzw(pose);
    EXPECT_GE(xyz_xyzw[6], 0.0);
    EXPECT_NEAR(xyz_xyzw.tail<4>().norm(), 1.0, 1e-15);
    EXPECT_LT((pose_from_xyz_xyzw(xyz_xyzw).rotation - pose.rotation).cwiseAbs().maxCoeff(), 2e-15);
  }
}

TEST(PoseFromQuaternion, NormalizesOrRefuses) {
  Vector7 xyz_xyzw;
  xyz_xyzw << 0, 0, 0, 0, 0, 0, 1.0 + 0.9e-6;
  EXPECT_EQ(pose_from_xyz_xyzw(xyz_xyzw).rotation, Matrix3::Identity());
  const auto field_for = [&](int index, double value) {
    Vector7 bad;
    bad << 0, 0, 0, 0, 0, 0, 1;
    bad[index] = value;
    return field_of_error([&] { pose_from_xyz_xyzw(bad, "X_WA"); });
  };
  EXPECT_EQ(field_for(6, 1.0 + 2e-6), "X_WA.quat_xyzw");
  EXPECT_EQ(field_for(6, 0.0), "X_WA.quat_xyzw");
  EXPECT_EQ(field_for(6, 1e300), "X_WA.quat_xyzw");
  EXPECT_EQ(field_for(4, kNan), "X_WA[4]");
  EXPECT_EQ(field_for(1, kInfinity), "X_WA[1]");
}

}  // namespace
}  // namespace tactum::pose_test
