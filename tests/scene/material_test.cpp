// SPDX-License-Identifier: BSD-2-Clause
// Materials of pairs from their definition, and bad numbers by name.
#include "tactum/material.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tactum/status.hpp"

namespace tactum::material_test {
namespace {

TEST(Material, OfAPair) {
  const Material ice{.friction = 0.04, .restitution = 0.1, .compliance = 1e-6};
  const Material rubber{.friction = 1.0, .restitution = 0.8, .compliance = 1e-4};
  const Material both = pair_material(ice, rubber);
  EXPECT_DOUBLE_EQ(both.friction, 0.2);
  EXPECT_EQ(both.restitution, 0.8);
  EXPECT_DOUBLE_EQ(both.compliance, 1.01e-4);
  EXPECT_EQ(pair_material(rubber, ice), both);
  EXPECT_EQ(pair_material(Material{.friction = 0.0}, rubber).friction, 0.0);
  for (const double friction : {0.1, 0.3, 0.7, 1e-20, 1e20}) {
    const Material same{.friction = friction};
    EXPECT_EQ(pair_material(same, same).friction, friction);
  }
}

std::string refused_field(const Material& material) {
  try {
    check_material(material);
  } catch (const InvalidInput& error) {
    return error.field();
  }
  return "accepted";
}

TEST(Material, BadNumbersAreNamed) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refused_field({}), "accepted");
  EXPECT_EQ(refused_field({.friction = 0.0, .restitution = 1.0}), "accepted");
  for (const double bad : {-0.1, nan, infinity}) {
    EXPECT_EQ(refused_field({.friction = bad}), "friction");
    EXPECT_EQ(refused_field({.restitution = bad}), "restitution");
    EXPECT_EQ(refused_field({.compliance = bad}), "compliance");
  }
  EXPECT_EQ(refused_field({.restitution = 1.01}), "restitution");
}

}  // namespace
}  // namespace tactum::material_test
