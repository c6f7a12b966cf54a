// SPDX-License-Identifier: BSD-2-Clause
// Two meshes in the frame of the first: triangles, hulls, what is inside.
#include "mesh/query/placed_meshes.hpp"

#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"

namespace tactum::placed_meshes_test {
namespace {

TEST(PlacedMeshes, TrianglesAreInTheFrameOfA) {
  const Mesh a = testing::box_mesh({1, 1, 1}).solid(), b = testing::box_mesh({1, 2, 3}).surface();
  const PlacedMeshes pair(a, {.translation = {1, 0, 0}}, b, {.translation = {5, 0, 0}});
  EXPECT_EQ(pair.triangle_a(0)[0].x, a.vertices()(0, a.triangles()(0, 0)));
  EXPECT_EQ(pair.triangle_b(3)[1].x, b.vertices()(0, b.triangles()(1, 3)) + 4.0);
  EXPECT_TRUE(pair.has(11, a));
  EXPECT_FALSE(pair.has(12, a));
  EXPECT_FALSE(pair.has(-1, b));
  EXPECT_TRUE(pair.has_solid());
  EXPECT_TRUE(hulls_of(pair).has_value());
}

TEST(PlacedMeshes, DepthIsSeenAtOneVertexOfEveryComponent) {
  const Mesh outer = testing::box_mesh({2, 2, 2}).solid(),
             inner = testing::box_mesh({0.5, 0.5, 0.5}).surface();
  EXPECT_GT(depth_inside({outer, {}, inner, {.translation = {0.3, 0, 0}}}), 1.0);
  EXPECT_GT(depth_inside({inner, {.translation = {0.3, 0, 0}}, outer, {}}), 1.0);
  EXPECT_EQ(depth_inside({outer, {}, inner, {.translation = {5, 0, 0}}}), 0.0);
}

TEST(PlacedMeshes, OnlyTrianglesInContactAreTaken) {
  const Mesh box = testing::box_mesh({1, 1, 1}).surface();
  const PlacedMeshes pair(box, {}, box, {.translation = {1.5, 0.2, 0.1}});
  NodePairBound bound(box.tree(), box.tree(), pair.X_AB);
  NearestPair nearest(pair.frame, 0.0);
  for (std::int32_t ta = 0; ta < 12; ++ta)
    for (std::int32_t tb = 0; tb < 12; ++tb) look_for_contact(pair, ta, tb, bound, nearest);
  EXPECT_TRUE(nearest.crosses());
  const PlacedMeshes apart(box, {}, box, {.translation = {2.5, 0.2, 0.1}});
  NearestPair none(apart.frame, 0.0);
  for (std::int32_t ta = 0; ta < 12; ++ta)
    for (std::int32_t tb = 0; tb < 12; ++tb) look_for_contact(apart, ta, tb, bound, none);
  EXPECT_FALSE(none.found());
}

}  // namespace
}  // namespace tactum::placed_meshes_test
