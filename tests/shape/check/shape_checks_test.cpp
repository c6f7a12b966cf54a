// SPDX-License-Identifier: BSD-2-Clause
// Checks of the numbers of shapes: what is taken, and what an error says.
#include "shape/check/shape_checks.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace tactum::shape_checks_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Check>
std::string refused_field(const Check& check) {
  try {
    check();
  } catch (const InvalidInput& error) {
    EXPECT_FALSE(error.value().empty());
    EXPECT_FALSE(error.remedy().empty());
    return error.field();
  }
  return "";
}

TEST(ShapeChecks, Sizes) {
  for (const double good : {1e-30, 1.0, 1e30}) EXPECT_NO_THROW(check_size(good, "radius"));
  for (const double bad : {0.0, -1.0, 1e-31, 1e31, kInfinity})
    EXPECT_EQ(refused_field([&] { check_size(bad, "radius"); }), "radius") << bad;
  EXPECT_NO_THROW(check_size(0.0, "margin", ZeroSize::allowed));
  EXPECT_EQ(refused_field([] { check_size(-0.1, "margin", ZeroSize::allowed); }), "margin");
  EXPECT_EQ(refused_field([] { check_sizes({1.0, 0.0, 1.0}, "axes"); }), "axes[1]");
}

TEST(ShapeChecks, Points) {
  Points points = Points::Zero(3, 4);
  EXPECT_NO_THROW(check_points(points, "points"));
  EXPECT_EQ(refused_field([] { check_points(Points(3, 0), "points"); }), "points");
  points(1, 2) = 1e31;
  EXPECT_EQ(refused_field([&] { check_points(points, "points"); }), "points[2]");
  EXPECT_TRUE(is_coordinate(-1e30));
  EXPECT_FALSE(is_coordinate(-kInfinity));
  EXPECT_EQ(refused_field([] { check_coordinate(kInfinity, "x"); }), "x");
}

TEST(ShapeChecks, Directions) {
  const Vector3 unit(0.6, 0.0, 0.8);
  EXPECT_EQ(checked_direction(unit, "normal"), unit);  // keeps its bits
  EXPECT_LE((checked_direction(1e-25 * unit, "normal") - unit).norm(), 1e-15);
  EXPECT_LE((checked_direction(1e200 * unit, "normal") - unit).norm(), 1e-15);
  EXPECT_EQ(refused_field([] { checked_direction(Vector3::Zero(), "normal"); }), "normal");
  EXPECT_EQ(refused_field([] { checked_direction({0.0, kInfinity, 0.0}, "normal"); }), "normal[1]");
}

}  // namespace
}  // namespace tactum::shape_checks_test
