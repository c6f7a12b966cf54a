// SPDX-License-Identifier: BSD-2-Clause
#include "sim/robot_file/mjcf_geom.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "sim/robot_files.hpp"

namespace tactum::sim::mjcf_geom_test {
namespace {

using robot_files::message;

struct Geoms {
  MjcfFile file{robot_files::path("legs.xml"), {}};
  MjcfGeoms geoms{file};
  MjcfGeom read(const std::string& text) { return geoms.read(parse_xml(text, "test")); }
};

TEST(MjcfGeom, ShapesHaveTheSizesOfTheFormat) {
  Geoms g;
  EXPECT_EQ(*g.read("<geom size='0.5'/>").geometry->shape(), Shape{Sphere{.radius = 0.5}});
  EXPECT_EQ(*g.read("<geom type='box' size='1 2 3'/>").geometry->shape(),
            (Shape{Box{.half_extents = {1, 2, 3}}}));
  EXPECT_EQ(*g.read("<geom type='capsule' size='0.1 0.4'/>").geometry->shape(),
            (Shape{Capsule{.radius = 0.1, .half_length = 0.4}}));
  EXPECT_EQ(*g.read("<geom type='ellipsoid' size='1 2 3'/>").geometry->shape(),
            (Shape{Ellipsoid{.semi_axes = {1, 2, 3}}}));
  EXPECT_TRUE(g.read("<geom type='plane' size='0 0 1'/>").is_plane);
}

TEST(MjcfGeom, EndsOfALineGivePlaceAndLength) {
  Geoms g;
  const MjcfGeom geom = g.read("<geom type='capsule' size='0.1' fromto='0 0 1 0 2 1'/>");
  EXPECT_EQ(*geom.geometry->shape(), (Shape{Capsule{.radius = 0.1, .half_length = 1.0}}));
  EXPECT_LT((geom.X.translation - Vector3(0, 1, 1)).norm(), 1e-12);
  EXPECT_NEAR(std::abs(geom.X.rotation.col(2).y()), 1.0, 1e-12);
}

TEST(MjcfGeom, MassIsThatOfDensityOrAsGiven) {
  Geoms g;
  const double volume = 4.0 / 3.0 * std::numbers::pi * 0.125;
  EXPECT_NEAR(g.read("<geom size='0.5' density='300'/>").inertia.mass, 300.0 * volume, 1e-10);
  EXPECT_NEAR(g.read("<geom size='0.5'/>").inertia.mass, 1000.0 * volume, 1e-9);
  const MjcfGeom given = g.read("<geom size='0.5' mass='2'/>");
  EXPECT_NEAR(given.inertia.mass, 2.0, 1e-12);
  EXPECT_NEAR(given.inertia.inertia(0, 0), 0.4 * 2.0 * 0.25, 1e-12);
}

TEST(MjcfGeom, FrictionAndMasksAreRead) {
  Geoms g;
  const MjcfGeom geom = g.read(
      "<geom size='0.5' friction='0.3 0.1' contype='2' conaffinity='4' margin='0.01'/>");
  EXPECT_EQ(geom.friction, 0.3);
  EXPECT_EQ(geom.contype, 2U);
  EXPECT_EQ(geom.conaffinity, 4U);
  EXPECT_EQ(geom.margin, 0.01);
}

TEST(MjcfGeom, WhatIsWrongIsRefused) {
  Geoms g;
  for (const char* text :
       {"<geom type='cube' size='1'/>", "<geom size='-1'/>", "<geom type='box' size='1 2'/>",
        "<geom type='mesh' mesh='none'/>", "<geom size='0.5' mass='-1'/>"})
    EXPECT_FALSE(message([&] { return g.read(text).is_plane; }).empty()) << text;
}

}  // namespace
}  // namespace tactum::sim::mjcf_geom_test
