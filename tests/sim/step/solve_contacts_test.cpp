// SPDX-License-Identifier: BSD-2-Clause
// Contact forces of a step, judged from outside: momentum of the bodies, the laws of Signorini and
// Coulomb from the velocities after the step, and the use of a warm start.
#include <gtest/gtest.h>

#include <random>

#include "sim/scenes.hpp"
#include "sim/step/step_data.hpp"

namespace tactum::sim::solve_contacts_test {
namespace {

using scenes::at;
using scenes::ball;
using scenes::body;
using scenes::cube;

Model pile() {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  for (int i = 0; i < 6; ++i)
    builder.add_body(i % 2 == 0 ? cube(0.1) : ball(0.1),
                     body(1.0 + i, at(0.05 * (i % 3), 0.04 * (i % 2), 0.12 + 0.21 * i)));
  return builder.build();
}

Vector3 point_velocity(const Model& model, const StepData& work, int body, const Vector3& point,
                       const Eigen::VectorXd& velocity) {
  if (body == 0) return Vector3::Zero();
  const FreeBody& free = model.data().free_bodies[static_cast<std::size_t>(body - 1)];
  const Pose& X = work.body_poses[static_cast<std::size_t>(body)];
  const Vector3 arm = X.rotation.transpose() * (point - X.translation);
  return X.rotation *
         (velocity.segment<3>(free.v) + Vector3(velocity.segment<3>(free.v + 3)).cross(arm));
}

TEST(SolveContacts, EveryStepOfAPileObeysTheLawsOfContact) {
  const Model model = pile();
  State state = model.state();
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> speed(-1.0, 1.0);
  for (double& entry : state.v) entry = speed(random);
  StepWorkspace workspace;
  StepData& work = workspace.data();
  StepResult result;
  const double dt = 2e-3;
  StepOptions options;
  options.tolerance = 1e-6;
  int sliding = 0, sticking = 0, not_converged = 0;
  for (int i = 0; i < 600; ++i) {
    step(model, state, {}, dt, options, workspace, result);
    EXPECT_EQ(result.status == StepStatus::converged, result.solution.residual <= 1e-6);
    const double slack = 2.0 * std::max(result.solution.residual, 1e-12);
    not_converged += result.status == StepStatus::converged ? 0 : 1;
    // the momentum that forces give to the bodies
    Eigen::VectorXd impulse = Eigen::VectorXd::Zero(model.nv());
    for (const StepContact& contact : result.contacts) {
      for (const auto& [which, sign] :
           {std::pair{contact.body_a, -1.0}, std::pair{contact.body_b, 1.0}}) {
        if (which == 0) continue;
        const FreeBody& free = model.data().free_bodies[static_cast<std::size_t>(which - 1)];
        const Pose& X = work.body_poses[static_cast<std::size_t>(which)];
        const Vector3 force = sign * (X.rotation.transpose() * contact.force);
        const Vector3 arm = X.rotation.transpose() * (contact.point - X.translation);
        impulse.segment<3>(free.v) += dt * force;
        impulse.segment<3>(free.v + 3) += dt * arm.cross(force);
      }
      const Vector3 relative = point_velocity(model, work, contact.body_b, contact.point,
                                              work.velocity) -
                               point_velocity(model, work, contact.body_a, contact.point,
                                              work.velocity);
      // in the units of the problem
      const double normal_force = contact.force.dot(contact.normal) / work.force_unit;
      const Vector3 tangential = contact.force / work.force_unit - normal_force * contact.normal;
      const Vector3 slip = relative - relative.dot(contact.normal) * contact.normal;
      const double gap = contact.distance >= 0.0 ? contact.distance
                         : result.corrected      ? 0.1 * std::min(contact.distance + 1e-5, 0.0)
                                                 : 0.0;
      const double approach = (relative.dot(contact.normal) + gap / dt) / dt / work.velocity_unit;
      EXPECT_GE(normal_force, -slack);
      EXPECT_LE(tangential.norm(), 0.5 * normal_force + slack);
      EXPECT_GE(approach, -slack);
      EXPECT_LE(normal_force * approach, slack);
      // friction takes the most power that it can
      const Vector3 slip_rate = slip / dt / work.velocity_unit;
      EXPECT_LE(0.5 * normal_force * slip_rate.norm() + tangential.dot(slip_rate),
                slack * (1.0 + normal_force));
      if (slip.norm() > 1e-3 && contact.force.norm() > 1e-2) {
        ++sliding;
      } else if (contact.force.norm() > 1e-2) {
        ++sticking;
      }
    }
    for (const FreeBody& free : model.data().free_bodies)
      EXPECT_LT((free.mass_matrix * (work.velocity - work.free_velocity).segment<6>(free.v) -
                 impulse.segment<6>(free.v))
                    .norm(),
                1e-9);
    state = result.state;
  }
  EXPECT_GT(sliding, 50);
  EXPECT_GT(sticking, 50);
  EXPECT_LE(not_converged, 6);  // of 600; the solver gives up on a few, and says so
}

TEST(SolveContacts, AWarmStartSavesIterations) {
  const Model model = pile();
  long iterations[2] = {0, 0};
  for (const bool warm : {false, true}) {
    StepOptions options;
    options.warm_start = warm;
    StepWorkspace work;
    StepResult result;
    State state = model.state();
    for (int i = 0; i < 300; ++i) {
      step(model, state, {}, 2e-3, options, work, result);
      iterations[warm ? 1 : 0] += result.solution.iterations;
      state = result.state;
    }
  }
  EXPECT_LT(iterations[1], iterations[0]);
}

TEST(SolveContacts, DryFrictionInFreeFallIsNoProblem) {
  // nothing turns relative to anything: the free terms of the joints are rounding
  RobotDescription robot = scenes::arm_of_links(4);
  robot.joints[0].kind = JointKind::free;
  for (std::size_t i = 1; i < robot.joints.size(); ++i) robot.joints[i].dry_friction = 1.0;
  ModelBuilder builder;
  builder.add_robot(robot, at(0, 0, 5));
  const Model model = builder.build();
  State state = model.state();
  for (int i = 0; i < 50; ++i) {
    const StepResult result = step(model, state, {}, 2e-3);
    EXPECT_EQ(result.status, StepStatus::converged);
    EXPECT_LE(result.solution.iterations, 2) << i;
    state = result.state;
  }
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(state.v[6 + i], 0.0, 1e-9);
}

TEST(SolveContacts, NothingIsTakenBackAlongARowThatNoForceMoves) {
  // a ball on a rail along x lies in the ground, another one beside it does not stand on a rail
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  RobotDescription robot;
  RobotJoint joint{.name = "rail", .kind = JointKind::prismatic, .axis = Vector3::UnitX()};
  joint.inertia = {1.0, Vector3::Zero(), Matrix3::Identity()};
  robot.joints = {joint};
  robot.geometries = {{.geometry = ball(0.1), .joint = 0}};
  builder.add_robot(robot, at(0, 0, 0.05));
  builder.add_body(ball(0.1), body(1.0, at(1, 0, 0.09)));
  const Model model = builder.build();
  const StepResult result = step(model, model.state(), {}, 1e-3);
  EXPECT_EQ(result.status, StepStatus::converged);
  EXPECT_TRUE(result.corrected);  // the penetration of the other ball shrinks by a tenth
  EXPECT_NEAR(result.state.q[3], 0.09 + 0.1 * (0.01 - StepOptions{}.slop), 1e-9);
  EXPECT_LE(result.solution.iterations, 10);
}

TEST(SolveContacts, AllSolversHoldABox) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  builder.add_body(cube(0.1), body(1.0, at(0, 0, 0.1)));
  const Model model = builder.build();
  for (int i = 0; i < contact_solver_count; ++i) {
    StepOptions options;
    options.solver = static_cast<ContactSolver>(i);
    const StepResult result = scenes::run(model, model.state(), 20, 1e-3, options);
    EXPECT_LT((result.state.q - model.state().q).norm(), 1e-6) << to_string(options.solver);
  }
}

}  // namespace
}  // namespace tactum::sim::solve_contacts_test
