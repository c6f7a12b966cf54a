// SPDX-License-Identifier: BSD-2-Clause
// Double3 against Eigen.
#include "math/double3.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tactum::double3_test {
namespace {

using testing::Random;

TEST(Double3, OperationsAreThoseOfEigen) {
  Random random(1);
  for (int k = 0; k < 200; ++k) {
    const Vector3 a = random.in_box(2.0), b = random.in_box(2.0);
    const Double3 p = to_double3(a), q = to_double3(b);
    EXPECT_EQ(to_vector3(p + q), a + b);
    EXPECT_EQ(to_vector3(p - q), a - b);
    EXPECT_EQ(to_vector3(-p), -a);
    EXPECT_EQ(to_vector3(0.3 * p), Vector3(0.3 * a));
    EXPECT_EQ(to_vector3(p * q), Vector3(a.cwiseProduct(b)));
    EXPECT_NEAR(dot(p, q), a.dot(b), 1e-15);
    EXPECT_LE((to_vector3(cross(p, q)) - a.cross(b)).norm(), 1e-15);
    EXPECT_NEAR(p.norm(), a.norm(), 1e-15);
    EXPECT_EQ(p.largest(), a.maxCoeff());
    EXPECT_EQ(p.smallest(), a.minCoeff());
    const Matrix3 R = random.rotation();
    EXPECT_LE((to_vector3(product(R, p)) - R * a).norm(), 1e-15);
    EXPECT_LE((to_vector3(transposed_product(R, p)) - R.transpose() * a).norm(), 1e-15);
  }
}

TEST(Double3, UnitLengthAndLimits) {
  const Double3 u = unit_or_zero({3.0, 0.0, -4.0});
  EXPECT_DOUBLE_EQ(u.x, 0.6);
  EXPECT_DOUBLE_EQ(u.z, -0.8);
  EXPECT_EQ(unit_or_zero({0.0, 0.0, 0.0}).norm(), 0.0);
  EXPECT_EQ(clamped(3.0, 2.0), 2.0);
  EXPECT_EQ(clamped(-3.0, 2.0), -2.0);
  EXPECT_EQ(clamped(0.5, 2.0), 0.5);
}

}  // namespace
}  // namespace tactum::double3_test
