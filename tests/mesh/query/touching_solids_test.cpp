// SPDX-License-Identifier: BSD-2-Clause
// Solids in contact: steps that part them, and points that show an overlap without a crossing.
#include "mesh/query/touching_solids.hpp"

#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"
#include "tactum/geometry.hpp"

namespace tactum::touching_solids_test {
namespace {

/// A block with a pit of the size of the box (1, 1, 1) in its top, which lies at z = 1.
testing::RawMesh block_with_pit() {
  const double c[] = {-3, -1, 1, 3};
  testing::RawMesh raw{Points(3, 40), Triangles(3, 0)};
  std::vector<Eigen::Vector3i> triangles;
  const auto quad = [&](int a, int b, int d, int e) {
    triangles.emplace_back(a, b, d);
    triangles.emplace_back(a, d, e);
  };
  for (int i = 0; i < 16; ++i)
    raw.vertices.col(i) = Vector3(c[i % 4], c[i / 4], 1.0);  // the top, as a grid
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 3; ++x)
      if (x != 1 || y != 1) quad(4 * y + x, 4 * y + x + 1, 4 * y + x + 5, 4 * y + x + 4);
  const int rim[] = {5, 6, 10, 9}, corner[] = {0, 3, 15, 12};
  for (int k = 0; k < 4; ++k) {
    raw.vertices.col(16 + k) = raw.vertices.col(rim[k]) - Vector3(0, 0, 2);
    raw.vertices.col(20 + k) = raw.vertices.col(corner[k]) - Vector3(0, 0, 4);
  }
  for (int k = 0; k < 4; ++k) quad(rim[k], rim[(k + 1) % 4], 16 + (k + 1) % 4, 16 + k);
  quad(16, 17, 18, 19);
  quad(23, 22, 21, 20);
  // the sides go along the grid of the top
  const int sides[4][4] = {{0, 1, 2, 3}, {3, 7, 11, 15}, {15, 14, 13, 12}, {12, 8, 4, 0}};
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) triangles.emplace_back(20 + k, sides[k][j + 1], sides[k][j]);
    triangles.emplace_back(20 + k, 20 + (k + 1) % 4, sides[k][3]);
  }
  raw.vertices.conservativeResize(3, 24);
  raw.triangles.resize(3, static_cast<Eigen::Index>(triangles.size()));
  for (std::size_t i = 0; i < triangles.size(); ++i)
    raw.triangles.col(static_cast<Eigen::Index>(i)) = triangles[i];
  return raw;
}

TEST(TouchingSolids, AStepPartsABlockThatStandsInAPit) {
  const Mesh pit = block_with_pit().solid();
  EXPECT_NEAR(pit.volume(), 6.0 * 6.0 * 4.0 - 8.0, 1e-12);
  const Mesh loose = testing::box_mesh({0.5, 0.5, 1.0}).solid();
  const PlacedMeshes pair(pit, {}, loose, {});
  EXPECT_TRUE(is_parted_by(pair, {0, 0, 1e-9}));
  EXPECT_FALSE(is_parted_by(pair, {0, 0, -1e-9}));
  EXPECT_FALSE(is_parted_by(pair, {0, 0, 0}));
  const GeometryDistance found = distance(pit, {}, loose, {});
  EXPECT_EQ(found.status, Status::touching);
  EXPECT_LE(found.upper - found.lower, 1e-9);
}

TEST(TouchingSolids, OfAPegThatFillsItsHoleOnlyBoundsAreKnown) {
  const Mesh pit = block_with_pit().solid(), peg = testing::box_mesh({1, 1, 1}).solid();
  const GeometryDistance found = distance(pit, {}, peg, {});
  EXPECT_EQ(found.status, Status::not_converged);
  EXPECT_GE(found.upper, 0.0);
  EXPECT_LE(found.upper, 1e-13);
  EXPECT_NEAR(found.lower, -2.0, 1e-12);
  EXPECT_TRUE(collide(pit, {}, peg, {}));
}

TEST(TouchingSolids, FacesInOnePlaneHideNoOverlap) {
  // the same block, moved along a face: no two triangles cross
  const Mesh pit = block_with_pit().solid();
  for (const double x : {0.0, 1.5, 3.0}) {
    const Pose X{.translation = {x, 0, 0}};
    const PlacedMeshes pair(pit, {}, pit, X);
    const NodePairBound bound(pit.tree(), pit.tree(), pair.X_AB);
    EXPECT_GT(depth_at_contacts(pair, bound), 0.0) << x;
    const GeometryDistance found = distance(pit, {}, pit, X);
    EXPECT_LT(found.upper, 0.0) << x;
    EXPECT_LE(found.lower, -std::min(4.0, 6.0 - x) + 1e-12) << x;
  }
}

TEST(TouchingSolids, TheRingOfABallInTheGroundIsInIt) {
  // a ball whose equator lies in the plane of the ground, which is one large square
  testing::RawMesh ground{Points(3, 4), Triangles(3, 2)};
  ground.vertices << -9, 9, 9, -9, -9, -9, 9, 9, 0, 0, 0, 0;
  ground.triangles << 0, 0, 1, 2, 2, 3;
  const Mesh ring = testing::torus_mesh(2.0, 0.5, 16, 8).solid();
  const GeometryDistance found = distance(ring, {}, ground.surface(), {});
  EXPECT_LT(found.upper, 0.0);
  EXPECT_NEAR(found.lower, -0.5, 1e-12);
  EXPECT_EQ(distance(ring, {.translation = {0, 0, 0.5}}, ground.surface(), {}).status,
            Status::touching);
}

TEST(TouchingSolids, NormalsOfContactsAddUp) {
  const Mesh box = testing::box_mesh({1, 1, 1}).solid();
  const PlacedMeshes pair(box, {}, box, {.translation = {0.1, 0.2, 2.0}});
  const NodePairBound bound(box.tree(), box.tree(), pair.X_AB);
  EXPECT_GT(sum_of_contact_normals(pair, bound).z, 0.5);
}

}  // namespace
}  // namespace tactum::touching_solids_test
