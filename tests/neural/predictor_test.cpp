// SPDX-License-Identifier: BSD-2-Clause
#include "neural/predictor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "math/pose_exponential.hpp"
#include "neural/encoder.hpp"
#include "neural/random_network.hpp"

namespace tactum {
namespace {

class PredictorTest : public testing::Test {
 protected:
  Pose random_pose(double reach) {
    std::uniform_real_distribution<double> uniform(-reach, reach);
    const Vector3 t(uniform(random_), uniform(random_), uniform(random_));
    Eigen::Vector4d q;
    std::normal_distribution<double> normal;
    for (double& value : q) value = normal(random_);
    q.normalize();
    return {Eigen::Quaterniond(q[3], q[0], q[1], q[2]).toRotationMatrix(), t};
  }

  static ObjectCode code(const NetworkWeights& weights, const Vector3& semi_axes,
                         const Vector3& center) {
    const test::Cloud cloud = test::ellipsoid_cloud(semi_axes, center, 150, 4);
    return encode_points(weights, cloud.points, cloud.normals);
  }

  std::mt19937 random_{7};
  NetworkWeights weights_ = make_network_weights(parse_tensor_file(test::network_bytes(), "f"),
                                                 "f");
  ObjectCode a_ = code(weights_, {0.05, 0.1, 0.02}, {0.01, 0.02, -0.03});
  ObjectCode b_ = code(weights_, {0.03, 0.04, 0.12}, {-0.02, 0.0, 0.05});
};

TEST_F(PredictorTest, OrderDoesNotMatter) {
  for (int i = 0; i < 50; ++i) {
    const Pose X = random_pose(0.15);
    const CollisionPrediction one = predict_pair(weights_, a_, b_, X);
    const CollisionPrediction other = predict_pair(weights_, b_, a_, inverse(X));
    EXPECT_NEAR(one.logit, other.logit, 1e-12);
    EXPECT_NEAR(one.distance, other.distance, 1e-12);
  }
}

TEST_F(PredictorTest, PoseMatters) {
  const double here = predict_pair(weights_, a_, b_, random_pose(0.1)).logit;
  const double there = predict_pair(weights_, a_, b_, random_pose(0.1)).logit;
  EXPECT_GT(std::abs(here - there), 1e-3);
}

TEST_F(PredictorTest, GradientAgreesWithDifferences) {
  constexpr double kStep = 1e-6;
  for (int i = 0; i < 40; ++i) {
    const Pose X = random_pose(0.15);
    const CollisionPredictionDerivative found = predict_pair_derivative(weights_, a_, b_, X);
    EXPECT_EQ(found.value.logit, predict_pair(weights_, a_, b_, X).logit);
    for (int k = 0; k < 6; ++k) {
      const Vector3 v = k < 3 ? Vector3(kStep * Vector3::Unit(k)) : Vector3::Zero();
      const Vector3 w = k < 3 ? Vector3::Zero() : Vector3(kStep * Vector3::Unit(k - 3));
      const double ahead = predict_pair(weights_, a_, b_, X * pose_exponential(v, w)).logit;
      const double behind = predict_pair(weights_, a_, b_, X * pose_exponential(-v, -w)).logit;
      const double difference = (ahead - behind) / (2.0 * kStep);
      EXPECT_NEAR(found.logit_gradient[k], difference, 1e-5 * (1.0 + std::abs(difference)))
          << i << " " << k;
    }
  }
}

TEST_F(PredictorTest, FarApartTheCellsDoNotCount) {
  const Pose far{.rotation = Matrix3::Identity(), .translation = Vector3(1e6, 0.0, 0.0)};
  const CollisionPredictionDerivative found = predict_pair_derivative(weights_, a_, b_, far);
  EXPECT_TRUE(std::isfinite(found.value.logit) && found.logit_gradient.allFinite());
}

}  // namespace
}  // namespace tactum
