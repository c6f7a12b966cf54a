// SPDX-License-Identifier: BSD-2-Clause
// URDF: order, frames and inertia of joints, shapes and pairs, and files that are not right. The
// Python tests compare every robot of example-robot-data with Pinocchio's own reader.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "fuzz/robot_bytes.hpp"
#include "sim/robot_files.hpp"
#include "tactum/sim/robot.hpp"

namespace tactum::sim::read_urdf_test {
namespace {

using robot_files::message;

RobotDescription arm(RobotOptions options = {}) {
  options.package_dirs.push_back(TACTUM_TEST_DATA);
  return read_urdf(robot_files::path("arm.urdf"), options);
}

TEST(ReadUrdf, JointsAreDepthFirstAndByNameWithTheirParameters) {
  const RobotDescription robot = arm();
  std::vector<std::string> names, bodies;
  std::vector<int> parents;
  for (const RobotJoint& joint : robot.joints) {
    names.push_back(joint.name);
    bodies.push_back(joint.body_name);
    parents.push_back(joint.parent);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"shoulder", "elbow_a", "elbow_b", "a_wheel", "finger"}));
  EXPECT_EQ(bodies, (std::vector<std::string>{"upper", "axis", "fore", "wheel", "tip"}));
  EXPECT_EQ(parents, (std::vector<int>{-1, 0, 1, 2, 2}));
  const RobotJoint& shoulder = robot.joints[0];
  EXPECT_EQ(shoulder.kind, JointKind::revolute);
  EXPECT_EQ(shoulder.axis, Vector3::UnitZ());
  EXPECT_EQ(shoulder.lower, -1.5);
  EXPECT_EQ(shoulder.upper, 1.5);
  EXPECT_EQ(shoulder.effort_limit, 20.0);
  EXPECT_EQ(shoulder.damping, 0.4);
  EXPECT_EQ(shoulder.dry_friction, 0.05);
  EXPECT_EQ(robot.joints[3].kind, JointKind::continuous);
  EXPECT_EQ(robot.joints[3].axis, Vector3::UnitX());
  EXPECT_EQ(robot.joints[4].kind, JointKind::prismatic);
  EXPECT_NEAR(robot.joints[1].axis.x(), std::sqrt(0.5), 1e-15);
}

TEST(ReadUrdf, LinksBehindFixedJointsAreOneBody) {
  const RobotDescription robot = arm();
  const RobotJoint &fore = robot.joints[2], &wheel = robot.joints[3];
  const Matrix3 R = Eigen::AngleAxisd(0.5, Vector3::UnitY()).toRotationMatrix();
  EXPECT_NEAR((wheel.X_PJ.rotation - R).norm(), 0.0, 1e-15);
  EXPECT_NEAR((wheel.X_PJ.translation - (Vector3(0, 0, 0.4) + R * Vector3(0.1, 0, 0))).norm(), 0.0,
              1e-15);
  // the sum of the inertias about the origin of the joint, by the parallel axis theorem
  const auto about_origin = [](double mass, const Vector3& center, const Matrix3& inertia) {
    return Matrix3(inertia + mass * (center.squaredNorm() * Matrix3::Identity() -
                                     center * center.transpose()));
  };
  const Vector3 hand_center = Vector3(0, 0, 0.4) + R * Vector3(0, 0, 0.05);
  const Matrix3 hand = R * Vector3(0.002, 0.002, 0.001).asDiagonal() * R.transpose();
  const Matrix3 expected = about_origin(1.0, Vector3::Zero(),
                                        Vector3(0.02, 0.02, 0.01).asDiagonal()) +
                           about_origin(0.5, hand_center, hand);
  EXPECT_NEAR(fore.inertia.mass, 1.5, 1e-15);
  EXPECT_NEAR((fore.inertia.center - hand_center / 3.0).norm(), 0.0, 1e-15);
  EXPECT_NEAR((about_origin(1.5, fore.inertia.center, fore.inertia.inertia) - expected).norm(), 0.0,
              1e-15);
}

TEST(ReadUrdf, AFreeBaseCarriesTheRootLink) {
  const RobotDescription robot = arm({.free_base = true});
  EXPECT_EQ(robot.joints[0].kind, JointKind::free);
  EXPECT_EQ(robot.joints[0].name, "root_joint");
  EXPECT_EQ(robot.joints[0].body_name, "base");
  EXPECT_EQ(robot.joints[0].inertia.mass, 5.0);
  EXPECT_EQ(robot.joints[1].parent, 0);
}

TEST(ReadUrdf, ShapesHaveTheirPlacesAndNeighborsNeverMeet) {
  const RobotDescription robot = arm();
  std::vector<std::string> names;
  for (const RobotGeometry& geometry : robot.geometries) names.push_back(geometry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"base_0", "upper_0", "upper_1", "fore_0", "hand_0"}));
  EXPECT_EQ(robot.geometries[0].joint, -1);
  const Aabb hand = robot.geometries[4].geometry.aabb();
  EXPECT_LE((hand.lower - Vector3(0, 0, -0.2)).norm(), 1e-12);
  EXPECT_LE((hand.upper - Vector3(0.1, 0.1, 0)).norm(), 1e-12);
  std::vector<std::pair<int, int>> pairs = robot.forbidden;
  std::sort(pairs.begin(), pairs.end());
  // base and upper, upper and fore with the hand; the massless axis is part of one joint
  EXPECT_EQ(pairs,
            (std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}}));
  const RobotDescription with_srdf = arm({.srdf = robot_files::path("arm.srdf")});
  EXPECT_EQ(with_srdf.forbidden.size(), pairs.size() + 1);
  EXPECT_EQ(with_srdf.forbidden.back(), (std::pair<int, int>{0, 4}));
}

TEST(ReadUrdf, AMissingMeshNamesThePlacesTried) {
  const std::string text = message([] { return read_urdf(robot_files::path("arm.urdf")); });
  EXPECT_EQ(text, "") << "the folder of the file is named as the package";
  robot_files::TemporaryFile file(".urdf");
  file.write(robot_files::content(robot_files::path("arm.urdf")));
  EXPECT_NE(message([&] { return read_urdf(file.path()); }).find("package_dirs"),
            std::string::npos);
  const std::string tried = message(
      [&] { return read_urdf(file.path(), {.package_dirs = {"/x", "/y"}}); });
  EXPECT_NE(tried.find("/x/robots/tetrahedron.obj, /y/robots/tetrahedron.obj"), std::string::npos)
      << tried;
}

TEST(ReadUrdf, RefusesWhatIsWrongWithTheLine) {
  const std::string right =
      "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n<joint name='j' "
      "type='revolute'><parent link='a'/><child link='b'/>\n<axis xyz='0 0 1'/>"
      "<limit lower='0' upper='1'/></joint></robot>";
  robot_files::TemporaryFile file(".urdf");
  file.write(right);
  EXPECT_EQ(message([&] { return read_urdf(file.path()); }), "");
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"robot name", "mujoco name", ":1: "},
      {"'b'/>\n<joint", "'a'/>\n<joint", ":3: got a second link"},
      {"parent link='a'", "parent link='c'", ":4: got link 'c'"},
      {"child link='b'", "child link='a'", "loop of joints"},
      {"<limit lower='0' upper='1'/>", "", "without limit"},
      {"lower='0'", "lower='2'", "lower limit above"},
      {"lower='0'", "lower='0,5'", "lower with '0,5'"},
      {"lower='0'", "lower='nan'", "lower with 'nan'"},
      {"upper='1'", "upper='1e400'", "upper with '1e400'"},
      {"0 0 1", "0 0 0", "axis of length 0"},
      {"0 0 1", "0 1", "give three numbers"},
      {"revolute", "screw", "joint type 'screw'"},
  };
  for (const auto& [from, to, expected] : cases) {
    std::string wrong = right;
    const std::string old = from;
    std::size_t at = wrong.find(old);
    ASSERT_NE(at, std::string::npos) << from;
    wrong.replace(at, old.size(), to);
    if (old == "robot name") wrong.replace(wrong.rfind("robot"), 5, "mujoco");
    file.write(wrong);
    const std::string text = message([&] { return read_urdf(file.path()); });
    EXPECT_NE(text.find(expected), std::string::npos) << to << ": " << text;
    EXPECT_NE(text.find(file.path()), std::string::npos) << text;
  }
}

TEST(ReadUrdf, NoFileDoesHarm) {
  const std::string seed = robot_files::content(robot_files::path("arm.urdf"));
  robot_files::TemporaryFile file(".urdf");
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    file.write(robot_files::damaged(seed, random));
    refused += !message([&] {
                  ModelBuilder builder;
                  return builder.add_urdf(file.path(), {.package_dirs = {TACTUM_TEST_DATA}});
                }).empty();
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 900);
}

TEST(ReadUrdf, SeedsOfTheFuzzerBecomeModelsThatStep) {
  for (const std::string& seed : robot_files::fuzz_seeds("sim_urdf"))
    EXPECT_TRUE(testing::try_robot(seed, [](const std::string& path) { return read_urdf(path); }))
        << seed;
}

}  // namespace
}  // namespace tactum::sim::read_urdf_test
