// SPDX-License-Identifier: BSD-2-Clause
// Robots in a model: layout, steps with limits and contacts.
#include <gtest/gtest.h>

#include "sim/robot_files.hpp"
#include "sim/scenes.hpp"
#include "tactum/sim/robot.hpp"

namespace tactum::sim::add_robot_test {
namespace {

RobotOptions in_test_data() {
  RobotOptions options;
  options.package_dirs = {TACTUM_TEST_DATA};
  return options;
}

TEST(AddRobot, StandsBesideBodiesInOneModel) {
  ModelBuilder builder;
  builder.add_body(scenes::ball(0.1), scenes::body(1.0, scenes::at(5, 0, 0)));
  RobotOptions options = in_test_data();
  options.name = "robot";
  options.X = scenes::at(1, 2, 3);
  const int first = builder.add_urdf(robot_files::path("arm.urdf"), options);
  const Model model = builder.build();
  EXPECT_EQ(first, 2);
  EXPECT_EQ(model.names()[0], "body1");
  EXPECT_EQ(model.names()[1], "robot/shoulder");
  EXPECT_EQ(model.nv(), 6 + 5);
  const int base = builder.find_geometry("robot/base");
  if (base >= 0) {
    const Pose X = model.geometry_poses(model.state().q)[static_cast<std::size_t>(base)];
    EXPECT_LT((X.translation - Vector3(1, 2, 3)).norm(), 1e-12);
  }
}

TEST(AddRobot, AnArmFallsToItsLimitsAndStaysThere) {
  const Model model = load_urdf(robot_files::path("arm.urdf"), in_test_data());
  const StepResult result = scenes::run(model, model.state(), 3000, 2e-3);
  ASSERT_TRUE(result.state.q.allFinite());
  for (Eigen::Index i = 0; i < model.nq(); ++i) {
    EXPECT_GE(result.state.q[i], model.lower_position_limit()[i] - 1e-4) << i;
    EXPECT_LE(result.state.q[i], model.upper_position_limit()[i] + 1e-4) << i;
  }
}

TEST(AddRobot, ARobotWithAFreeBaseComesToRestOnTheFloor) {
  const Model model = load_mjcf(robot_files::path("legs.xml"));
  const StepResult result = scenes::run(model, model.state(), 3000, 2e-3);
  ASSERT_TRUE(result.state.q.allFinite());
  EXPECT_FALSE(result.contacts.empty());
  EXPECT_GT(result.state.q[2], 0.0);
  EXPECT_LT(result.state.v.head<6>().norm(), 0.05);
}

TEST(AddRobot, NamesThatAreTakenAreRefused) {
  ModelBuilder builder;
  builder.add_urdf(robot_files::path("arm.urdf"), in_test_data());
  const int before = builder.build().nv();
  EXPECT_FALSE(robot_files::message([&] {
                 return builder.add_urdf(robot_files::path("arm.urdf"), in_test_data());
               }).empty());
  EXPECT_EQ(builder.build().nv(), before);
}

TEST(AddRobot, ShapesOfOneTreeThatOverlapNeverMeet) {
  RobotDescription robot = scenes::arm_of_links(3);
  for (int i = 0; i < 3; ++i)
    robot.geometries.push_back(
        {.geometry = scenes::ball(i == 1 ? 0.05 : 0.6), .joint = i, .X_JG = scenes::at(0, 0, 0)});
  ModelBuilder builder;
  builder.add_body(scenes::ball(1.0), scenes::body(1.0, {}));
  builder.add_robot(robot);
  const Model model = builder.build();
  EXPECT_FALSE(model.may_meet(1, 3));  // 1 m apart, with radii of 0.6 m
  EXPECT_TRUE(model.may_meet(0, 1));   // another body may be anywhere
  robot.overlaps_meet = true;
  ModelBuilder other;
  other.add_robot(robot);
  EXPECT_TRUE(other.build().may_meet(0, 2));
}

}  // namespace
}  // namespace tactum::sim::add_robot_test
