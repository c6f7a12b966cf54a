// SPDX-License-Identifier: BSD-2-Clause
// Limits of joints, dry friction, springs, damping and limits of efforts against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/scenes.hpp"
#include "sim/step/step_data.hpp"

namespace tactum::sim::joint_rows_test {
namespace {

/// A mass on a rail along x.
Model slider(const std::function<void(RobotJoint&)>& change, double mass = 2.0) {
  RobotDescription robot;
  RobotJoint joint{.name = "rail", .kind = JointKind::prismatic, .axis = Vector3::UnitX()};
  joint.inertia = {mass, Vector3::Zero(), Matrix3::Identity()};
  change(joint);
  robot.joints = {joint};
  ModelBuilder builder;
  builder.add_robot(robot);
  return builder.build();
}

TEST(JointRows, ALimitIsNeverPassedByMoreThanTheTolerance) {
  const Model model = slider([](RobotJoint& joint) {
    joint.lower = -0.5;
    joint.upper = 0.25;
  });
  for (const double force : {-30.0, 20.0}) {
    StepWorkspace work;
    StepResult result;
    State state = model.state();
    state.v[0] = force < 0.0 ? -3.0 : 5.0;
    double worst = 0.0;
    for (int i = 0; i < 500; ++i) {
      step(model, state, Eigen::VectorXd::Constant(1, force), 1e-3, {}, work, result);
      state = result.state;
      worst = std::max({worst, state.q[0] - 0.25, -0.5 - state.q[0]});
    }
    EXPECT_LT(worst, 1e-9);
    EXPECT_NEAR(state.q[0], force < 0.0 ? -0.5 : 0.25, 1e-9);
    EXPECT_NEAR(state.v[0], 0.0, 1e-9);
    EXPECT_NEAR(result.joint_force[0], -force, 1e-6);
  }
}

TEST(JointRows, OnlyLimitsInReachHaveRows) {
  const Model model = slider([](RobotJoint& joint) {
    joint.lower = -0.5;
    joint.upper = 0.5;
  });
  StepWorkspace workspace;
  State state = model.state();
  for (const auto& [q, v, rows] :
       {std::tuple{0.0, 1.0, 0U}, std::tuple{0.4995, 0.0, 1U}, std::tuple{-0.45, -100.0, 1U}}) {
    state.q[0] = q;
    state.v[0] = v;
    StepResult result;
    step(model, state, {}, 1e-3, {}, workspace, result);
    EXPECT_EQ(workspace.data().joint_rows.size(), rows);
  }
}

TEST(JointRows, DryFrictionHoldsUpToItsBoundAndThenBrakes) {
  const Model model = slider([](RobotJoint& joint) { joint.dry_friction = 3.0; });
  const auto velocity = [&](double force) {
    StepWorkspace work;
    StepResult result;
    State state = model.state();
    for (int i = 0; i < 100; ++i) {
      step(model, state, Eigen::VectorXd::Constant(1, force), 1e-3, {}, work, result);
      state = result.state;
    }
    return state.v[0];
  };
  EXPECT_NEAR(velocity(2.99), 0.0, 1e-9);
  EXPECT_NEAR(velocity(5.0), (5.0 - 3.0) / 2.0 * 0.1, 1e-8);
  EXPECT_NEAR(velocity(-5.0), -(5.0 - 3.0) / 2.0 * 0.1, 1e-8);
}

TEST(JointRows, DampingAndSpringAreImplicit) {
  // (m + dt c + dt^2 k) v+ = m v - dt k (x - x0)
  const double m = 2.0, c = 7.0, k = 1e6, rest = 0.3, dt = 0.01;
  const Model model = slider([&](RobotJoint& joint) {
    joint.damping = c;
    joint.stiffness = k;
    joint.rest_position = rest;
  });
  State state = model.state();
  state.v[0] = 1.5;
  state.q[0] = 0.1;
  StepWorkspace work;
  StepResult result;
  double x = 0.1, v = 1.5;
  for (int i = 0; i < 200; ++i) {
    step(model, state, {}, dt, {}, work, result);
    v = (m * v - dt * k * (x - rest)) / (m + dt * c + dt * dt * k);
    x += dt * v;
    state = result.state;
    EXPECT_NEAR(state.v[0], v, 1e-9 * (1.0 + std::abs(v)));
    EXPECT_NEAR(state.q[0], x, 1e-9);
  }
  EXPECT_NEAR(x, rest, 1e-3);  // a spring this stiff would explode if it were explicit
}

TEST(JointRows, ArmatureAddsToTheMass) {
  const Model model = slider([](RobotJoint& joint) { joint.armature = 3.0; });
  StepWorkspace work;
  StepResult result;
  step(model, model.state(), Eigen::VectorXd::Constant(1, 10.0), 0.1, {}, work, result);
  EXPECT_NEAR(result.state.v[0], 10.0 / 5.0 * 0.1, 1e-12);
}

TEST(JointRows, EffortsActUpToTheirLimit) {
  const Model model = slider([](RobotJoint& joint) { joint.effort_limit = 4.0; });
  for (const double force : {-100.0, -4.0, 1.0, 4.0, 7.0}) {
    StepWorkspace work;
    StepResult result;
    step(model, model.state(), Eigen::VectorXd::Constant(1, force), 0.1, {}, work, result);
    EXPECT_NEAR(result.state.v[0], std::clamp(force, -4.0, 4.0) / 2.0 * 0.1, 1e-12);
  }
}

}  // namespace
}  // namespace tactum::sim::joint_rows_test
