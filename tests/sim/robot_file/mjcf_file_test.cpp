// SPDX-License-Identifier: BSD-2-Clause
#include "sim/robot_file/mjcf_file.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "sim/robot_files.hpp"

namespace tactum::sim::mjcf_file_test {
namespace {

using robot_files::message;

TEST(MjcfFile, DefaultsComeByClass) {
  const MjcfFile file(robot_files::path("legs.xml"), {});
  const XmlElement joint = parse_xml("<joint name='j'/>", "test");
  const XmlElement plain = file.with_defaults(joint, ""), leg = file.with_defaults(joint, "leg");
  EXPECT_EQ(*plain.find("damping"), "0.2");
  EXPECT_EQ(plain.find("range"), nullptr);
  EXPECT_EQ(*leg.find("range"), "-60 90");
  EXPECT_EQ(*leg.find("armature"), "0.01");
  const XmlElement own = parse_xml("<joint damping='9'/>", "test");
  EXPECT_EQ(*file.with_defaults(own, "leg").find("damping"), "9");
}

TEST(MjcfFile, OrientationsOfAllFormsAreOneRotation) {
  const MjcfFile file(robot_files::path("legs.xml"), {});  // degrees, euler z y x
  const Matrix3 quarter =
      Eigen::AngleAxisd(std::numbers::pi / 2, Vector3::UnitZ()).toRotationMatrix();
  for (const char* text :
       {"<body quat='0.7071067811865476 0 0 0.7071067811865476'/>", "<body axisangle='0 0 2 90'/>",
        "<body euler='90 0 0'/>", "<body xyaxes='0 1 0 -1 0 0'/>"})
    EXPECT_LT((file.pose(parse_xml(text, "test")).rotation - quarter).norm(), 1e-12) << text;
  const Pose tilted = file.pose(parse_xml("<body pos='1 2 3' zaxis='0 1 0'/>", "test"));
  EXPECT_LT((tilted.rotation.col(2) - Vector3::UnitY()).norm(), 1e-12);
  EXPECT_EQ(tilted.translation, Vector3(1, 2, 3));
  EXPECT_NEAR(file.radians(180.0), std::numbers::pi, 1e-15);
}

TEST(MjcfFile, IncludedFilesBecomePartOfTheFile) {
  const robot_files::TemporaryFile inner(".xml"), outer(".xml");
  inner.write("<mujoco><worldbody><body name='inside'/></worldbody></mujoco>");
  const std::string name = std::filesystem::path(inner.path()).filename().string();
  outer.write("<mujoco><include file='" + name + "'/></mujoco>");
  const MjcfFile file(outer.path(), {});
  ASSERT_NE(file.root().child("worldbody"), nullptr);
  EXPECT_NE(file.root().child("worldbody")->child("body"), nullptr);
  // a file that includes itself
  outer.write("<mujoco><include file='" + std::filesystem::path(outer.path()).filename().string() +
              "'/></mujoco>");
  EXPECT_FALSE(message([&] { return MjcfFile(outer.path(), {}).compiler().degrees; }).empty());
}

TEST(MjcfFile, FlagsAreTrueOrFalse) {
  const XmlElement element = parse_xml("<a yes='true' no='false' bad='maybe'/>", "test");
  EXPECT_TRUE(read_flag(element, "yes", false));
  EXPECT_FALSE(read_flag(element, "no", true));
  EXPECT_TRUE(read_flag(element, "none", true));
  EXPECT_FALSE(message([&] { return read_flag(element, "bad", true); }).empty());
}

}  // namespace
}  // namespace tactum::sim::mjcf_file_test
