// SPDX-License-Identifier: BSD-2-Clause
// Free bodies against Newton's and Euler's laws: parabola, conserved quantities, convergence to the
// exact rotation.
#include "sim/model/free_body.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

namespace tactum::sim::free_body_test {
namespace {

BodyInertia brick() {
  BodyInertia inertia;
  inertia.mass = 2.0;
  inertia.center = {0.1, -0.2, 0.05};
  inertia.inertia = Vector3(0.02, 0.05, 0.06).asDiagonal();
  const Matrix3 turn = Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()).toRotationMatrix();
  inertia.inertia = turn * inertia.inertia * turn.transpose();
  return inertia;
}

struct Momentum {
  Vector3 linear, angular;
  double energy;
};

Momentum momentum_of(const FreeBody& body, const Pose& X, const Vector6& v) {
  const Vector3 w = v.tail<3>(), center_velocity = v.head<3>() + w.cross(body.inertia.center);
  const Vector3 linear = body.inertia.mass * (X.rotation * center_velocity);
  return {linear, (X * body.inertia.center).cross(linear) + X.rotation * (body.inertia.inertia * w),
          0.5 * body.inertia.mass * center_velocity.squaredNorm() +
              0.5 * w.dot(body.inertia.inertia * w)};
}

TEST(FreeBody, MassMatrixGivesTheKineticEnergy) {
  const FreeBody body(brick(), 0, 0);
  Vector6 v;
  v << 1.0, -2.0, 0.5, 3.0, 0.2, -1.0;
  EXPECT_NEAR(0.5 * v.dot(body.mass_matrix * v), momentum_of(body, {}, v).energy, 1e-13);
  EXPECT_LT((body.factor * body.factor.transpose() - body.mass_matrix).norm(), 1e-14);
}

TEST(FreeBody, WrenchChangesMomentumByItsImpulse) {
  const FreeBody body(brick(), 0, 0);
  const Matrix3 R = Eigen::AngleAxisd(1.1, Vector3(3, -1, 2).normalized()).toRotationMatrix();
  Vector6 v, wrench;
  v << 0.3, 0.1, -0.4, 1.0, 2.0, -0.5;
  wrench << 4.0, -1.0, 2.0, 0.3, 0.2, -0.7;
  const double dt = 0.01;
  const Vector6 u = free_velocity(body, R, v, wrench, Vector3::Zero(), dt);
  EXPECT_LT((body.mass_matrix * (u - v) - dt * wrench).norm(), 1e-14);
  const Vector6 falling = free_velocity(body, R, v, Vector6::Zero(), {0, 0, -9.81}, dt);
  EXPECT_LT((falling.head<3>() - v.head<3>() - dt * (R.transpose() * Vector3(0, 0, -9.81))).norm(),
            1e-14);
  EXPECT_EQ(falling.tail<3>(), v.tail<3>());
}

TEST(FreeBody, FlightKeepsMomentumAndEnergyForLargeSteps) {
  const FreeBody body(brick(), 0, 0);
  Pose X{Eigen::AngleAxisd(0.4, Vector3(1, 1, 0).normalized()).toRotationMatrix(), {5, -3, 1}};
  Vector6 v;
  v << 2.0, -1.0, 0.5, 8.0, -5.0, 11.0;  // 14 rad/s: a seventh of a radian a step
  const Momentum before = momentum_of(body, X, v);
  for (int i = 0; i < 10000; ++i) {
    const FreeMotion motion = advance(body, X, v, 0.01);
    X = motion.X;
    v = motion.velocity;
  }
  const Momentum after = momentum_of(body, X, v);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-9);
  EXPECT_LT((after.angular - before.angular).norm(), 1e-9 * 500);  // the arm grows to 200 m
  EXPECT_NEAR(after.energy, before.energy, 1e-9 * before.energy);
}

TEST(FreeBody, TurnsAsEulersEquationsSay) {
  // the reference takes steps of a thousandth with the classical method of Runge and Kutta
  const FreeBody body(brick(), 0, 0);
  const auto rate = [&](const Vector3& w) -> Vector3 {
    return -body.inverse_inertia * w.cross(body.inertia.inertia * w);
  };
  Vector3 exact(3.0, -1.0, 2.0);
  const double step = 1e-4;
  for (int i = 0; i < 10000; ++i) {
    const Vector3 a = rate(exact), b = rate(exact + step / 2 * a), c = rate(exact + step / 2 * b),
                  d = rate(exact + step * c);
    exact += step / 6 * (a + 2 * b + 2 * c + d);
  }
  double last = 0.0;
  for (const int steps : {100, 200, 400}) {
    Pose X;
    Vector6 v;
    v << 0, 0, 0, 3.0, -1.0, 2.0;
    for (int i = 0; i < steps; ++i) {
      const FreeMotion motion = advance(body, X, v, 1.0 / steps);
      X = motion.X;
      v = motion.velocity;
    }
    const double error = (v.tail<3>() - exact).norm();
    if (last > 0.0) {
      EXPECT_LT(error, 0.3 * last);  // of second order
    }
    last = error;
  }
  EXPECT_LT(last, 1e-3);
}

TEST(FreeBody, StaysFiniteAtAbsurdSpeeds) {
  const FreeBody body(brick(), 0, 0);
  Vector6 v;
  v << 1e6, 0, 0, 1e5, 2e5, -1e5;
  const Momentum before = momentum_of(body, {}, v);
  const FreeMotion motion = advance(body, {}, v, 0.1);
  ASSERT_TRUE(motion.velocity.allFinite() && motion.X.translation.allFinite());
  const Momentum after = momentum_of(body, motion.X, motion.velocity);
  EXPECT_LT((after.linear - before.linear).norm(), 1e-9 * before.linear.norm());
}

}  // namespace
}  // namespace tactum::sim::free_body_test
