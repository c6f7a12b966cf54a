// SPDX-License-Identifier: BSD-2-Clause
#include "sim/derivative/tree_derivative.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "math/pose_exponential.hpp"

namespace tactum::sim::tree_derivative_test {
namespace {

FreeBody lopsided() {
  Matrix3 inertia;
  inertia << 0.012, 0.001, -0.002, 0.001, 0.015, 0.0005, -0.002, 0.0005, 0.009;
  return {{1.5, {0.01, -0.02, 0.015}, inertia}, 0, 0};
}

/// The tangent vector of a small motion from one pose to another.
Vector6 small_motion(const Pose& from, const Pose& to) {
  const Matrix3 turn = from.rotation.transpose() * to.rotation;
  Vector6 out;
  out << from.rotation.transpose() * (to.translation - from.translation),
      0.5 * (turn(2, 1) - turn(1, 2)), 0.5 * (turn(0, 2) - turn(2, 0)),
      0.5 * (turn(1, 0) - turn(0, 1));
  return out;
}

Pose moved(const Pose& X, const Vector6& motion) {
  return X * pose_exponential(motion.head<3>(), motion.tail<3>());
}

TEST(TreeDerivative, JacobianOfTheExponentialIsThatOfDifferences) {
  for (const double size : {0.0, 1e-3, 0.04, 0.06, 1.0, 3.0}) {
    const Vector3 w = size * Vector3(0.6, -0.64, 0.48);
    const Matrix3 found = rotation_exponential_jacobian(w), here = rotation_exponential(w);
    for (int i = 0; i < 3; ++i) {
      const double h = 1e-6;
      const Vector6 change = small_motion({here, Vector3::Zero()},
                                          {rotation_exponential(w + h * Vector3::Unit(i)),
                                           Vector3::Zero()}) -
                             small_motion(
                                 {here, Vector3::Zero()},
                                 {rotation_exponential(w - h * Vector3::Unit(i)), Vector3::Zero()});
      EXPECT_LT((found.col(i) - change.tail<3>() / (2 * h)).norm(), 1e-9) << size;
    }
  }
}

TEST(TreeDerivative, MotionOfAFreeBodyIsThatOfDifferences) {
  const FreeBody body = lopsided();
  const Pose X{rotation_exponential({0.4, -1.0, 0.7}), {1.0, 2.0, 3.0}};
  Vector6 u;
  u << 1.0, -2.0, 0.5, 6.0, -4.0, 9.0;
  for (const double dt : {1e-3, 2e-2}) {
    TreeDerivative found;
    set_tree_derivative(body, X.rotation, u, {0, 0, -9.81}, dt, found);
    EXPECT_TRUE(found.smooth);
    const MotionBlock& block = found.motion.at(0);
    const FreeMotion here = advance(body, X, u, dt);
    const double h = 1e-6;
    for (int i = 0; i < 6; ++i) {
      const Vector6 unit = h * Vector6::Unit(i);
      FreeMotion plus = advance(body, moved(X, unit), u, dt),
                 minus = advance(body, moved(X, -unit), u, dt);
      Vector6 dq = (small_motion(here.X, plus.X) - small_motion(here.X, minus.X)) / (2 * h);
      EXPECT_LT((block.q_by_q.col(i) - dq).norm(), 1e-8);
      EXPECT_LT((plus.velocity - minus.velocity).norm(), 1e-12);
      plus = advance(body, X, u + unit, dt);
      minus = advance(body, X, u - unit, dt);
      dq = (small_motion(here.X, plus.X) - small_motion(here.X, minus.X)) / (2 * h);
      EXPECT_LT((block.q_by_u.col(i) - dq).norm(), 1e-8);
      EXPECT_LT((block.v_by_u.col(i) - (plus.velocity - minus.velocity) / (2 * h)).norm(), 1e-8);
    }
  }
}

TEST(TreeDerivative, BodyThatTurnsTooFarInAStepIsNotSmooth) {
  Vector6 u = Vector6::Zero();
  u.tail<3>() << 100.0, 250.0, -70.0;
  TreeDerivative found;
  set_tree_derivative(lopsided(), Matrix3::Identity(), u, {0, 0, -9.81}, 0.05, found);
  EXPECT_FALSE(found.smooth);
  EXPECT_TRUE(found.motion.at(0).v_by_u.allFinite());
}

TEST(TreeDerivative, WrenchThatStandsStillTurnsInTheBody) {
  // a force F at a point p of the world, seen by a body that moves
  const Vector3 F(1.0, -2.0, 0.5), p(0.3, 0.2, -0.7);
  const Pose X{rotation_exponential({0.4, -1.0, 0.7}), {1.0, 2.0, 3.0}};
  const auto seen = [&](const Pose& at) {
    Vector6 wrench;
    wrench << at.rotation.transpose() * F, at.rotation.transpose() * (p - at.translation).cross(F);
    return wrench;
  };
  const Matrix6 found = wrench_by_motion(seen(X));
  const double h = 1e-6;
  for (int i = 0; i < 6; ++i) {
    const Vector6 unit = h * Vector6::Unit(i);
    const Vector6 expected = (seen(moved(X, unit)) - seen(moved(X, -unit))) / (2 * h);
    EXPECT_LT((found.col(i) - expected).norm(), 1e-8);
  }
}

}  // namespace
}  // namespace tactum::sim::tree_derivative_test
