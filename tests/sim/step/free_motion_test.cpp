// SPDX-License-Identifier: BSD-2-Clause
// Poses, speeds and free velocities of a whole model against those of its bodies one by one.
#include <gtest/gtest.h>

#include <random>

#include "sim/scenes.hpp"
#include "sim/step/step_data.hpp"

namespace tactum::sim::free_motion_test {
namespace {

using scenes::at;
using scenes::ball;
using scenes::body;

TEST(FreeMotion, IsThatOfEachBody) {
  ModelBuilder builder;
  builder.add_ground();
  builder.add_body(ball(0.1), body(1.0, {}));
  builder.add_body(Shape{Cone{.radius = 0.2, .half_length = 0.3}}, body(2.0, {}));
  builder.add_geometry(2, ball(0.05), at(0, 0, 0.4));
  const Model model = builder.build();
  std::mt19937_64 random(11);
  std::normal_distribution<double> number;
  State state = model.state();
  for (double& entry : state.q) entry = number(random);
  for (const int quaternion : {3, 10}) state.q.segment<4>(quaternion).normalize();
  for (double& entry : state.v) entry = number(random);
  StepWorkspace workspace;
  StepData& work = workspace.data();
  work.prepare(model);
  work.tau = Eigen::VectorXd::LinSpaced(12, -1.0, 1.0);
  const double dt = 0.01;
  set_kinematics(model.data(), state, work);
  set_free_velocity(model.data(), state, dt, work);

  const Pose cone = free_pose(state.q, 7);
  EXPECT_LT((work.geometry_poses[3].translation - cone * Vector3(0, 0, 0.4)).norm(), 1e-15);
  EXPECT_NEAR(work.linear_speed[2], state.v.segment<3>(6).norm(), 1e-15);
  EXPECT_NEAR(work.angular_speed[2], state.v.segment<3>(9).norm(), 1e-15);
  EXPECT_EQ(work.linear_speed[0], 0.0);
  const FreeBody& second = model.data().free_bodies[1];
  const Vector6 expected = free_velocity(second, cone.rotation, state.v.tail<6>(),
                                         work.tau.tail<6>(), model.gravity(), dt);
  EXPECT_EQ(Vector6(work.free_velocity.tail<6>()), expected);

  work.velocity = work.free_velocity;
  ContactSolution nothing;
  State next;
  integrate(model.data(), state, dt, work, nothing, next);
  const FreeMotion motion = advance(second, cone, expected, dt);
  EXPECT_LT((free_pose(next.q, 7).translation - motion.X.translation).norm(), 1e-15);
  EXPECT_EQ(Vector6(next.v.tail<6>()), motion.velocity);
  EXPECT_EQ(next.time, dt);
}

TEST(FreeMotion, AWorkspaceFollowsTheModel) {
  StepWorkspace workspace;
  StepData& work = workspace.data();
  for (const int count : {1, 3, 2}) {
    ModelBuilder builder;
    for (int i = 0; i < count; ++i) builder.add_body(ball(0.1), body(1.0, {}));
    work.prepare(builder.build());  // the workspace alone keeps the model
    EXPECT_EQ(work.body_poses.size(), static_cast<std::size_t>(count) + 1);
    EXPECT_EQ(work.free_velocity.size(), 6 * count);
  }
}

TEST(FreeMotion, AbsurdVelocitiesCountAsZero) {
  Eigen::VectorXd velocity(4);
  velocity << 1.0, std::nan(""), -1e13, std::numeric_limits<double>::infinity();
  EXPECT_TRUE(bound_velocity(velocity));
  EXPECT_EQ(velocity, Eigen::Vector4d(1.0, 0.0, 0.0, 0.0));
  EXPECT_FALSE(bound_velocity(velocity));
  // a step with an absurd force says so, and its state can be stepped again
  ModelBuilder builder;
  builder.add_body(ball(0.1), body(1e-9, {}));
  const Model model = builder.build();
  const StepResult result = step(model, model.state(), Eigen::VectorXd::Constant(6, 1e25), 1.0);
  EXPECT_EQ(result.status, StepStatus::not_converged);
  EXPECT_EQ(step(model, result.state, {}, 1e-3).status, StepStatus::converged);
}

}  // namespace
}  // namespace tactum::sim::free_motion_test
