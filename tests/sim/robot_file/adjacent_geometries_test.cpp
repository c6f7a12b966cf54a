// SPDX-License-Identifier: BSD-2-Clause
#include "sim/robot_file/adjacent_geometries.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/scenes.hpp"

namespace tactum::sim::adjacent_geometries_test {
namespace {

/// A chain of joints, each with a ball, on a ball that is fixed to the world.
RobotDescription chain(int joints) {
  RobotDescription robot;
  robot.geometries.push_back({scenes::ball(0.1), -1});
  for (int i = 0; i < joints; ++i) {
    robot.joints.push_back({.name = "joint" + std::to_string(i), .parent = i - 1});
    robot.joints.back().inertia = {1.0, Vector3::Zero(), Matrix3::Identity()};
    robot.geometries.push_back({scenes::ball(0.1), i});
  }
  return robot;
}

bool forbids(const RobotDescription& robot, int a, int b) {
  return std::any_of(robot.forbidden.begin(), robot.forbidden.end(), [&](const auto& pair) {
    return pair == std::pair{a, b} || pair == std::pair{b, a};
  });
}

TEST(AdjacentGeometries, NeighborsNeverMeet) {
  RobotDescription robot = chain(4);
  forbid_adjacent_geometries(robot);
  for (int a = 0; a < 5; ++a)
    for (int b = a + 1; b < 5; ++b) EXPECT_EQ(forbids(robot, a, b), b == a + 1) << a << b;
}

TEST(AdjacentGeometries, TheBaseMayMeetEverything) {
  RobotDescription robot = chain(2);
  forbid_adjacent_geometries(robot, BaseCollides::yes);
  EXPECT_FALSE(forbids(robot, 0, 1));
  EXPECT_TRUE(forbids(robot, 1, 2));
}

TEST(AdjacentGeometries, AxesWithoutMassAreOneJoint) {
  RobotDescription robot = chain(3);
  robot.joints[1].inertia.mass = 0.0;
  robot.joints[1].inertia.inertia.setZero();
  robot.geometries.erase(robot.geometries.begin() + 2);  // of the joint in the middle
  forbid_adjacent_geometries(robot);
  EXPECT_TRUE(forbids(robot, 1, 2));  // those of the first and the last joint
}

}  // namespace
}  // namespace tactum::sim::adjacent_geometries_test
