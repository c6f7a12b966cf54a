// SPDX-License-Identifier: BSD-2-Clause
// Robots from plain data against closed forms of mechanics.
#include "sim/model/make_articulation.hpp"

#include <gtest/gtest.h>

#include "sim/robot_files.hpp"

namespace tactum::sim::make_articulation_test {
namespace {

constexpr double kGravity = 9.81;

RobotJoint hinge(const std::string& name, int parent, double length) {
  RobotJoint joint{.name = name, .parent = parent, .axis = Vector3::UnitY()};
  joint.inertia = {2.0, {0.0, 0.0, -length}, 0.01 * Matrix3::Identity()};
  return joint;
}

TEST(MakeArticulation, APendulumFallsAsItsEquationSays) {
  const std::vector<RobotJoint> joints = {hinge("hinge", -1, 0.5)};
  const auto robot = make_articulation(joints, {0.0, 0.0, -kGravity});
  ASSERT_EQ(robot->nv(), 1);
  ArticulationData data(*robot);
  const double angle = 0.7, dt = 1e-3, moment = 0.01 + 2.0 * 0.25;
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, angle),
                        v = Eigen::VectorXd::Constant(1, 0.3),
                        tau = Eigen::VectorXd::Constant(1, 0.2);
  Eigen::VectorXd u(1);
  data.set_kinematics(q, v);
  data.set_free_velocity(q, v, tau, dt, u);
  EXPECT_NEAR(u[0], 0.3 + dt * (0.2 - 2.0 * kGravity * 0.5 * std::sin(angle)) / moment, 1e-14);
}

TEST(MakeArticulation, DampingAndArmatureAreImplicit) {
  std::vector<RobotJoint> joints = {hinge("hinge", -1, 0.5)};
  joints[0].damping = 0.4;
  joints[0].armature = 0.05;
  const auto robot = make_articulation(joints, Vector3::Zero());
  ArticulationData data(*robot);
  const double dt = 0.1, moment = 0.01 + 2.0 * 0.25 + 0.05;
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(1), v = Eigen::VectorXd::Constant(1, 2.0);
  Eigen::VectorXd u(1);
  data.set_kinematics(q, v);
  data.set_free_velocity(q, v, Eigen::VectorXd::Zero(1), dt, u);
  EXPECT_NEAR(u[0], moment * 2.0 / (moment + dt * 0.4), 1e-14);
}

TEST(MakeArticulation, JointsKeepOrderNamesAndLimits) {
  std::vector<RobotJoint> joints = {hinge("a", -1, 0.5), hinge("b", 0, 0.2), hinge("c", 0, 0.3)};
  joints[1].lower = -0.5;
  joints[1].upper = 0.25;
  joints[2].X_PJ.translation = {0.0, 0.0, -1.0};
  const auto robot = make_articulation(joints, {0.0, 0.0, -kGravity});
  ASSERT_EQ(robot->joints().size(), 4U);
  EXPECT_EQ(robot->joints()[1].name, "a");
  EXPECT_EQ(robot->joints()[3].name, "c");
  EXPECT_EQ(robot->joints()[3].parent, 1);
  EXPECT_EQ(robot->lower_position_limit()[1], -0.5);
  EXPECT_EQ(robot->upper_position_limit()[1], 0.25);
  ArticulationData data(*robot);
  data.set_kinematics(Eigen::VectorXd::Zero(3), Eigen::VectorXd::Zero(3));
  EXPECT_LT((data.placement(3).translation - Vector3(0, 0, -1)).norm(), 1e-15);
}

TEST(MakeArticulation, AJointThatMovesNoMassIsRefused) {
  std::vector<RobotJoint> joints = {hinge("empty", -1, 0.5)};
  joints[0].inertia = {0.0, Vector3::Zero(), Matrix3::Zero()};
  const std::string text = robot_files::message(
      [&] { return make_articulation(joints, Vector3::Zero()); });
  EXPECT_NE(text.find("empty"), std::string::npos) << text;
}

}  // namespace
}  // namespace tactum::sim::make_articulation_test
