// SPDX-License-Identifier: BSD-2-Clause
#include "neural/distance_field.hpp"

#include <gtest/gtest.h>

#include <random>

#include "neural/network_weights.hpp"
#include "neural/random_network.hpp"

namespace tactum {
namespace {

ObjectCode sphere_code(double radius, double half_side) {
  const test::Cloud cloud = test::ellipsoid_cloud(Vector3::Constant(radius), Vector3::Zero(), 4000,
                                                  5);
  ObjectCode code;
  code.half_side = half_side;
  code.field = distance_field(cloud.points, cloud.normals, half_side);
  return code;
}

TEST(DistanceField, OfASphereIsCloseToItsDistance) {
  const ObjectCode code = sphere_code(0.1, 0.15);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-0.25, 0.25);
  const double spacing = 2.0 * 0.15 / (kFieldNodes - 1);
  for (int i = 0; i < 200; ++i) {
    const Vector3 place(uniform(random), uniform(random), uniform(random));
    // outside of the cube the field is an upper bound by the way over its surface
    const double truth = place.norm() - 0.1;
    const double value = sample_field(code, place).value;
    EXPECT_GT(value, truth - spacing) << place.transpose();
    if (place.cwiseAbs().maxCoeff() <= 0.15) {
      EXPECT_LT(value, truth + spacing);
    }
  }
  // at a node it is that of the nearest point
  EXPECT_NEAR(sample_field(code, Vector3::Constant(0.15)).value, 0.15 * std::sqrt(3.0) - 0.1, 2e-3);
}

TEST(DistanceField, GradientAgreesWithDifferences) {
  const ObjectCode code = sphere_code(0.1, 0.15);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-0.3, 0.3);
  constexpr double kStep = 1e-7;
  for (int i = 0; i < 200; ++i) {
    const Vector3 place(uniform(random), uniform(random), uniform(random));
    const FieldSample sample = sample_field(code, place);
    for (int k = 0; k < 3; ++k) {
      const Vector3 step = kStep * Vector3::Unit(k);
      const double difference = (sample_field(code, place + step).value -
                                 sample_field(code, place - step).value) /
                                (2.0 * kStep);
      EXPECT_NEAR(sample.gradient[k], difference, 1e-5) << place.transpose();
    }
  }
}

TEST(DistanceField, GradientIsContinuousAtTheNodes) {
  const ObjectCode code = sphere_code(0.1, 0.15);
  const double node = 0.15 * (2.0 * 3 / (kFieldNodes - 1) - 1.0);
  const Vector3 before = sample_field(code, {node - 1e-10, 0.02, 0.07}).gradient;
  const Vector3 behind = sample_field(code, {node + 1e-10, 0.02, 0.07}).gradient;
  EXPECT_LT((before - behind).norm(), 1e-6);
}

TEST(DistanceField, IsFiniteFarAway) {
  const ObjectCode code = sphere_code(0.1, 0.15);
  const FieldSample far = sample_field(code, Vector3::Constant(1e30));
  EXPECT_NEAR(far.value / (std::sqrt(3.0) * 1e30), 1.0, 1e-12);
  EXPECT_TRUE(far.gradient.allFinite());
}

}  // namespace
}  // namespace tactum
