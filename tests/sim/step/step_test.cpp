// SPDX-License-Identifier: BSD-2-Clause
// Steps against closed forms of mechanics, and the laws of contact recomputed from outside.
#include "tactum/sim/step.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sim/scenes.hpp"
#include "sim/step/step_data.hpp"
#include "support/allocation_guard.hpp"

namespace tactum::sim::step_test {
namespace {

using scenes::at;
using scenes::ball;
using scenes::body;
using scenes::cube;
using scenes::run;

constexpr double kGravity = 9.81;

Model box_on_ground(double friction, double slope = 0.0, double height = 0.1) {
  ModelBuilder builder(Vector3(kGravity * std::sin(slope), 0.0, -kGravity * std::cos(slope)));
  builder.add_ground({.friction = friction});
  builder.add_body(cube(0.1), body(2.0, at(0, 0, height)));
  return builder.build();
}

TEST(Step, FreeFallIsTheParabolaOfSemiImplicitEuler) {
  ModelBuilder builder;
  builder.add_body(cube(0.1), body(2.0, at(1, 2, 3)));
  const Model model = builder.build();
  State state = model.state();
  state.v.head<3>() << 0.5, 0.0, 2.0;
  const int n = 1000;
  const double dt = 1e-3;
  const StepResult result = run(model, state, n, dt);
  EXPECT_NEAR(result.state.q[0], 1 + 0.5, 1e-12);
  EXPECT_NEAR(result.state.q[2], 3 + 2.0 - kGravity * dt * dt * n * (n + 1) / 2, 1e-10);
  EXPECT_NEAR(result.state.v[2], 2.0 - kGravity, 1e-11);
  EXPECT_NEAR(result.state.time, 1.0, 1e-12);
}

TEST(Step, BoxAtRestIsAFixedPoint) {
  const Model model = box_on_ground(0.8);
  const State start = model.state();
  const StepResult result = run(model, start, 2000, 1e-3);
  EXPECT_EQ(result.status, StepStatus::converged);
  EXPECT_EQ(result.contacts.size(), 4U);
  EXPECT_LT((result.state.q - start.q).norm(), 1e-9);
  EXPECT_LT(result.state.v.norm(), 1e-9);
  double weight = 0.0;
  for (const StepContact& contact : result.contacts) weight += contact.force.z();
  EXPECT_NEAR(weight, 2.0 * kGravity, 1e-6);  // A is the ground, so the force is on the box
}

TEST(Step, BoxOnASlopeSticksBelowTheFrictionAngleAndSlidesAbove) {
  const double mu = 0.5, angle = std::atan(mu);
  const StepResult below = run(box_on_ground(mu, 0.999 * angle), box_on_ground(mu).state(), 500,
                               1e-3);
  EXPECT_LT(below.state.v.norm(), 1e-7);
  const double steep = 1.001 * angle;
  const StepResult above = run(box_on_ground(mu, steep), box_on_ground(mu).state(), 500, 1e-3);
  const double expected = 0.5 * kGravity * (std::sin(steep) - mu * std::cos(steep));
  EXPECT_NEAR(above.state.v[0], expected, 1e-6);
  EXPECT_GT(expected, 1e-3);
}

TEST(Step, SlidingBoxStopsAfterTheClosedFormDistance) {
  const double mu = 0.3, speed = 1.0, dt = 1e-4;
  const Model model = box_on_ground(mu);
  State state = model.state();
  state.v[0] = speed;
  const StepResult result = run(model, state, 5000, dt);
  EXPECT_LT(result.state.v.norm(), 1e-7);
  EXPECT_NEAR(result.state.q[0], speed * speed / (2 * mu * kGravity), speed * dt);
}

TEST(Step, RollingBallKeepsRolling) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.6});
  builder.add_body(ball(0.1), body(1.0, at(0, 0, 0.1)));
  const Model model = builder.build();
  State state = model.state();
  state.v[0] = 1.0;
  // it slides first; friction turns it until it rolls at 5/7 of the speed
  const StepResult result = run(model, state, 2000, 1e-3);
  const Vector3 linear = Eigen::Quaterniond(Eigen::Vector4d(result.state.q.segment<4>(3))) *
                         Vector3(result.state.v.head<3>());
  EXPECT_NEAR(linear.x(), 5.0 / 7.0, 1e-6);
  EXPECT_NEAR(result.state.v.tail<3>().norm(), 5.0 / 7.0 / 0.1, 1e-5);
}

TEST(Step, BouncingBallLosesTheShareOfItsRestitution) {
  const double e = 0.7, dt = 1e-4;
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5, .restitution = e});
  builder.add_body(ball(0.1), body(1.0, at(0, 0, 1.1)));
  const Model model = builder.build();
  StepWorkspace work;
  StepResult result;
  State state = model.state();
  std::vector<double> rebounds;
  for (int i = 0; i < 20000 && rebounds.size() < 4; ++i) {
    step(model, state, {}, dt, {}, work, result);
    if (state.v[2] < -0.1 && result.state.v[2] > 0.1) {
      rebounds.push_back(result.state.v[2] / -state.v[2]);
    }
    state = result.state;
  }
  ASSERT_EQ(rebounds.size(), 4U);
  for (const double ratio : rebounds) EXPECT_NEAR(ratio, e, 1e-3);
}

TEST(Step, NewtonsCradlePassesTheVelocityOn) {
  ModelBuilder builder(Vector3::Zero());
  for (int i = 0; i < 2; ++i) {
    BodyOptions options = body(1.0, at(0.5 * i, 0, 0));
    options.surface = {.friction = 0.0, .restitution = 1.0};
    builder.add_body(ball(0.1), options);
  }
  const Model model = builder.build();
  State state = model.state();
  state.v[0] = 1.0;
  const StepResult result = run(model, state, 1000, 1e-3);
  EXPECT_NEAR(result.state.v[0], 0.0, 1e-9);
  EXPECT_NEAR(result.state.v[6], 1.0, 1e-9);
}

TEST(Step, CollisionsKeepMomentum) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  ModelBuilder builder(Vector3::Zero());
  for (int i = 0; i < 8; ++i) {
    BodyOptions options = body(1.0 + i, at(0.23 * (i % 2), 0.23 * (i / 2 % 2), 0.23 * (i / 4)));
    options.surface = {.friction = 0.4, .restitution = 0.3};
    builder.add_body(i % 3 == 0 ? ball(0.11) : Shape{Box{.half_extents = {0.1, 0.08, 0.11}}},
                     options);
  }
  const Model model = builder.build();
  State state = model.state();
  for (Eigen::Index i = 0; i < state.v.size(); ++i) state.v[i] = number(random);
  const Eigen::Matrix<double, 6, 1> before = momentum(model, state);
  StepWorkspace work;
  StepResult result;
  double energy_before = energy(model, state).kinetic;
  int met = 0;
  StepOptions options;
  options.position_correction = 0.0;
  for (int i = 0; i < 500; ++i) {
    step(model, state, {}, 2e-3, options, work, result);
    met += static_cast<int>(result.contacts.size());
    const double now = energy(model, result.state).kinetic;
    EXPECT_LE(now, energy_before * (1 + 1e-9) + 1e-9);
    energy_before = now;
    state = result.state;
  }
  EXPECT_GT(met, 20);
  EXPECT_LT((momentum(model, state) - before).norm(), 1e-9);
}

TEST(Step, CompliantContactYieldsByTheForce) {
  const double compliance = 1e-4, mass = 2.0;
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5, .compliance = compliance});
  builder.add_body(ball(0.1), body(mass, at(0, 0, 0.1)));
  const Model model = builder.build();
  const StepResult result = run(model, model.state(), 5000, 1e-3);
  EXPECT_NEAR(result.state.q[2], 0.1 - compliance * mass * kGravity, 1e-7);
}

/// Allocations of steps after some that warmed up the memory.
std::size_t allocations(const Model& model) {
  StepWorkspace work;
  StepResult result;
  State state = model.state();
  const Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.nv());
  const auto advance = [&] {
    step(model, state, tau, 1e-3, {}, work, result);
    std::swap(state, result.state);
  };
  for (int i = 0; i < 20; ++i) advance();
  const testing::AllocationGuard guard;
  for (int i = 0; i < 20; ++i) advance();
  return guard.count();
}

TEST(Step, AllocatesNothingAfterWarmUp) {
  ModelBuilder stack;
  stack.add_ground({.friction = 0.6});
  for (int i = 0; i < 4; ++i) stack.add_body(cube(0.1), body(1.0, at(0, 0, 0.1 + 0.2 * i)));
  EXPECT_EQ(allocations(stack.build()), 0U);

  ModelBuilder robot;
  RobotDescription arm = scenes::arm_of_links(3);
  arm.joints[0].dry_friction = 0.1;
  arm.joints[1].upper = 0.0;
  const int first = robot.add_robot(arm, at(3, 0, 1));
  robot.add_geometry(first + 2, ball(0.1), at(0.5, 0, 0));
  robot.add_connection(first + 1, 0, Vector3(0.5, 0, 0));
  EXPECT_EQ(allocations(robot.build()), 0U);
}

TEST(Step, APenetrationThatNothingCanPartIsLeftAlone) {
  // a ball on a rail along x lies in the ground: it cannot move up
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  RobotDescription robot;
  RobotJoint joint{.name = "rail", .kind = JointKind::prismatic, .axis = Vector3::UnitX()};
  joint.inertia = {1.0, Vector3::Zero(), Matrix3::Identity()};
  robot.joints = {joint};
  robot.geometries = {{.geometry = ball(0.1), .joint = 0}};
  builder.add_robot(robot, at(0, 0, 0.05));
  const Model model = builder.build();
  State state = model.state();
  state.v[0] = 1.0;
  const StepResult result = step(model, state, {}, 1e-3);
  EXPECT_EQ(result.status, StepStatus::converged);
  EXPECT_FALSE(result.corrected);
  EXPECT_NEAR(result.state.v[0], 1.0, 1e-6);
}

TEST(Step, CorrectionsInVainAreTriedAgainAfterPausesThatDoubleUpTo15Steps) {
  // a ball between a floor and a ceiling that are nearer to each other than its diameter
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  builder.add_geometry(0, cube(0.5), at(0, 0, 0.65));
  builder.add_body(ball(0.1), body(1.0, at(0, 0, 0.075)));
  const Model model = builder.build();
  State state = model.state();
  std::vector<int> attempts;
  for (int i = 0; i < 60; ++i) {
    const bool is_paused = state.memory && state.memory->pause.steps_left > 0;
    const StepResult result = step(model, state, {}, 1e-3);
    EXPECT_FALSE(result.corrected);
    if (!is_paused) attempts.push_back(i);
    state = result.state;
  }
  EXPECT_EQ(attempts, (std::vector<int>{0, 2, 6, 14, 30, 46}));
}

TEST(Step, ACorrectionThatSucceedsEndsThePauses) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  builder.add_body(ball(0.1), body(1.0, at(0, 0, 0.09)));
  const Model model = builder.build();
  State state = model.state();
  auto memory = std::make_shared<ContactMemory>();
  memory->pause = {.vain = 2, .steps_left = 0};
  state.memory = memory;
  const StepResult result = step(model, state, {}, 1e-3);
  EXPECT_TRUE(result.corrected);
  EXPECT_EQ(result.state.memory->pause.vain, 0);
  EXPECT_EQ(result.state.memory->pause.steps_left, 0);
}

TEST(Step, SameBitsAgain) {
  const Model model = box_on_ground(0.3, 0.2);
  const StepResult a = run(model, model.state(), 100, 1e-3),
                   b = run(model, model.state(), 100, 1e-3);
  EXPECT_EQ(a.state.q, b.state.q);
  EXPECT_EQ(a.state.v, b.state.v);
}

TEST(Step, RefusesBadInputAndKeepsTheState) {
  const Model model = box_on_ground(0.3);
  State state = model.state();
  EXPECT_THROW(step(model, state, {}, 0.0), InvalidInput);
  EXPECT_THROW(step(model, state, {}, std::nan("")), InvalidInput);
  EXPECT_THROW(step(model, state, Eigen::VectorXd::Zero(3), 1e-3), InvalidInput);
  State bad = state;
  bad.v[2] = std::nan("");
  EXPECT_THROW(step(model, bad, {}, 1e-3), InvalidInput);
  bad = state;
  bad.q.segment<4>(3).setZero();
  EXPECT_THROW(step(model, bad, {}, 1e-3), InvalidInput);
  bad = state;
  bad.q.conservativeResize(6);
  EXPECT_THROW(step(model, bad, {}, 1e-3), InvalidInput);
  EXPECT_EQ(state.q, model.state().q);
}

}  // namespace
}  // namespace tactum::sim::step_test
