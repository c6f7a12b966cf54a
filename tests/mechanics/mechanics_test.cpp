// SPDX-License-Identifier: BSD-2-Clause
// Scenes of mechanics against their closed forms. Every step of them obeys the laws of contact,
// recomputed from outside.
#include <gtest/gtest.h>

#include <limits>
#include <numbers>
#include <random>

#include "mechanics/contact_laws.hpp"
#include "sim/scenes.hpp"

namespace tactum::sim::mechanics_test {
namespace {

using contact_laws::run_lawfully;
using scenes::at;
using scenes::ball;
using scenes::body;
using scenes::cube;

constexpr double kGravity = 9.81;

Vector3 tilted(double slope) {
  return {kGravity * std::sin(slope), 0.0, -kGravity * std::cos(slope)};
}

double total_energy(const Model& model, const State& state) {
  const Energy found = energy(model, state);
  return found.kinetic + found.potential;
}

Vector3 world_velocity(const State& state, int body_index) {
  const Pose X = free_pose(state.q, 7 * body_index);
  return X.rotation * state.v.segment<3>(6 * body_index);
}

TEST(Mechanics, AStackOfTenBoxesRestsForTenSeconds) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.6});
  for (int i = 0; i < 10; ++i) builder.add_body(cube(0.1), body(1.0, at(0, 0, 0.1 + 0.2 * i)));
  const Model model = builder.build();
  double worst = 0.0;
  run_lawfully(model, model.state(), 2000, 5e-3, {}, [&](const State& state, const StepResult&) {
    worst = std::max(worst, (state.q - model.state().q).cwiseAbs().maxCoeff());
  });
  EXPECT_LT(worst, 1e-6);
}

TEST(Mechanics, ABoxOnASlopeSticksAndSlidesWithinATenthOfAPercentOfTheFrictionAngle) {
  for (const double mu : {0.2, 0.5, 1.0}) {
    for (const double share : {0.999, 1.001}) {
      const double slope = share * std::atan(mu);
      ModelBuilder builder(tilted(slope));
      builder.add_ground({.friction = mu});
      builder.add_body(cube(0.1), body(2.0, at(0, 0, 0.1)));
      const Model model = builder.build();
      const State end = run_lawfully(model, model.state(), 300, 1e-3).state;
      const double acceleration = kGravity * (std::sin(slope) - mu * std::cos(slope));
      EXPECT_NEAR(end.v[0], share < 1.0 ? 0.0 : 0.3 * acceleration, 1e-6);
    }
  }
}

TEST(Mechanics, ABallRollsDownASlopeWithFiveSeventhsOfTheAcceleration) {
  const double slope = 0.3;
  ModelBuilder builder(tilted(slope));
  builder.add_ground({.friction = 0.6});
  builder.add_body(ball(0.1), body(1.0, at(0, 0, 0.1)));
  const Model model = builder.build();
  const State end = run_lawfully(model, model.state(), 1000, 1e-3).state;
  EXPECT_NEAR(world_velocity(end, 0).x(), 5.0 / 7.0 * kGravity * std::sin(slope), 1e-6);
  EXPECT_NEAR(end.q[2], 0.1, 1e-9);
}

TEST(Mechanics, ACylinderRollsWithTwoThirdsOfTheAcceleration) {
  const double slope = 0.2;
  ModelBuilder builder(tilted(slope));
  builder.add_ground({.friction = 0.6});
  Pose X = at(0, 0, 0.1);
  X.rotation = Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3::UnitX()).toRotationMatrix();
  builder.add_body(Shape{Cylinder{.radius = 0.1, .half_length = 0.2}}, body(1.0, X));
  const Model model = builder.build();
  const State end = run_lawfully(model, model.state(), 500, 1e-3).state;
  EXPECT_NEAR(world_velocity(end, 0).x(), 2.0 / 3.0 * kGravity * std::sin(slope) * 0.5, 1e-4);
}

TEST(Mechanics, ABallThatSpinsInPlaceGetsRolling) {
  // spin w about y: friction mu g drives it until r w' = v, at 2/7 of the speed of its surface
  const double radius = 0.1, spin = 20.0;
  ModelBuilder builder;
  builder.add_ground({.friction = 0.3});
  builder.add_body(ball(radius), body(1.0, at(0, 0, radius)));
  const Model model = builder.build();
  State state = model.state();
  state.v[4] = spin;
  const State end = run_lawfully(model, state, 500, 1e-3).state;
  EXPECT_NEAR(world_velocity(end, 0).x(), 2.0 / 7.0 * radius * spin, 1e-6);
}

TEST(Mechanics, ATopPrecessesSteadily) {
  // held at its tip, which a connection to the world does; the rate W of steady precession at the
  // angle a of a top that spins with w3 satisfies I1 W^2 cos a - I3 w3 W + m g l = 0
  const double mass = 0.5, length = 0.1, I1 = 8e-4, I3 = 4e-4, angle = 0.4, spin = 300.0, dt = 1e-4;
  ModelBuilder builder;
  BodyOptions options;
  options.inertia = BodyInertia{mass, {0, 0, length}, Vector3(I1, I1, I3).asDiagonal()};
  options.X.rotation = Eigen::AngleAxisd(angle, Vector3::UnitX()).toRotationMatrix();
  const int top = builder.add_body(ball(0.02), options);
  builder.add_connection(0, top, Vector3::Zero());
  const Model model = builder.build();
  const double about_tip = I1 + mass * length * length, moment = mass * kGravity * length;
  const double b = I3 * spin, a = about_tip * std::cos(angle);
  const double rate = 2.0 * moment / (b + std::sqrt(b * b - 4.0 * a * moment));
  State state = model.state();
  const Vector3 axis = options.X.rotation.col(2);
  // angular velocity: precession about z, and spin along the axis so that its component is w3
  const Vector3 angular = rate * Vector3::UnitZ() + (spin - rate * axis.z()) * axis;
  state.v.tail<3>() = options.X.rotation.transpose() * angular;
  StepWorkspace work;
  StepResult result;
  const int steps = 5000;
  double turned = 0.0, worst = 0.0;
  Vector3 last = axis;
  for (int i = 0; i < steps; ++i) {
    step(model, state, {}, dt, {}, work, result);
    state = result.state;
    const Vector3 now = free_pose(state.q, 0).rotation.col(2);
    turned += std::atan2(last.x() * now.y() - last.y() * now.x(),
                         last.x() * now.x() + last.y() * now.y());
    worst = std::max(worst, std::abs(std::acos(now.z()) - angle));
    last = now;
  }
  EXPECT_NEAR(turned / (steps * dt), rate, 2e-3 * rate);
  EXPECT_LT(worst, 2e-3);
}

TEST(Mechanics, NewtonsCradleSendsOutAsManyBallsAsComeIn) {
  // with gaps between the balls, so that the impacts follow each other; impacts of one instant are
  // one problem, whose solution by Newton's restitution is another
  for (const int thrown : {1, 2, 3}) {
    ModelBuilder builder(Vector3::Zero());
    for (int i = 0; i < 5; ++i) {
      BodyOptions options = body(1.0, at(0.2 * i + (i < thrown ? -0.3 : 0.0) + 0.004 * i, 0, 0));
      options.surface = {.friction = 0.0, .restitution = 1.0};
      builder.add_body(ball(0.1), options);
    }
    const Model model = builder.build();
    State state = model.state();
    for (int i = 0; i < thrown; ++i) state.v[6 * i] = 1.0;
    StepOptions options;
    options.tolerance = 1e-12;
    const State end = run_lawfully(model, state, 1500, 1e-3, options).state;
    for (int i = 0; i < 5; ++i)
      EXPECT_NEAR(end.v[6 * i], i >= 5 - thrown ? 1.0 : 0.0, 1e-9) << thrown << " " << i;
    EXPECT_NEAR(energy(model, end).kinetic, 0.5 * thrown, 1e-9);
  }
}

TEST(Mechanics, ABouncingBallReachesTheHeightsOfItsRestitution) {
  const double e = 0.8, height = 0.5, dt = 1e-4;
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5, .restitution = e});
  builder.add_body(ball(0.1), body(1.0, at(0, 0, 0.1 + height)));
  const Model model = builder.build();
  std::vector<double> tops;
  run_lawfully(model, model.state(), 20000, dt, {},
               [&](const State& state, const StepResult& result) {
                 if (state.v[2] > 0.0 && result.state.v[2] <= 0.0) tops.push_back(state.q[2] - 0.1);
               });
  ASSERT_GE(tops.size(), 3U);
  double expected = height;
  for (std::size_t i = 0; i < 3; ++i) {
    expected *= e * e;
    EXPECT_NEAR(tops[i], expected, 2e-3 * height);
  }
}

TEST(Mechanics, EnergyNeverGrowsWithoutRestitution) {
  // for free bodies this is a theorem where nothing is corrected: docs/theory/10-step.md
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (int scene = 0; scene < 6; ++scene) {
    ModelBuilder builder;
    builder.add_ground({.friction = 0.4});
    for (int i = 0; i < 5; ++i) {
      const Shape shape = i % 3 == 0   ? ball(0.1)
                          : i % 3 == 1 ? Shape{Box{.half_extents = {0.1, 0.07, 0.12}}}
                                       : Shape{Capsule{.radius = 0.06, .half_length = 0.1}};
      const double x = 0.1 * number(random), y = 0.1 * number(random);  // in this order everywhere
      builder.add_body(shape, body(1.0 + i, at(x, y, 0.2 + 0.3 * i)));
    }
    const Model model = builder.build();
    State state = model.state();
    for (double& entry : state.v) entry = number(random);
    StepOptions options;
    options.position_correction = 0.0;
    const double scale = total_energy(model, state);
    double growth = 0.0;
    run_lawfully(
        model, state, 600, 2e-3, options,
        [&](const State& before, const StepResult& result) {
          growth = std::max(growth,
                            total_energy(model, result.state) - total_energy(model, before));
        },
        12);
    EXPECT_LT(growth, 1e-7 * scale);
  }
}

/// An arm whose joints have limits, dry friction, or neither.
RobotDescription arm(double lower, double upper, double dry_friction) {
  RobotDescription robot = scenes::arm_of_links(3);
  robot.joints[0].dry_friction = dry_friction;
  robot.joints[1].lower = lower;
  robot.joints[1].upper = upper;
  for (int i = 0; i < 3; ++i) {
    robot.geometries.push_back({.geometry = ball(0.05), .joint = i, .X_JG = at(0.5, 0, 0)});
    if (i > 0) robot.forbidden.emplace_back(i - 1, i);
  }
  return robot;
}

TEST(Mechanics, AnArmThatHitsTheGroundAndItsLimitsObeysTheLaws) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  builder.add_robot(arm(-0.3, 0.2, 0.8), at(0, 0, 0.4));
  const Model model = builder.build();
  State state = model.state();
  state.v[2] = 3.0;
  const int first = model.data().scalar_joints.front().v;
  bool met_ground = false, met_limit = false, slid = false;
  run_lawfully(model, state, 800, 1e-3, {}, [&](const State&, const StepResult& result) {
    met_ground = met_ground || !result.contacts.empty();
    met_limit = met_limit || result.joint_force[1] != 0.0;
    slid = slid || std::abs(result.joint_force[static_cast<std::size_t>(first)]) == 0.8;
  });
  EXPECT_TRUE(met_ground && met_limit && slid);
}

TEST(Mechanics, LimitsOfAnArmHoldToTheToleranceOfTheSolver) {
  ModelBuilder builder;
  builder.add_robot(arm(-0.3, 0.2, 0.0), at(0, 0, 0));
  const Model model = builder.build();
  State state = model.state();
  state.v << 0.0, 4.0, -3.0;
  StepWorkspace work;
  StepResult result;
  const StepOptions options;
  const double dt = 1e-3;
  double allowed = 0.0, passed = 0.0;
  for (int i = 0; i < 3000; ++i) {
    step(model, state, {}, dt, options, work, result);
    std::swap(state, result.state);
    ASSERT_EQ(result.status, StepStatus::converged);
    // what each step may add to the last one's
    allowed += options.tolerance * work.data().velocity_unit * dt * dt;
    passed = std::max({passed, state.q[1] - 0.2, -0.3 - state.q[1]});
    EXPECT_LE(passed, allowed);
  }
  EXPECT_GT(passed, -1e-9);  // it was there
}

TEST(Mechanics, ClosuresOfBodiesAndRobotsHoldWhileTheyHitTheGround) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.4});
  const double none = std::numeric_limits<double>::infinity();
  const int first = builder.add_robot(arm(-none, none, 0.0), at(0, 0, 0.4));
  const int box = builder.add_body(cube(0.1), body(0.5, at(1.5, 0, 0.6)));
  builder.add_connection(first + 2, box, Vector3(0.5, 0, 0));
  const int other = builder.add_body(cube(0.1), body(1.0, at(1.5, 0.5, 0.8)));
  builder.add_weld(box, other);
  builder.add_coupling("link0", "link1", -0.5);
  const Model model = builder.build();
  std::size_t most = 0;
  run_lawfully(model, model.state(), 800, 1e-3, {}, [&](const State&, const StepResult& result) {
    most = std::max(most, result.contacts.size());
  });
  EXPECT_GE(most, 4U);
}

TEST(Mechanics, ARobotThatFallsOnItsFeetObeysTheLaws) {
  RobotDescription robot;
  RobotJoint base{.name = "base", .parent = -1, .kind = JointKind::free, .X_PJ = {}};
  base.inertia = {5.0, Vector3::Zero(), Vector3(0.1, 0.2, 0.2).asDiagonal()};
  robot.joints.push_back(base);
  robot.geometries.push_back({.geometry = cube(0.1), .joint = 0});
  for (int i = 0; i < 4; ++i) {
    RobotJoint leg{.name = "leg" + std::to_string(i),
                   .parent = 0,
                   .kind = JointKind::revolute,
                   .axis = Vector3::UnitY(),
                   .X_PJ = at(i < 2 ? 0.2 : -0.2, i % 2 == 0 ? 0.15 : -0.15, 0)};
    leg.inertia = {0.5, {0, 0, -0.15}, 5e-3 * Matrix3::Identity()};
    leg.lower = -0.5;
    leg.upper = 0.4;
    robot.joints.push_back(leg);
    robot.geometries.push_back({.geometry = ball(0.04), .joint = i + 1, .X_JG = at(0, 0, -0.3)});
    robot.forbidden.emplace_back(0, i + 1);
  }
  ModelBuilder builder;
  builder.add_ground({.friction = 0.7});
  builder.add_robot(robot, at(0, 0, 0.5));
  const Model model = builder.build();
  State state = model.state();
  state.v[0] = 0.5;
  std::size_t most = 0;
  run_lawfully(model, state, 1000, 1e-3, {}, [&](const State&, const StepResult& result) {
    most = std::max(most, result.contacts.size());
  });
  EXPECT_GE(most, 4U);
}

TEST(Mechanics, AForceThatIsNotANumberBreaksTheLaws) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  builder.add_body(ball(0.1), body(1.0, at(0, 0, 0.1)));
  const Model model = builder.build();
  const State state = model.state();
  const StepOptions options;
  StepWorkspace work;
  StepResult result;
  step(model, state, {}, 1e-3, options, work, result);
  const contact_laws::Checked checked{model, state, result, work.data(), 1e-3, options};
  EXPECT_LE(contact_laws::violation(checked), options.tolerance);
  for (const int axis : {0, 2}) {
    const Vector3 force = result.contacts[0].force;
    result.contacts[0].force[axis] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(contact_laws::violation(checked)));
    result.contacts[0].force = force;
  }
}

TEST(Mechanics, AnImpactThatTheSolverMayNotFinishSaysSoAndStaysFinite) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.8});
  for (int i = 0; i < 27; ++i)
    builder.add_body(cube(0.1),
                     body(i % 2 == 0 ? 0.1 : 10.0,
                          at(0.201 * (i % 3), 0.201 * (i / 3 % 3), 0.1 + 0.2 * (i / 9))));
  const Model model = builder.build();
  State state = model.state();
  for (int i = 0; i < state.v.size(); ++i) state.v[i] = 3.0 * std::sin(1.0 + i);
  StepOptions options;
  options.max_iterations = 1;
  StepWorkspace work;
  StepResult result;
  int unfinished = 0;
  for (int i = 0; i < 100; ++i) {
    step(model, state, {}, 2e-3, options, work, result);
    unfinished += result.status == StepStatus::not_converged ? 1 : 0;
    EXPECT_EQ(result.status == StepStatus::converged,
              result.solution.residual <= options.tolerance);
    EXPECT_LE(result.solution.iterations, 2);  // two attempts
    ASSERT_TRUE(result.state.q.allFinite() && result.state.v.allFinite());
    ASSERT_TRUE(result.solution.force.allFinite());
    std::swap(state, result.state);
  }
  EXPECT_GT(unfinished, 50);
}

TEST(Mechanics, InternalContactKeepsMomentum) {
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  ModelBuilder builder(Vector3::Zero());
  for (int i = 0; i < 8; ++i)
    builder.add_body(i % 2 == 0 ? ball(0.12) : cube(0.1),
                     body(1.0 + i, at(0.25 * (i % 2), 0.25 * (i / 2 % 2), 0.25 * (i / 4))));
  builder.add_weld(1, 2);
  builder.add_connection(3, 4, Vector3(0.1, 0, 0));
  const Model model = builder.build();
  State state = model.state();
  for (double& entry : state.v) entry = number(random);
  const Vector6 before = momentum(model, state);
  const Vector3 center = com(model, state);
  double mass = 0.0;
  for (const FreeBody& each : model.data().free_bodies) mass += each.inertia.mass;
  const State end = scenes::run(model, state, 500, 2e-3).state;
  EXPECT_LT((momentum(model, end) - before).norm(), 1e-10 * before.norm());
  EXPECT_LT((com(model, end) - center - before.head<3>() / mass).norm(), 1e-10);
}

}  // namespace
}  // namespace tactum::sim::mechanics_test
