// SPDX-License-Identifier: BSD-2-Clause
// Twelve columns from six: the exact Jacobian of B alone must give those of both shapes, in every
// frame.
#include "narrow/derivative/relative_motion.hpp"

#include "narrow/derivative_fixtures.hpp"

namespace tactum::relative_motion_test {
namespace {

using namespace tactum::testing;

TEST(RelativeMotion, MotionsOfBGiveThoseOfA) {
  Random random(661);
  for (int i = 0; i < 30; ++i) {
    const PosedPair pair{random_shape_of(ShapeKind::ellipsoid, random), random_solid(random),
                         random_pose(random, 0.5), random_pose(random, 1.0)};
    const DistanceDerivative local = pair.derivative();
    RelativeJacobian by_b;
    by_b << local.distance_jacobian.rightCols<6>(), local.normal_jacobian.rightCols<6>(),
        local.point_a_jacobian.rightCols<6>(), local.point_b_jacobian.rightCols<6>(),
        local.separation_jacobian.rightCols<6>();
    for (const TangentFrame frame :
         {TangentFrame::local, TangentFrame::world, TangentFrame::local_world_aligned}) {
      DistanceJacobians filled;
      fill_jacobians(pair.X_WA, pair.X_WB, local.value, by_b, frame, filled);
      EXPECT_LE(difference(filled, pair.derivative({.frame = frame})), 1e-9 * size_of(local)) << i;
    }
  }
}

TEST(RelativeMotion, StandardErrorsFollowTheColumns) {
  // independent errors of the six directions of B: a column with the coefficients c has the
  // variance sum c_i^2 s_i^2
  const Pose X_WA = at(0.1, 0.2, 0.3), X_WB = turned({1, 2, 3}, 0.7, {1.0, 0.5, 0.2});
  std::array<Eigen::Matrix<double, 6, 6>, kAnswerRows> covariance;
  const Vector6 variance = (Vector6() << 1, 4, 9, 16, 25, 36).finished();
  covariance.fill(variance.asDiagonal());
  DistanceJacobians errors;
  fill_standard_errors(X_WA, X_WB, covariance, TangentFrame::local, errors);
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(errors.distance_jacobian[6 + i], std::sqrt(variance[i]), 1e-12);
  fill_standard_errors(X_WA, X_WB, covariance, TangentFrame::local_world_aligned, errors);
  for (int i = 0; i < 3; ++i) {
    const Vector3 row = X_WB.rotation.row(i).transpose();
    EXPECT_NEAR(errors.normal_jacobian(1, i), std::sqrt(row.cwiseAbs2().dot(variance.head<3>())),
                1e-12);
  }
}

TEST(RelativeMotion, AnswersFollowTheGroup) {
  const Pose X = turned({1, 0, 1}, 0.4, {1, 2, 3});
  const Vector6 motion = (Vector6() << 0.1, 0.2, 0.3, 0.0, 0.0, 0.0).finished();
  EXPECT_LE((moved(X, motion).translation - X * Vector3(0.1, 0.2, 0.3)).norm(), 1e-15);
  // half a turn about z with velocity along x goes to (0, 2 / pi)
  const Vector6 turn = (Vector6() << 1.0, 0.0, 0.0, 0.0, 0.0, M_PI).finished();
  EXPECT_LE((moved({}, turn).translation - Vector3(0.0, 2.0 / M_PI, 0.0)).norm(), 1e-15);
  EXPECT_LE((moved({}, turn).rotation - Matrix3(Vector3(-1, -1, 1).asDiagonal())).norm(), 1e-15);
  const Shape ball = Sphere{.radius = 0.5};
  const Distance value = distance(ball, {}, ball, at(2, 0, 0));
  EXPECT_NEAR(answer_at(ball, {}, ball, at(3, 0, 0), value, {}).distance, 2.0, 1e-14);
  // a refused pose returns the old answer
  EXPECT_EQ(answer_at(ball, {}, ball, at(1e40, 0, 0), value, {}).distance, value.distance);
}

}  // namespace
}  // namespace tactum::relative_motion_test
