// SPDX-License-Identifier: BSD-2-Clause
// Identities of the algebra of a cone of three numbers, at random vectors inside and outside.
#include "solver/method/second_order_cone.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "solver/problem/cone.hpp"
#include "support/random.hpp"

namespace tactum::second_order_cone_test {
namespace {

using namespace second_order_cone;
using testing::Random;

Vector random_vector(Random& random) {
  return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
}

/// Inside the cone, as near to its boundary as 1e-6.
Vector inside(Random& random) {
  Vector v = random_vector(random);
  v.z() = v.head<2>().norm() + random.log_uniform(1e-6, 10.0);
  return v;
}

TEST(SecondOrderCone, ArrowSolveInvertsTheProduct) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vector v = inside(random), p = random_vector(random), w = arrow_solve(v, p);
    EXPECT_LT((arrow(v) * w - p).norm(), 1e-14 * (1.0 + v.norm() * w.norm()));
  }
}

TEST(SecondOrderCone, RoundedVectorsAreOnThePath) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const Vector v = random_vector(random);
    const double squared = random.log_uniform(1e-12, 1.0);
    const Vector F = rounded(v, squared), X = rounded(-v, squared);
    EXPECT_GT(F.z(), F.head<2>().norm());
    EXPECT_GT(X.z(), X.head<2>().norm());
    EXPECT_LT((arrow(F) * X - Vector(0, 0, squared)).norm(), 1e-14);
    EXPECT_LT((F - X - v).norm(), 1e-14);
  }
}

TEST(SecondOrderCone, RoundedVectorsTendToTheProjection) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Vector v = random_vector(random);
    const Vector nearest = to_vector3(project_cone(to_double3(v), 1.0));
    EXPECT_LT((rounded(v, 1e-20) - nearest).norm(), 3e-10);
  }
}

TEST(SecondOrderCone, TheScalingTakesXToWhereItsInverseTakesF) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const Vector F = inside(random), X = inside(random);
    const Scaling scale = scaling(F, X);
    const double size = scale.point.norm();
    EXPECT_LT((scale.W - scale.W.transpose()).norm(), 1e-14 * scale.W.norm());
    EXPECT_LT((scale.W * scale.inverse - Eigen::Matrix3d::Identity()).norm(),
              1e-13 * scale.W.norm() * scale.inverse.norm());
    EXPECT_LT((scale.inverse * F - scale.point).norm(),
              1e-12 * (size + scale.inverse.norm() * F.norm()));
    EXPECT_NEAR(scale.point.squaredNorm(), F.dot(X), 1e-12 * (1.0 + F.norm() * X.norm()));
    // the cone onto itself
    const Vector image = scale.W * inside(random);
    EXPECT_GE(image.z(), image.head<2>().norm() - 1e-13 * image.norm());
  }
}

TEST(SecondOrderCone, TheScalingOfNumbersIsThatOfTheirConeOfOneDimension) {
  const Scaling scale = scaling_of_numbers(8.0, 2.0);
  EXPECT_DOUBLE_EQ(scale.W(2, 2) * 2.0, scale.point.z());
  EXPECT_DOUBLE_EQ(scale.inverse(2, 2) * 8.0, scale.point.z());
  EXPECT_DOUBLE_EQ(scale.point.z(), 4.0);
}

TEST(SecondOrderCone, NumbersAtTheBoundaryStayFinite) {
  // traps are on: nothing is divided by 0, and no infinity meets another
  const Vector forward(0.6, 0.8, 1.0), back(-0.6, -0.8, 1.0), zero = Vector::Zero();
  for (const double size : {1.0, 1e-30, 1e9}) {
    for (const Vector& X : {forward, back, zero, Vector(0.0, 0.0, 1.0)}) {
      const Scaling scale = scaling(size * forward, X);
      EXPECT_TRUE(scale.W.allFinite() && scale.inverse.allFinite() && scale.point.allFinite());
      EXPECT_TRUE(arrow_solve(scale.point, forward).allFinite());
    }
    EXPECT_TRUE(scaling_of_numbers(size, 0.0).W.allFinite());
    EXPECT_TRUE(scaling_of_numbers(0.0, size).inverse.allFinite());
  }
}

TEST(SecondOrderCone, TheWayToTheBoundaryEndsThere) {
  Random random(5);
  int ended = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vector v = inside(random), d = random_vector(random);
    const double way = way_to_boundary(v, d);
    if (std::isinf(way)) {
      const Vector far = v + 1e3 * d;
      EXPECT_GE(far.z(), far.head<2>().norm() * (1.0 - 1e-12));
      continue;
    }
    ++ended;
    const Vector end = v + way * d, before = v + 0.999 * way * d;
    EXPECT_NEAR(end.z(), end.head<2>().norm(), 1e-9 * (1.0 + end.norm()));
    EXPECT_GE(before.z(), before.head<2>().norm());
  }
  EXPECT_GT(ended, 500);
}

}  // namespace
}  // namespace tactum::second_order_cone_test
