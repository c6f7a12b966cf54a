// SPDX-License-Identifier: BSD-2-Clause
// The solved 2 x 2 system against the conditions themselves, written out and solved densely.
#include "narrow/derivative/witness_jacobian.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/random.hpp"

namespace tactum::witness_jacobian_test {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using testing::Random;

Matrix2d dense(const Matrix22& m) { return (Matrix2d() << m.xx, m.xy, m.yx, m.yy).finished(); }
Vector2d dense(Double2 v) { return {v.x, v.y}; }

SupportFeature random_feature(Random& random, int dimension) {
  SupportFeature feature;
  feature.dimension = dimension;
  const double angle = random.uniform(0.0, 6.28), a = random.uniform(0.1, 0.5),
               b = random.uniform(0.1, 0.5);
  feature.edge = {std::cos(angle), std::sin(angle)};
  const Double2 across{-feature.edge.y, feature.edge.x};
  const double turn = random.uniform(0.0, 6.28);
  const Double2 g{std::cos(turn), std::sin(turn)}, h{-g.y, g.x};
  if (dimension == 0) feature.hessian = a * Matrix22::outer(g, g) + b * Matrix22::outer(h, h);
  if (dimension == 1) feature.hessian = a * Matrix22::outer(across, across);
  return feature;
}

/// A matrix whose columns span the free directions.
Eigen::Matrix2Xd free_directions(const SupportFeature& feature) {
  if (feature.dimension == 2) return Matrix2d::Identity();
  Eigen::Matrix2Xd e(2, feature.dimension);
  if (feature.dimension == 1) e.col(0) = dense(feature.edge);
  return e;
}

/// Computes dn and the tangential dp_A - m_A from the conditions in the header.
Eigen::Vector4d solved(const SupportFeature& a, const SupportFeature& b, double d,
                       const Vector2d& du, const Vector2d& o_a, const Vector2d& o_b) {
  const Eigen::Matrix2Xd e_a = free_directions(a), e_b = free_directions(b);
  const Eigen::Index k_a = e_a.cols(), k_b = e_b.cols(), size = 2 + k_a + k_b;
  const Matrix2d h_a = dense(a.hessian), h_b = dense(b.hessian);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd right(size);
  matrix.topLeftCorner(2, 2) = d * Matrix2d::Identity() + h_a + h_b;
  matrix.block(0, 2, 2, k_a) = e_a;
  matrix.block(0, 2 + k_a, 2, k_b) = -e_b;
  matrix.block(2, 0, k_a, 2) = e_a.transpose();
  matrix.block(2 + k_a, 0, k_b, 2) = e_b.transpose();
  right << du + h_a * o_a + h_b * o_b, e_a.transpose() * o_a, e_b.transpose() * o_b;
  const Eigen::VectorXd x = matrix.fullPivLu().solve(right);
  Eigen::Vector4d result;
  result << x.head<2>(), h_a * (x.head<2>() - o_a) + e_a * x.segment(2, k_a);
  return result;
}

TEST(WitnessJacobian, SolvesTheConditions) {
  Random random(631);
  for (const auto& [k_a, k_b] : {std::pair(0, 0), {1, 0}, {0, 1}, {1, 1}, {2, 0}, {0, 2}}) {
    for (int i = 0; i < 50; ++i) {
      const SupportFeature a = random_feature(random, k_a), b = random_feature(random, k_b);
      if (k_a + k_b == 2 && k_a == 1 && std::abs(cross(a.edge, b.edge)) < 0.1) continue;
      const double d = random.uniform(-0.05, 1.0);
      if (k_a + k_b == 1 && d < 0.1)
        continue;  // with one vertex and one edge nothing is curved across
      const MotionResponse r = response_of(a, b, d, 1.0);
      EXPECT_TRUE(r.unique);
      const Double2 du{random.uniform(-1, 1), random.uniform(-1, 1)},
          o_a{random.uniform(-1, 1), random.uniform(-1, 1)},
          o_b{random.uniform(-1, 1), random.uniform(-1, 1)};
      const Eigen::Vector4d expected = solved(a, b, d, dense(du), dense(o_a), dense(o_b));
      const Double2 dn = r.normal_by_shift * du + r.normal_by_turn_a * o_a +
                         r.normal_by_turn_b * o_b;
      const Double2 dp = r.point_by_shift * du + r.point_by_turn_a * o_a + r.point_by_turn_b * o_b;
      const double size = std::max(1.0, expected.cwiseAbs().maxCoeff());
      EXPECT_LE((dense(dn) - expected.head<2>()).norm(), 1e-11 * size) << k_a << k_b;
      EXPECT_LE((dense(dp) - expected.tail<2>()).norm(), 1e-11 * size) << k_a << k_b;
    }
  }
}

TEST(WitnessJacobian, SharedDirectionsAreNotUnique) {
  Random random(632);
  const SupportFeature edge = random_feature(random, 1), face = random_feature(random, 2);
  for (const auto& [a, b] : {std::pair(edge, edge), {edge, face}, {face, edge}, {face, face}}) {
    const double d = 0.3;
    const MotionResponse r = response_of(a, b, d, 1.0);
    EXPECT_FALSE(r.unique);
    // when both shapes turn alike about the point on A, the point on B moves by d times the turn,
    // and the normal turns with them
    const Double2 turn{0.3, -0.2};
    const Double2 dn = r.normal_by_shift * (d * turn) + r.normal_by_turn_a * turn +
                       r.normal_by_turn_b * turn;
    EXPECT_LE((dn - turn).norm(), 1e-14);
  }
}

TEST(WitnessJacobian, SingularSystemsStayFinite) {
  const SupportFeature vertex{};
  const MotionResponse touching = response_of(vertex, vertex, 0.0, 1.0);
  EXPECT_FALSE(touching.unique);
  EXPECT_EQ(touching.normal_by_shift.xx, 0.0);
  SupportFeature ball;
  ball.hessian = Matrix22::scaled_identity(0.5);
  EXPECT_FALSE(response_of(ball, vertex, -0.5, 1.0).unique);  // the middle of a ball
  EXPECT_FALSE(response_of(ball, vertex, -0.7, 1.0).unique);
  EXPECT_TRUE(response_of(ball, vertex, -0.4, 1.0).unique);
  // a curved direction still responds beside a flat one
  SupportFeature rim;
  const Double2 g{0.6, 0.8};
  rim.hessian = 0.5 * Matrix22::outer(g, g);
  const MotionResponse r = response_of(rim, vertex, 0.0, 1.0);
  EXPECT_FALSE(r.unique);
  EXPECT_NEAR(dot(g, r.normal_by_shift * g), 2.0, 1e-12);
  EXPECT_NEAR(dot({-0.8, 0.6}, r.normal_by_shift * Double2{-0.8, 0.6}), 0.0, 1e-12);
}

}  // namespace
}  // namespace tactum::witness_jacobian_test
