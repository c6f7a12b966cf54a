// SPDX-License-Identifier: BSD-2-Clause
// MJCF: joints, positions and pairs as MuJoCo has them, and files that are not right. The Python
// tests compare masses, mass matrices and places of geoms with MuJoCo.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <set>

#include "fuzz/robot_bytes.hpp"
#include "sim/model/model_data.hpp"
#include "sim/robot_files.hpp"
#include "sim/scenes.hpp"
#include "tactum/sim/robot.hpp"

namespace tactum::sim::read_mjcf_test {
namespace {

using robot_files::message;

constexpr double kDegree = std::numbers::pi / 180.0;

TEST(ReadMjcf, JointsHaveTheirDefaultsAndPositions) {
  const RobotDescription robot = read_mjcf(robot_files::path("legs.xml"));
  std::vector<std::string> names;
  std::vector<int> parents;
  for (const RobotJoint& joint : robot.joints) {
    names.push_back(joint.name);
    parents.push_back(joint.parent);
  }
  ASSERT_EQ(names.size(), 8u);
  EXPECT_EQ(names[1], "left_roll");
  EXPECT_EQ(names[4], "right_slide");
  EXPECT_EQ(parents, (std::vector<int>{-1, 0, 1, 0, 3, -1, -1, 6}));
  const RobotJoint &roll = robot.joints[1], &pitch = robot.joints[2], &slide = robot.joints[4];
  EXPECT_EQ(roll.damping, 0.2);
  EXPECT_EQ(roll.armature, 0.01);
  EXPECT_EQ(roll.stiffness, 3.0);
  EXPECT_NEAR(roll.rest_position, 10 * kDegree, 1e-15);
  EXPECT_NEAR(pitch.upper, 90 * kDegree, 1e-15);
  EXPECT_EQ(pitch.axis, Vector3::UnitY());
  EXPECT_EQ(slide.kind, JointKind::prismatic);
  EXPECT_EQ(slide.axis, Vector3(0, 0, -1));
  EXPECT_EQ(slide.lower, -0.1);
  EXPECT_EQ(robot.joints[3].dry_friction, 0.02);
  EXPECT_EQ(robot.joints[0].damping, 0.0) << "a freejoint has no defaults";
  EXPECT_EQ(robot.gravity, Vector3(0, 0, -9.8));
  const Eigen::VectorXd& q = robot.initial_q;  // 7, 1, 1, 1, 1, 7, 1, 4
  ASSERT_EQ(q.size(), 23);
  EXPECT_NEAR((q.head<3>() - Vector3(0.1, 0.2, 0.8)).norm(), 0.0, 1e-15);
  EXPECT_NEAR(q[5], std::sin(15 * kDegree), 1e-15) << "eulerseq begins with z";
  EXPECT_NEAR(q[8], 5 * kDegree, 1e-15);
  EXPECT_NEAR(q[10], 0.02, 1e-15);
}

TEST(ReadMjcf, BodiesAreWhereTheFileHasThem) {
  const Model model = load_mjcf(robot_files::path("legs.xml"));
  const std::vector<Pose> poses = model.geometry_poses(model.state().q);
  const Matrix3 R = Eigen::AngleAxisd(30 * kDegree, Vector3::UnitZ()).toRotationMatrix();
  const Vector3 trunk(0.1, 0.2, 0.8);
  const auto place = [&](const std::string& name) {
    for (int i = 0; i < model.num_geometries(); ++i)
      if (model.geometry_name(i) == name) return poses[static_cast<std::size_t>(i)].translation;
    return Vector3(Vector3::Constant(1e9));
  };
  EXPECT_NEAR((place("left") - trunk - R * Vector3(0.025, 0.12, -0.15)).norm(), 0.0, 1e-14);
  EXPECT_NEAR((place("left_foot") - trunk - R * Vector3(0.05, 0.12, -0.3)).norm(), 0.0, 1e-14);
  EXPECT_NEAR((place("right") - trunk - R * Vector3(0.05, -0.095, -0.15)).norm(), 0.0, 1e-14);
  EXPECT_NEAR((place("door") - Vector3(0, 2.5, 1)).norm(), 0.0, 1e-14);
  EXPECT_NEAR((place("bob") - Vector3(0, 2.5, -0.2)).norm(), 0.0, 1e-14);
  EXPECT_EQ(place("picture").x(), 1e9) << "what nothing can touch is left out";
}

TEST(ReadMjcf, PairsFollowMasksParentsExclusionsAndLists) {
  const Model model = load_mjcf(robot_files::path("legs.xml"));
  const auto meets = [&](const std::string& a, const std::string& b) {
    int numbers[2] = {-1, -1};
    for (int i = 0; i < model.num_geometries(); ++i) {
      if (model.geometry_name(i) == a) numbers[0] = i;
      if (model.geometry_name(i) == b) numbers[1] = i;
    }
    EXPECT_GE(std::min(numbers[0], numbers[1]), 0) << a << " " << b;
    return model.may_meet(numbers[0], numbers[1]);
  };
  EXPECT_TRUE(meets("floor", "trunk"));
  EXPECT_TRUE(meets("floor", "left"));
  EXPECT_FALSE(meets("left", "right")) << "masks";
  EXPECT_TRUE(meets("left_foot", "right"));
  EXPECT_FALSE(meets("right", "trunk")) << "parent and child";
  EXPECT_FALSE(meets("left_foot", "trunk")) << "the foot is welded to the leg";
  EXPECT_TRUE(meets("left", "trunk")) << "listed";
  EXPECT_FALSE(meets("ball", "trunk")) << "excluded";
  EXPECT_TRUE(meets("ball", "left_foot"));
  EXPECT_FALSE(meets("door", "bob"));
  EXPECT_TRUE(meets("door", "floor")) << "the world is no parent";
}

TEST(ReadMjcf, MassIsThatOfGeomsOrGiven) {
  const RobotDescription robot = read_mjcf(robot_files::path("legs.xml"));
  const double pi = std::numbers::pi;
  const double trunk = 500 * (8 * 0.2 * 0.1 * 0.05 + 0.008 / 6.0);
  EXPECT_NEAR(robot.joints[0].inertia.mass, trunk, 1e-12);
  const double length = std::hypot(0.05, 0.3);
  EXPECT_NEAR(robot.joints[2].inertia.mass,
              0.3 + 500 * pi * 0.03 * 0.03 * (length + 4.0 / 3.0 * 0.03), 1e-12);
  EXPECT_EQ(robot.joints[1].inertia.mass, 0.0);
  EXPECT_NEAR(robot.joints[4].inertia.mass, 0.7, 1e-15);
  EXPECT_NEAR(robot.joints[5].inertia.mass, 500 * 4.0 / 3.0 * pi * 0.1 * 0.2 * 0.15, 1e-12);
}

TEST(ReadMjcf, RefusesWhatItDoesNotSupportUnlessToldToPassOverIt) {
  robot_files::TemporaryFile file(".xml");
  file.write(
      "<mujoco><worldbody><body name='a'><freejoint/><geom size='1'/></body></worldbody>"
      "<equality>\n<flex flex='a'/></equality></mujoco>");
  EXPECT_NE(message([&] { return read_mjcf(file.path()); }).find(":2: got equality constraint"),
            std::string::npos);
  EXPECT_EQ(message([&] { return read_mjcf(file.path(), {.ignore_unsupported = true}); }), "");
}

TEST(ReadMjcf, EqualityConstraintsBecomeClosuresAndCouplings) {
  robot_files::TemporaryFile file(".xml");
  const auto read = [&](const std::string& equality) {
    file.write(
        "<mujoco><compiler angle='radian'/><worldbody>"
        "<body name='a' pos='0 0 1'><joint name='ja' type='slide' ref='0.5'/><geom size='1'/>"
        "<body name='b' pos='0 1 0'><joint name='jb' type='hinge'/><geom size='1'/>"
        "<site name='sb' pos='1 2 3'/></body></body>"
        "<body name='c' pos='3 0 0'><freejoint/><geom size='1'/><site name='sc' pos='0 0 "
        "1'/></body>"
        "</worldbody><equality>" +
        equality + "</equality></mujoco>");
    return read_mjcf(file.path());
  };
  const RobotDescription connect = read("<connect body1='b' body2='c' anchor='0 0 2'/>");
  ASSERT_EQ(connect.closures.size(), 1U);
  EXPECT_EQ(connect.closures[0].kind, ClosureKind::connection);
  EXPECT_EQ(connect.closures[0].joint_a, 1);
  EXPECT_EQ(connect.closures[0].joint_b, 2);
  EXPECT_EQ(connect.closures[0].X_AC.translation, Vector3(0, 0, 2));
  // the other end lies where it is at the initial position: B's origin at (0, 1, 1)
  ModelBuilder builder;
  builder.add_robot(connect);
  const Model model = builder.build();
  EXPECT_LT((model.data().closures[0].X_BC.translation - Vector3(-3, 1, 3)).norm(), 1e-12);

  const RobotDescription weld = read(
      "<weld body1='a' body2='b' relpose='0 5 0 1 0 0 0' anchor='0 0 1'/><weld body1='c'/>");
  ASSERT_EQ(weld.closures.size(), 2U);
  EXPECT_EQ(weld.closures[0].joint_a, 1);
  EXPECT_EQ(weld.closures[0].X_AC.translation, Vector3(0, 0, 1));
  EXPECT_EQ(weld.closures[0].X_BC->translation, Vector3(0, 5, 1));
  EXPECT_EQ(weld.closures[1].joint_a, -1);
  EXPECT_FALSE(weld.closures[1].X_BC.has_value());

  const RobotDescription sites = read("<connect site1='sb' site2='sc'/>");
  EXPECT_EQ(sites.closures[0].X_AC.translation, Vector3(1, 2, 3));
  EXPECT_EQ(sites.closures[0].X_BC->translation, Vector3(0, 0, 1));

  // q_b = 0.1 + 3 (q_a - 0.5)
  const RobotDescription joint = read("<joint joint1='jb' joint2='ja' polycoef='0.1 3 0 0 0'/>");
  ASSERT_EQ(joint.couplings.size(), 1U);
  EXPECT_EQ(joint.couplings[0].joint_a, 1);
  EXPECT_EQ(joint.couplings[0].joint_b, 0);
  EXPECT_NEAR(joint.couplings[0].offset, 0.1 - 1.5, 1e-15);
  EXPECT_EQ(read("<weld body1='c' active='false'/>").closures.size(), 0U);
  for (const char* bad : {"<weld body1='nobody'/>", "<weld body1='a' body2='a'/>",
                          "<joint joint1='jb' polycoef='0 0 1'/>", "<joint joint1='a'/>"})
    EXPECT_NE(message([&] { return read(bad); }), "") << bad;
}

TEST(ReadMjcf, ASpringFollowsImplicitEuler) {
  robot_files::TemporaryFile file(".xml");
  file.write(
      "<mujoco><worldbody><body name='a'><joint type='slide' axis='1 0 0' stiffness='50' "
      "springref='0.1' damping='2'/><geom size='0.1' mass='3'/></body></worldbody></mujoco>");
  const Model model = load_mjcf(file.path());
  const double dt = 0.01, k = 50.0, d = 2.0, m = 3.0;
  double q = 0.0, v = 0.0;
  for (int i = 0; i < 100; ++i) {
    v = (m * v - dt * k * (q - 0.1)) / (m + dt * d + dt * dt * k);
    q += dt * v;
  }
  const State state = scenes::run(model, model.state(), 100, dt).state;
  EXPECT_NEAR(state.v[0], v, 1e-13);
  EXPECT_NEAR(state.q[0], q, 1e-13);
}

TEST(ReadMjcf, NoFileDoesHarm) {
  const std::string seed = robot_files::content(robot_files::path("legs.xml"));
  std::mt19937 random(3);
  const testing::RobotFolder folder;  // with the mesh that the file names
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string file = folder.write("legs.xml", robot_files::damaged(seed, random));
    refused += !message([&] {
                  ModelBuilder builder;
                  return builder.add_mjcf(file, {.geometries = i % 2 == 0});
                }).empty();
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 900);
}

TEST(ReadMjcf, SeedsOfTheFuzzerBecomeModelsThatStep) {
  for (const std::string& seed : robot_files::fuzz_seeds("sim_mjcf"))
    EXPECT_TRUE(testing::try_robot(seed, [](const std::string& path) { return read_mjcf(path); }))
        << seed;
}

}  // namespace
}  // namespace tactum::sim::read_mjcf_test
