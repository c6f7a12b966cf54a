// SPDX-License-Identifier: BSD-2-Clause
#include "sim/robot_file/xml_numbers.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>

#include "sim/robot_files.hpp"

namespace tactum::sim::xml_numbers_test {
namespace {

using robot_files::message;

TEST(XmlNumbers, AreReadFromAttributes) {
  const XmlElement element = parse_xml("<a x=' 1 -2.5\t3e2 ' y='0.5' z='inf' name='n'/>", "file");
  EXPECT_EQ(vector_of(element, "x", Vector3::Zero()), Vector3(1.0, -2.5, 300.0));
  EXPECT_EQ(vector_of(element, "none", Vector3::Ones()), Vector3::Ones());
  EXPECT_EQ(number_of(element, "y", 7.0), 0.5);
  EXPECT_EQ(number_of(element, "none", 7.0), 7.0);
  EXPECT_EQ(number_of(element, "z", 0.0, true), std::numeric_limits<double>::infinity());
  EXPECT_EQ(name_of(element, "name"), "n");
}

TEST(XmlNumbers, ATextHasEveryBitOfItsNumbers) {
  const XmlElement element = parse_xml("<a/>", "file");
  const std::vector<double> numbers = {0.1, -1.0 / 3.0, 5e-324, 1e30,
                                       std::numeric_limits<double>::infinity()};
  EXPECT_EQ(read_numbers(element, "numbers", numbers_text(numbers), true), numbers);
  EXPECT_EQ(numbers_text(std::vector<double>{}), "");
}

TEST(XmlNumbers, WhatIsNoNumberIsRefusedWithItsPlace) {
  const XmlElement element = parse_xml("<a x='1 2' y='one' z='nan' big='1e40' i='inf'/>", "file");
  const auto number = [&](const char* attribute) {
    return message([&] { return number_of(element, attribute, 0.0); });
  };
  for (const char* attribute : {"x", "y", "z", "big", "i"}) {
    EXPECT_NE(number(attribute).find("file:1"), std::string::npos) << number(attribute);
    EXPECT_NE(number(attribute).find(attribute), std::string::npos) << number(attribute);
  }
  EXPECT_FALSE(message([&] { return vector_of(element, "x", Vector3::Zero()); }).empty());
  EXPECT_FALSE(message([&] { return name_of(element, "none"); }).empty());
}

TEST(XmlNumbers, RollPitchYawTurnsAboutFixedAxes) {
  const Vector3 angles(0.3, -0.7, 1.1);
  const Matrix3 expected = (Eigen::AngleAxisd(angles.z(), Vector3::UnitZ()) *
                            Eigen::AngleAxisd(angles.y(), Vector3::UnitY()) *
                            Eigen::AngleAxisd(angles.x(), Vector3::UnitX()))
                               .toRotationMatrix();
  EXPECT_LT((rotation_rpy(angles) - expected).norm(), 1e-15);
}

}  // namespace
}  // namespace tactum::sim::xml_numbers_test
