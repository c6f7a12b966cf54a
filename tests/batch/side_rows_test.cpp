// SPDX-License-Identifier: BSD-2-Clause
// Rows of shapes and of geometries, with and without an index.
#include "batch/side_rows.hpp"

#include <gtest/gtest.h>

namespace tactum::side_rows_test {
namespace {

TEST(SideRows, GiveShapesAndGeometries) {
  const Shape ball = Sphere{.radius = 0.5}, box = Box{.half_extents = {1, 2, 3}};
  const Compound compound({{ball, {}}});
  const std::vector<Shape> shapes = {ball, box};
  const std::vector<Geometry> geometries = {ball, compound};
  const std::vector<std::int32_t> index = {1, 0, 1};
  const BatchSide of_shapes{.shapes = shapes, .index = index, .poses = Pose{}};
  const BatchSide of_geometries{.index = index, .poses = Pose{}, .geometries = geometries};
  EXPECT_EQ(num_geometries(of_shapes), 2U);
  EXPECT_EQ(num_geometries(of_geometries), 2U);
  const SideRows rows(of_shapes), any(of_geometries);
  EXPECT_EQ(rows.shape(0), &shapes[1]);
  EXPECT_EQ(rows.geometry(1), Geometry(ball));
  EXPECT_EQ(any.shape(0), nullptr);
  EXPECT_EQ(*any.shape(1), ball);
  EXPECT_EQ(any.geometry(2), Geometry(compound));
  const SideRows same(BatchSide{.shapes = std::span(shapes).first(1), .poses = Pose{}});
  EXPECT_EQ(same.shape(7), &shapes[0]);
}

}  // namespace
}  // namespace tactum::side_rows_test
