// SPDX-License-Identifier: BSD-2-Clause
// Connections, welds and couplings: loops that stay closed, and the motion that mechanics asks for.
#include <gtest/gtest.h>

#include <numbers>

#include "sim/scenes.hpp"
#include "sim/step/step_data.hpp"

namespace tactum::sim::closure_rows_test {
namespace {

using scenes::arm_of_links;
using scenes::at;
using scenes::ball;
using scenes::body;
using scenes::cube;

double worst_error(const Model& model, const Eigen::VectorXd& q) {
  const std::vector<Pose> X = model.body_poses(q);
  double worst = 0.0;
  for (const Closure& closure : model.data().closures) {
    const ClosureError error = closure_error(closure, X[static_cast<std::size_t>(closure.body_a)],
                                             X[static_cast<std::size_t>(closure.body_b)]);
    worst = std::max(worst, error.translation.norm());
    if (closure.kind == ClosureKind::weld) worst = std::max(worst, error.rotation.norm());
  }
  return worst;
}

TEST(ClosureRows, AConnectedBallSwingsAsAPendulum) {
  // a ball on a rod of length 1 without mass, connected to the world: T = 2 pi sqrt(I / (m g l))
  const double mass = 2.0, radius = 0.1, length = 1.0, dt = 5e-4, start = 0.05;
  ModelBuilder builder;
  builder.add_body(ball(radius),
                   body(mass, at(length * std::sin(start), 0, -length * std::cos(start))));
  builder.add_connection(0, 1, Vector3::Zero());
  const Model model = builder.build();
  const double inertia = mass * length * length + 0.4 * mass * radius * radius;
  const double omega = std::sqrt(mass * 9.81 * length / inertia);
  StepWorkspace work;
  StepResult result;
  State state = model.state();
  const int steps = static_cast<int>(2.0 * std::numbers::pi / omega / dt);
  double worst = 0.0, lowest_energy = 0.0;
  const auto total = [&](const State& at_state) {
    const Energy found = energy(model, at_state);
    return found.kinetic + found.potential;
  };
  const double energy_before = total(state);
  for (int i = 0; i < steps; ++i) {
    step(model, state, {}, dt, {}, work, result);
    ASSERT_EQ(result.status, StepStatus::converged);
    state = result.state;
    worst = std::max(worst, worst_error(model, state.q));
    lowest_energy = std::min(lowest_energy, total(state) - energy_before);
  }
  EXPECT_LT(worst, 1e-5);
  EXPECT_NEAR(state.q[0], std::sin(start), 2e-3 * start);  // back after a period
  EXPECT_GT(lowest_energy, -0.05 * mass * 9.81 * length * (1.0 - std::cos(start)));
}

TEST(ClosureRows, AFourBarLinkageStaysClosed) {
  // three links in a chain, of which the last is connected to the world again
  ModelBuilder builder;
  const int first = builder.add_robot(arm_of_links(3));
  builder.add_connection(first + 2, 0, Vector3(0.5, 0, 0));
  const Model model = builder.build();
  StepWorkspace work;
  StepResult result;
  State state = model.state();
  state.q << 0.8, -1.0, -0.9;  // the last end is not where the closure has it: it is pulled there
  double worst = 0.0;
  for (int i = 0; i < 4000; ++i) {
    step(model, state, {}, 1e-3, {}, work, result);
    ASSERT_EQ(result.status, StepStatus::converged) << i;
    state = result.state;
    if (i > 500) worst = std::max(worst, worst_error(model, state.q));
  }
  EXPECT_LT(worst, 1e-3);
  EXPECT_TRUE(state.q.allFinite());
}

TEST(ClosureRows, AChainHangsBetweenTwoPointsWithTheForcesOfItsWeight) {
  // both ends of a chain of two links of the same mass hang from the world
  ModelBuilder builder;
  RobotDescription arm = arm_of_links(2);
  for (RobotJoint& joint : arm.joints) joint.damping = 0.5;
  const int first = builder.add_robot(arm);
  const double half = 0.5 * std::sqrt(0.75);
  builder.add_connection(first + 1, 0, Vector3(0.5, 0, 0), Vector3(2.0 * half, 0, 0));
  const Model model = builder.build();
  State state = model.state();
  state.q << std::numbers::pi / 6.0, -std::numbers::pi / 3.0;  // a V that hangs
  const StepResult result = scenes::run(model, state, 4000, 1e-3);
  const double weight = 2.0 * 1.0 * 9.81;
  ASSERT_EQ(result.closure_force.size(), 1U);
  EXPECT_LT(result.state.v.norm(), 1e-3);
  // on the world the closure carries half of the weight
  EXPECT_NEAR(std::abs(result.closure_force[0][2]), 0.5 * weight, 1e-2 * weight);
}

TEST(ClosureRows, WeldedBodiesFallAndTurnAsOne) {
  ModelBuilder builder(Vector3::Zero());
  builder.add_body(cube(0.1), body(1.0, at(0, 0, 0)));
  builder.add_body(ball(0.1), body(3.0, at(0.4, 0.1, 0)));
  builder.add_weld(1, 2);
  builder.forbid(0, 1);
  const Model model = builder.build();
  State state = model.state();
  // both turn about their common center with the same angular velocity
  const Vector3 w(0.3, -1.0, 2.0), center(0.3, 0.075, 0.0);
  for (const int which : {0, 1}) {
    const Vector3 arm = state.q.segment<3>(7 * which) - center;
    state.v.segment<3>(6 * which) = w.cross(arm);
    state.v.segment<3>(6 * which + 3) = w;
  }
  const Eigen::Matrix<double, 6, 1> before = momentum(model, state);
  StepWorkspace work;
  StepResult result;
  double worst = 0.0;
  for (int i = 0; i < 1000; ++i) {
    step(model, state, {}, 1e-3, {}, work, result);
    state = result.state;
    worst = std::max(worst, worst_error(model, state.q));
  }
  EXPECT_LT(worst, 1e-4);
  EXPECT_LT((momentum(model, state) - before).norm(), 1e-9);
  EXPECT_LT((com(model, state) - center).norm(), 1e-9);
}

TEST(ClosureRows, AWeldCarriesForceAndTorque) {
  // a beam that is welded to the world at one end
  ModelBuilder builder;
  builder.add_body(Shape{Box{.half_extents = {0.5, 0.05, 0.05}}}, body(2.0, at(0.5, 0, 0)));
  builder.add_weld(0, 1, {});
  const Model model = builder.build();
  const StepResult result = scenes::run(model, model.state(), 100, 1e-3);
  EXPECT_LT((result.state.q - model.state().q).norm(), 1e-7);
  const double weight = 2.0 * 9.81;
  EXPECT_NEAR(result.closure_force[0][2], weight, 1e-6 * weight);
  EXPECT_NEAR(result.closure_force[0][4], -0.5 * weight, 1e-6 * weight);
}

TEST(ClosureRows, CoupledJointsMoveByTheirRatio) {
  ModelBuilder builder(Vector3::Zero());
  builder.add_robot(arm_of_links(2));
  builder.add_coupling("link1", "link0", -2.0, 0.25);
  const Model model = builder.build();
  StepWorkspace work;
  StepResult result;
  State state = model.state();
  state.q[1] = 0.25;
  for (int i = 0; i < 300; ++i) {
    step(model, state, Eigen::Vector2d(0.4, 0.0), 1e-3, {}, work, result);
    state = result.state;
    ASSERT_NEAR(state.q[1], 0.25 - 2.0 * state.q[0], 1e-9);
  }
  EXPECT_GT(state.q[0], 1e-3);
  EXPECT_NEAR(result.joint_force[0], 2.0 * result.joint_force[1], 1e-9);
}

TEST(ClosureRows, EverySolverHoldsAWeld) {
  ModelBuilder builder;
  builder.add_body(cube(0.1), body(1.0, at(0, 0, 0)));
  builder.add_weld(0, 1, at(0.2, 0, 0.1));
  const Model model = builder.build();
  for (int i = 0; i < contact_solver_count; ++i) {
    StepOptions options;
    options.solver = static_cast<ContactSolver>(i);
    const StepResult result = scenes::run(model, model.state(), 20, 1e-3, options);
    EXPECT_LT((result.state.q - model.state().q).norm(), 1e-5) << to_string(options.solver);
  }
}

}  // namespace
}  // namespace tactum::sim::closure_rows_test
