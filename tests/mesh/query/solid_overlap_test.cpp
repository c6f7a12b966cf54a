// SPDX-License-Identifier: BSD-2-Clause
// Depths of points, and directions that part.
#include "mesh/query/solid_overlap.hpp"

#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"

namespace tactum::solid_overlap_test {
namespace {

TEST(SolidOverlap, DepthOfPointsInABox) {
  testing::Random random(97);
  const Vector3 half(1, 2, 3);
  const Mesh box = testing::box_mesh(half).solid();
  for (int i = 0; i < 1000; ++i) {
    const Vector3 point = random.in_box(3.5);
    const double expected = std::max(0.0, (half - point.cwiseAbs()).minCoeff());
    ASSERT_NEAR(depth_of_point(box, point), expected, 1e-14);
  }
}

TEST(SolidOverlap, TheBestDirectionParts) {
  const Mesh box = testing::box_mesh({1, 2, 3}).solid();
  const Double3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  // B is the point (0.5, 0, 0)
  const Parting parting = best_parting(box, axes, [](Double3 n) { return 0.5 * n.x; });
  EXPECT_EQ(parting.separation, -0.5);
  EXPECT_EQ(parting.normal.x, 1.0);
  EXPECT_EQ(parting.point_a.x, 1.0);
}

TEST(SolidOverlap, ComponentsAreFoundInside) {
  const Mesh box = testing::box_mesh({1, 1, 1}).solid(),
             small = testing::box_mesh({0.25, 0.25, 0.25}).surface();
  EXPECT_EQ(small.component_vertices().size(), 1U);
  EXPECT_NEAR(depth_of_components(box, small, {}), 0.75, 1e-15);
  EXPECT_EQ(depth_of_components(box, small, {.translation = {5, 0, 0}}), 0.0);
}

}  // namespace
}  // namespace tactum::solid_overlap_test
