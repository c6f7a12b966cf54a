// SPDX-License-Identifier: BSD-2-Clause
// Contact frames against their definition as the smallest rotation, and their derivative against
// differences.
#include "contact/contact_frame.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

namespace tactum::contact_frame_test {
namespace {

const Vector3 kPole = Vector3(2, 3, 6) / 7.0;

Vector3 random_direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Vector3 v;
  do v = Vector3(normal(random), normal(random), normal(random));
  while (v.norm() < 1e-3);
  return v.normalized();
}

TEST(ContactFrame, IsARotationWithTheNormalAsItsThirdColumn) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    Vector3 n = random_direction(random);
    if (i % 4 == 0)  // next to the jump
      n = (-kPole + std::pow(10.0, -0.005 * (i % 3000)) * n).normalized();
    const Matrix3 frame = contact_frame(n);
    EXPECT_LT((frame.transpose() * frame - Matrix3::Identity()).norm(), 1e-13) << n.transpose();
    EXPECT_GT(frame.determinant(), 0.0);
    EXPECT_EQ(frame.col(2), n);
  }
  const Matrix3 at_jump = contact_frame(-kPole);
  EXPECT_LT((at_jump.transpose() * at_jump - Matrix3::Identity()).norm(), 1e-14);
  EXPECT_GT(at_jump.determinant(), 0.0);
}

TEST(ContactFrame, IsTheSmallestRotationOfAFixedBasis) {
  std::mt19937_64 random(2);
  Matrix3 basis;
  basis << Vector3(3, -6, 2) / 7.0, Vector3(6, 2, -3) / 7.0, kPole;
  for (int i = 0; i < 5000; ++i) {
    const Vector3 n = random_direction(random);
    if (n.dot(kPole) < -0.999) continue;
    const Matrix3 smallest = Eigen::Quaterniond::FromTwoVectors(kPole, n).toRotationMatrix() *
                             basis;
    EXPECT_LT((contact_frame(n) - smallest).norm(), 1e-10);
  }
}

TEST(ContactFrame, TurnsAsItsDerivativeSays) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const Vector3 n = random_direction(random);
    if (n.dot(kPole) < -0.9) continue;
    const Vector3 dn = n.cross(random_direction(random));
    const double step = 1e-6;
    const Matrix3 change = (contact_frame((n + step * dn).normalized()) -
                            contact_frame((n - step * dn).normalized())) /
                           (2 * step);
    const Matrix3 turn = change * contact_frame(n).transpose();  // the matrix of the cross product
    const Vector3 expected(turn(2, 1), turn(0, 2), turn(1, 0));
    EXPECT_LT((contact_frame_rotation(n) * dn - expected).norm(), 1e-7);
  }
}

}  // namespace
}  // namespace tactum::contact_frame_test
