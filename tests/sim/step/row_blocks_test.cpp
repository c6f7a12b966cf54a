// SPDX-License-Identifier: BSD-2-Clause
// Rows of points and turns of bodies against finite differences of their poses.
#include "sim/step/row_blocks.hpp"

#include <gtest/gtest.h>

#include <random>

#include "math/pose_logarithm.hpp"
#include "sim/scenes.hpp"

namespace tactum::sim::row_blocks_test {
namespace {

/// A ball beside an arm of two links.
Model arm_and_ball() {
  ModelBuilder builder;
  builder.add_robot(scenes::arm_of_links(2), scenes::at(0.1, 0.2, 0.3));
  builder.add_body(scenes::ball(0.1), scenes::body(1.0, scenes::at(1, 0, 0)));
  return builder.build();
}

TEST(RowBlocks, AreTheVelocitiesOfPointsAndTurns) {
  const Model model = arm_and_ball();
  std::mt19937_64 random(8);
  std::normal_distribution<double> number;
  for (int body = 1; body < model.num_bodies(); ++body) {
    State state = model.state();
    for (double& entry : state.v) entry = number(random);
    state.q = model.integrate(state.q, state.v);
    StepWorkspace workspace;
    StepData& work = workspace.data();
    work.prepare(model);
    set_kinematics(model.data(), state, work);

    const Vector3 point(number(random), number(random), number(random)),
        direction = Vector3(number(random), number(random), number(random)).normalized();
    const int tree = model.data().bodies[static_cast<std::size_t>(body)].tree;
    const ContactBlock row{ContactKind::bilateral, 0, 0.0, 0.0, 0.0};
    const RowBlock moved = add_block(model.data(), row, tree, -1, work);
    add_point_velocity(model.data(), body, point, direction, -2.0, moved, work);
    const RowBlock turned = add_block(model.data(), row, -1, tree, work);
    add_angular_velocity(model.data(), body, direction, 3.0, turned, work);

    const double step = 1e-6;
    const auto pose = [&](double time) {
      return model.body_poses(
          model.integrate(state.q, time * state.v))[static_cast<std::size_t>(body)];
    };
    const Pose X = pose(0.0), ahead = pose(step), behind = pose(-step);
    const Vector3 local = inverse(X) * point;
    const Vector3 velocity = (ahead * local - behind * local) / (2 * step);
    const Vector3 turn = X.rotation * pose_logarithm(inverse(behind) * ahead).w / (2 * step);
    EXPECT_NEAR(row_velocity(model.data(), moved, state.v, work)[0], -2.0 * velocity.dot(direction),
                1e-7);
    EXPECT_NEAR(row_velocity(model.data(), turned, state.v, work)[0], 3.0 * turn.dot(direction),
                1e-7);
  }
}

TEST(RowBlocks, TheWorldMovesNothing) {
  const Model model = arm_and_ball();
  StepWorkspace workspace;
  StepData& work = workspace.data();
  work.prepare(model);
  set_kinematics(model.data(), model.state(), work);
  const RowBlock block = add_block(model.data(), {ContactKind::bilateral, 0, 0.0, 0.0, 0.0}, -1, -1,
                                   work);
  add_point_velocity(model.data(), 0, Vector3::Ones(), Vector3::UnitX(), 1.0, block, work);
  add_angular_velocity(model.data(), 0, Vector3::UnitX(), 1.0, block, work);
  EXPECT_TRUE(work.values.empty());
}

TEST(RowBlocks, BothEndsOnOneTreeShareAPart) {
  const Model model = arm_and_ball();
  StepWorkspace workspace;
  StepData& work = workspace.data();
  work.prepare(model);
  const RowBlock block = add_block(model.data(), {ContactKind::friction, 0, 0.5, 0.0, 0.0}, 0, 0,
                                   work);
  EXPECT_EQ(block.parts[0].tree, 0);
  EXPECT_EQ(block.parts[1].tree, -1);
  EXPECT_EQ(work.values.size(), 3U * 2U);
  EXPECT_EQ(work.g.size(), 3U);
}

TEST(RowBlocks, GapsArePassedAndPenetrationsTakenBack) {
  StepOptions options;
  options.position_correction = 0.5;
  options.slop = 0.01;
  EXPECT_EQ(gap_velocity(0.2, 0.0, options, 0.1).gap, 0.2 / 0.1);
  EXPECT_EQ(gap_velocity(0.2, 0.0, options, 0.1).correction, 0.0);
  EXPECT_EQ(gap_velocity(-0.01, 0.0, options, 0.1).correction, 0.0);
  EXPECT_NEAR(gap_velocity(-0.03, 0.0, options, 0.1).correction, -0.5 * 0.02 / 0.1, 1e-15);
  EXPECT_EQ(gap_velocity(-0.03, 1e-3, options, 0.1).gap, -0.03 / 0.1);
}

}  // namespace
}  // namespace tactum::sim::row_blocks_test
