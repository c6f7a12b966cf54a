// SPDX-License-Identifier: BSD-2-Clause
// Derivatives through trajectories against differences, closed forms and each other.
#include "tactum/sim/rollout_derivative.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sim/derivative_check.hpp"

namespace tactum::sim::rollout_derivative_test {
namespace {

using scenes::at;
using scenes::ball;
using scenes::body;
using scenes::cube;

TrajectoryMatrix random_rows(std::mt19937& random, Eigen::Index rows, int columns) {
  std::normal_distribution<double> normal;
  return TrajectoryMatrix::NullaryExpr(rows, columns, [&] { return normal(random); });
}

/// An ellipsoid thrown at the ground, which it meets several times.
Model tumbling() {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5, .restitution = 0.5});
  builder.add_body(Shape{Ellipsoid{.semi_axes = {0.1, 0.06, 0.14}}}, body(1.0, at(0, 0, 0.16)));
  return builder.build();
}

Trajectory thrown(const Model& model, int steps) {
  State state = model.state();
  state.v << 1.0, 0.3, -1.0, 3.0, -2.0, 4.0;
  Trajectory out;
  StepWorkspace work;
  rollout(model, state, TrajectoryMatrix::Zero(steps, model.nv()), 5e-3,
          derivative_check::exact_options(), work, out);
  return out;
}

TEST(RolloutDerivative, ForwardAndBackwardAgree) {
  const Model model = tumbling();
  const Trajectory trajectory = thrown(model, 60);
  std::mt19937 random(1);
  RolloutDerivativeOptions options;
  options.step.parameters = {StepParameter::friction, StepParameter::restitution};
  RolloutInputTangent change;
  change.q = random_rows(random, 1, 6).transpose();
  change.v = random_rows(random, 1, 6).transpose();
  change.controls = random_rows(random, 60, 6);
  change.parameters[0] = random_rows(random, 1, 2).transpose();
  change.parameters[1] = random_rows(random, 1, 2).transpose();
  const RolloutOutputTangent gradient{random_rows(random, 61, 6), random_rows(random, 61, 6)};
  const RolloutOutputTangent forward = rollout_jvp(model, trajectory, change, options);
  const RolloutGradient backward = rollout_vjp(model, trajectory, gradient, options);
  const double left = forward.q.cwiseProduct(gradient.q).sum() +
                      forward.v.cwiseProduct(gradient.v).sum(),
               right = backward.input.q.dot(change.q) + backward.input.v.dot(change.v) +
                       backward.input.controls.cwiseProduct(change.controls).sum() +
                       backward.input.parameters[0].dot(change.parameters[0]) +
                       backward.input.parameters[1].dot(change.parameters[1]);
  EXPECT_NEAR(left, right, 1e-10 * std::abs(left));
  EXPECT_EQ(forward.smooth, backward.smooth);
  EXPECT_EQ(forward.mode_margin, backward.mode_margin);
}

TEST(RolloutDerivative, ManyChangesInOnePassAreThoseOneByOne) {
  const Model model = tumbling();
  const Trajectory trajectory = thrown(model, 30);
  std::mt19937 random(3);
  RolloutDerivativeOptions options;
  options.step.parameters = {StepParameter::friction};
  std::vector<RolloutInputTangent> changes(7);
  for (int i = 0; i < 6; ++i) changes[static_cast<std::size_t>(i)].v = Eigen::VectorXd::Unit(6, i);
  changes[6].controls = random_rows(random, 30, 6);
  changes[6].parameters[0] = random_rows(random, 1, 2).transpose();
  const std::vector<RolloutOutputTangent> found = rollout_columns(model, trajectory, changes,
                                                                  options);
  ASSERT_EQ(found.size(), changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const RolloutOutputTangent alone = rollout_jvp(model, trajectory, changes[i], options);
    EXPECT_EQ(found[i].q, alone.q);
    EXPECT_EQ(found[i].v, alone.v);
    EXPECT_EQ(found[i].mode_margin, alone.mode_margin);
  }
  EXPECT_TRUE(rollout_columns(model, trajectory, {}).empty());
  changes[3].q = Eigen::VectorXd::Zero(5);
  EXPECT_THROW(rollout_columns(model, trajectory, changes, options), InvalidInput);
}

/// A box that sticks does not follow its push; relaxed, it slips a little.
TEST(RolloutDerivative, RelaxationReachesEveryStep) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.6});
  builder.add_body(cube(0.1), body(1.0, at(0, 0, 0.1 - 1e-4)));
  const Model model = builder.build();
  const int steps = 5;
  Trajectory trajectory;
  StepWorkspace work;
  rollout(model, model.state(), TrajectoryMatrix::Zero(steps, 6), 1e-3,
          derivative_check::exact_options(), work, trajectory);
  RolloutOutputTangent gradient;
  gradient.v = TrajectoryMatrix::Zero(steps + 1, 6);
  gradient.v(steps, 0) = 1.0;
  RolloutDerivativeOptions relaxed;
  relaxed.step.relaxation = 0.01;
  EXPECT_LT(std::abs(rollout_vjp(model, trajectory, gradient).input.v[0]), 1e-6);
  EXPECT_GT(rollout_vjp(model, trajectory, gradient, relaxed).input.v[0], 1e-6);
}

TEST(RolloutDerivative, LossIsAFunctionOfTheStates) {
  const Model model = tumbling();
  const Trajectory trajectory = thrown(model, 20);
  const RolloutLoss half_speed = [](const Trajectory& states, RolloutOutputTangent& gradient) {
    gradient.v = states.v;
    return 0.5 * states.v.squaredNorm();
  };
  const RolloutGradient found = rollout_gradient(model, trajectory, half_speed),
                        expected = rollout_vjp(model, trajectory, {{}, trajectory.v});
  EXPECT_EQ(found.value, 0.5 * trajectory.v.squaredNorm());
  EXPECT_EQ(found.input.v, expected.input.v);
}

TEST(RolloutDerivative, SegmentsOfAnyLengthHaveTheSameBits) {
  const Model model = tumbling();
  const Trajectory trajectory = thrown(model, 40);
  std::mt19937 random(2);
  const RolloutOutputTangent gradient{random_rows(random, 41, 6), random_rows(random, 41, 6)};
  const RolloutGradient whole = rollout_vjp(model, trajectory, gradient, {.segment = 40});
  for (const int segment : {0, 1, 3, 7, 39, 1000}) {
    const RolloutGradient parts = rollout_vjp(model, trajectory, gradient, {.segment = segment});
    EXPECT_EQ(parts.input.q, whole.input.q) << segment;
    EXPECT_EQ(parts.input.v, whole.input.v) << segment;
    EXPECT_EQ(parts.input.controls, whole.input.controls) << segment;
  }
}

TEST(RolloutDerivative, SlidingBlockFollowsSpeedAndFriction) {
  // it stops after s = v^2 / (2 mu g): ds/dv = v / (mu g), ds/dmu = -s / mu
  const double mu = 0.4, speed = 1.0, gravity = 9.81, dt = 1e-3;
  ModelBuilder builder;
  builder.add_ground({.friction = mu});
  builder.add_body(cube(0.1), body(1.0, at(0, 0, 0.1)));
  const Model model = builder.build();
  State state = model.state();
  state.v[0] = speed;
  StepOptions options = derivative_check::exact_options();
  options.tolerance = 1e-11;
  const int steps = 300;
  Trajectory trajectory;
  StepWorkspace work;
  rollout(model, state, TrajectoryMatrix::Zero(steps, 6), dt, options, work, trajectory);
  ASSERT_LT(trajectory.v.row(steps).norm(), 1e-6);
  RolloutOutputTangent gradient;
  gradient.q = TrajectoryMatrix::Zero(steps + 1, 6);
  gradient.q(steps, 0) = 1.0;
  RolloutDerivativeOptions derivative_options;
  derivative_options.step.parameters = {StepParameter::friction};
  const RolloutGradient found = rollout_vjp(model, trajectory, gradient, derivative_options);
  EXPECT_NEAR(found.input.v[0], speed / (mu * gravity), 2 * dt);
  EXPECT_NEAR(found.input.parameters[0][0], -speed * speed / (2 * mu * mu * gravity), 5 * dt);
}

TEST(RolloutDerivative, BouncingBallFollowsItsRestitution) {
  // height after the first bounce: e^2 h
  const double e = 0.7;
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5, .restitution = e});
  builder.add_body(ball(0.1), body(1.0, at(0, 0, 0.15)));
  const Model model = builder.build();
  State state = model.state();
  state.v[2] = -2.0;
  const double dt = 1e-3;
  const int steps = 100;
  Trajectory trajectory;
  StepWorkspace work;
  rollout(model, state, TrajectoryMatrix::Zero(steps, 6), dt, derivative_check::exact_options(),
          work, trajectory);
  ASSERT_GT(trajectory.v(steps, 2), 0.1);
  RolloutOutputTangent gradient;
  gradient.v = TrajectoryMatrix::Zero(steps + 1, 6);
  gradient.v(steps, 2) = 1.0;
  RolloutDerivativeOptions options;
  options.step.parameters = {StepParameter::restitution};
  const RolloutGradient found = rollout_vjp(model, trajectory, gradient, options);
  const double impact = std::sqrt(4.0 + 2.0 * 9.81 * 0.05);
  EXPECT_NEAR(found.input.parameters[1][0], impact, 0.02);  // dv/de is the speed of the impact
}

TEST(RolloutDerivative, NothingIsDifferentiatedOfATrajectoryOfAnotherModel) {
  const testing::TrapsOff compares_a_nan;
  const Model model = tumbling();
  const Trajectory trajectory = thrown(model, 3);
  ModelBuilder builder;
  builder.add_body(ball(0.1), body(1.0, at(0, 0, 1)));
  builder.add_body(ball(0.1), body(1.0, at(0, 0, 2)));
  EXPECT_THROW(rollout_jvp(builder.build(), trajectory, {}), InvalidInput);
  EXPECT_THROW(rollout_vjp(model, trajectory, {}, {.segment = -1}), InvalidInput);
  RolloutOutputTangent gradient;
  gradient.q = TrajectoryMatrix::Zero(3, 6);
  EXPECT_THROW(rollout_vjp(model, trajectory, gradient), InvalidInput);
  RolloutInputTangent change;
  change.controls = TrajectoryMatrix::Constant(3, 6, NAN);
  EXPECT_THROW(rollout_jvp(model, trajectory, change), InvalidInput);
  EXPECT_EQ(rollout_vjp(model, trajectory, {}).input.q, Eigen::VectorXd::Zero(6));
}

}  // namespace
}  // namespace tactum::sim::rollout_derivative_test
