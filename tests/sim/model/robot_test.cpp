// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/sim/robot.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "sim/robot_files.hpp"
#include "sim/scenes.hpp"

namespace tactum::sim::robot_test {
namespace {

using robot_files::message;

RobotDescription two_joints() {
  RobotDescription robot;
  const BodyInertia solid{1.0, {0.0, 0.0, 0.1}, 0.01 * Matrix3::Identity()};
  robot.joints.push_back({.name = "first", .kind = JointKind::spherical, .inertia = solid});
  robot.joints.push_back({.name = "second", .parent = 0, .inertia = solid});
  return robot;
}

TEST(Robot, NeutralPositionHasUnitQuaternions) {
  RobotDescription robot = two_joints();
  robot.joints.push_back({.name = "third", .parent = 1, .kind = JointKind::continuous});
  const Eigen::VectorXd q = neutral_position(robot);
  ASSERT_EQ(q.size(), 4 + 1 + 2);
  EXPECT_EQ(q[3], 1.0);
  EXPECT_EQ(q[5], 1.0);  // the cosine of no turn
  EXPECT_EQ(q.sum(), 2.0);
  EXPECT_EQ(num_positions(JointKind::free), 7);
  EXPECT_EQ(num_velocities(JointKind::planar), 3);
}

TEST(Robot, JoinedInertiaIsThatOfBothParts) {
  const BodyInertia a{2.0, {0.1, 0.0, 0.0}, Vector3(0.1, 0.2, 0.25).asDiagonal()};
  const BodyInertia b{1.0, {0.0, 0.2, 0.0}, Vector3(0.05, 0.06, 0.07).asDiagonal()};
  const Pose X{Eigen::AngleAxisd(0.8, Vector3(1, 2, 2) / 3.0).toRotationMatrix(), {0.5, -0.2, 0.3}};
  const BodyInertia both = joined(a, b, X);
  // moments about the origin add up
  const auto about_origin = [](const BodyInertia& body) -> Matrix3 {
    return body.inertia + body.mass * (body.center.squaredNorm() * Matrix3::Identity() -
                                       body.center * body.center.transpose());
  };
  const BodyInertia moved{b.mass, X * b.center, X.rotation * b.inertia * X.rotation.transpose()};
  EXPECT_NEAR(both.mass, 3.0, 1e-15);
  EXPECT_LT((both.center - (2.0 * a.center + moved.center) / 3.0).norm(), 1e-15);
  EXPECT_LT((about_origin(both) - about_origin(a) - about_origin(moved)).norm(), 1e-14);
}

TEST(Robot, WhatCannotBeIsRefusedByTheNameOfTheJoint) {
  const auto refused = [](const auto& change) {
    RobotDescription robot = two_joints();
    change(robot);
    return message([&] {
      check_robot(robot);
      return 0;
    });
  };
  EXPECT_EQ(refused([](RobotDescription&) {}), "");
  const auto names_second = [&](const auto& change) {
    const std::string text = refused([&](RobotDescription& robot) { change(robot.joints[1]); });
    return text.find("second") != std::string::npos;
  };
  EXPECT_TRUE(names_second([](RobotJoint& joint) { joint.inertia.mass = -1.0; }));
  EXPECT_TRUE(names_second([](RobotJoint& joint) { joint.axis = Vector3::Zero(); }));
  EXPECT_TRUE(names_second([](RobotJoint& joint) { joint.lower = 1.0, joint.upper = 0.0; }));
  EXPECT_TRUE(names_second([](RobotJoint& joint) { joint.damping = -0.1; }));
  EXPECT_TRUE(names_second([](RobotJoint& joint) { joint.parent = 5; }));
  EXPECT_TRUE(names_second(
      [](RobotJoint& joint) { joint.inertia.inertia = Vector3(0.1, 0.1, 0.5).asDiagonal(); }));
  EXPECT_NE(refused([](RobotDescription& robot) { robot.joints[1].name = "first"; }), "");
  EXPECT_NE(refused([](RobotDescription& robot) { robot.forbidden = {{0, 1}}; }), "");
  EXPECT_NE(
      refused([](RobotDescription& robot) { robot.geometries.push_back({scenes::ball(0.1), 7}); }),
      "");
}

}  // namespace
}  // namespace tactum::sim::robot_test
