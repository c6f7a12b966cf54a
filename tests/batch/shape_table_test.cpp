// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/shape_table.hpp"

#include <gtest/gtest.h>

namespace tactum {
namespace {

Convex cube() {
  Points corners(3, 8);
  for (int i = 0; i < 8; ++i) corners.col(i) << (i & 1), (i >> 1 & 1), (i >> 2);
  return Convex::from_points(corners);
}

TEST(ShapeTable, HoldsTheShapes) {
  const Shape ball = Sphere{.radius = 0.5}, box = Box{.half_extents = {1.0, 2.0, 3.0}};
  const ShapeTable table({ball, box, ball});
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0], ball);
  EXPECT_EQ(table[1], box);
  EXPECT_EQ(table[2], ball);
  const std::span<const Shape> span = table;
  EXPECT_EQ(span.data(), &table[0]);
  EXPECT_EQ(ShapeTable({}).size(), 0U);
}

TEST(ShapeTable, CopiesShareAndCompareByValue) {
  const ShapeTable table({Sphere{.radius = 0.5}, cube()});
  const ShapeTable copy = table;
  EXPECT_EQ(&copy[0], &table[0]);
  EXPECT_EQ(copy, table);
  EXPECT_EQ(table, ShapeTable({Sphere{.radius = 0.5}, cube()}));
  EXPECT_FALSE(table == ShapeTable({Sphere{.radius = 0.5}}));
  EXPECT_FALSE(table == ShapeTable({Sphere{.radius = 0.6}, cube()}));
}

TEST(ShapeTable, SharedHullTablesCountOnce) {
  const Convex hull = cube();
  const std::size_t one = ShapeTable({hull}).nbytes();
  EXPECT_GT(one, Shape(hull).nbytes());
  EXPECT_EQ(ShapeTable({hull, hull}).nbytes(), one + sizeof(Shape));
  EXPECT_EQ(ShapeTable({hull, cube()}).nbytes(), one + Shape(hull).nbytes());
}

TEST(ShapeTable, HoldsGeometriesOfAnyKind) {
  const Shape ball = Sphere{.radius = 0.5};
  const Compound compound({{ball, {}}});
  const ShapeTable convex = ShapeTable::of_geometries({ball, Shape(cube())});
  EXPECT_EQ(convex, ShapeTable({ball, cube()}));
  EXPECT_TRUE(convex.geometries().empty());
  const ShapeTable mixed = ShapeTable::of_geometries({ball, compound});
  EXPECT_EQ(mixed.size(), 2U);
  EXPECT_TRUE(mixed.shapes().empty());
  EXPECT_EQ(mixed.geometry(0), Geometry(ball));
  EXPECT_EQ(mixed.geometry(1), Geometry(compound));
  EXPECT_GT(mixed.nbytes(), compound.nbytes());
}

}  // namespace
}  // namespace tactum
