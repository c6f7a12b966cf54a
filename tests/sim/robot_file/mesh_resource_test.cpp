// SPDX-License-Identifier: BSD-2-Clause
#include "sim/robot_file/mesh_resource.hpp"

#include <gtest/gtest.h>

#include "sim/robot_files.hpp"

namespace tactum::sim::mesh_resource_test {
namespace {

using robot_files::message;

RobotOptions in_test_data() {
  RobotOptions options;
  options.package_dirs = {TACTUM_TEST_DATA};
  return options;
}

TEST(MeshResource, PathsOfAllFormsLeadToTheFile) {
  const XmlElement element = parse_xml("<mesh/>", "robot.urdf");
  const MeshResources meshes(robot_files::path("arm.urdf"), in_test_data());
  const std::filesystem::path expected = std::filesystem::canonical(
      robot_files::path("tetrahedron.obj"));
  for (const std::string& path :
       {std::string("package://robots/tetrahedron.obj"), std::string("tetrahedron.obj"),
        std::string("../robots/tetrahedron.obj"), "file://" + expected.string()})
    EXPECT_EQ(std::filesystem::canonical(meshes.find(path, element)), expected) << path;
}

TEST(MeshResource, WhatIsMissingOrOutsideIsRefusedWithThePlacesTried) {
  const XmlElement element = parse_xml("<mesh/>", "robot.urdf");
  const MeshResources meshes(robot_files::path("arm.urdf"), in_test_data());
  const std::string missing = message(
      [&] { return meshes.find("package://robots/none.obj", element); });
  EXPECT_NE(missing.find("robots/none.obj"), std::string::npos) << missing;
  EXPECT_FALSE(message([&] { return meshes.find("/etc/passwd", element); }).empty());
  EXPECT_FALSE(message([&] {
                 return meshes.find("package://robots/../../../../../../etc/passwd", element);
               }).empty());
}

TEST(MeshResource, HullsAreScaled) {
  const XmlElement element = parse_xml("<mesh/>", "robot.urdf");
  MeshResources meshes(robot_files::path("arm.urdf"), in_test_data());
  const std::filesystem::path file = meshes.find("tetrahedron.obj", element);
  const double whole = meshes.geometry(file, Vector3::Ones(), element).shape()->volume();
  const double scaled = meshes.geometry(file, {0.5, 2.0, -3.0}, element).shape()->volume();
  EXPECT_NEAR(scaled, 3.0 * whole, 1e-12 * whole);
}

}  // namespace
}  // namespace tactum::sim::mesh_resource_test
