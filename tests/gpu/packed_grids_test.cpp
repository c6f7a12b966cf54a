// SPDX-License-Identifier: BSD-2-Clause
#include "gpu/packed_grids.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_shapes.hpp"
#include "tactum/signed_distance.hpp"

namespace tactum::gpu {
namespace packed_grids_tests {

/// A box of eight vertices.
Mesh box_mesh(const Vector3& half) {
  Points points(3, 8);
  for (int i = 0; i < 8; ++i)
    points.col(i) = Vector3((i & 1) != 0 ? half.x() : -half.x(),
                            (i & 2) != 0 ? half.y() : -half.y(),
                            (i & 4) != 0 ? half.z() : -half.z());
  Triangles triangles(3, 12);
  triangles << 0, 0, 4, 4, 0, 0, 2, 2, 0, 0, 1, 1,  //
      2, 3, 5, 7, 1, 5, 6, 7, 4, 6, 3, 7,           //
      3, 1, 7, 6, 5, 4, 7, 3, 6, 2, 7, 5;
  return {points, triangles};
}

TEST(GpuPackedGrids, CoverTheMeshAndItsBorder) {
  const Mesh mesh = box_mesh({0.5, 0.3, 0.2});
  const PackedGrids packed = pack_grids({&mesh, 1}, {.num_points = 100, .resolution = 21});
  ASSERT_EQ(packed.grids.size(), 1U);
  const GridRecord& grid = packed.grids[0];
  EXPECT_EQ(grid.num_x, 21);
  EXPECT_NEAR(grid.spacing, 1.2 / 20, 1e-7);
  EXPECT_NEAR(grid.origin.x, -0.6, 1e-6);
  EXPECT_GE(grid.origin.z + grid.spacing * static_cast<float>(grid.num_z - 1), 0.2999F);
  EXPECT_EQ(packed.values.size(), static_cast<std::size_t>(grid.num_x) *
                                      static_cast<std::size_t>(grid.num_y) *
                                      static_cast<std::size_t>(grid.num_z));
  EXPECT_EQ(packed.points.size(), 100U);
  for (const Vector<float>& point : packed.points)
    EXPECT_NEAR(grid_distance(grid, packed.values.data(), point), 0.0F, grid.spacing);
}

TEST(GpuPackedGrids, SeveralMeshesLieBehindEachOther) {
  const std::vector<Mesh> meshes = {box_mesh({0.5, 0.3, 0.2}), box_mesh({0.1, 0.1, 0.4})};
  const PackedGrids packed = pack_grids(meshes, {.num_points = 7, .resolution = 41});
  EXPECT_EQ(packed.grids[1].first_point, 7);
  // the middle is the same distance from two faces: the value bends there
  EXPECT_NEAR(grid_distance(packed.grids[0], packed.values.data(), {0, 0, 0}), -0.2F,
              packed.grids[0].spacing);
  EXPECT_NEAR(grid_distance(packed.grids[1], packed.values.data(), {0, 0, 0}), -0.1F,
              packed.grids[1].spacing);
}

TEST(GpuPackedGrids, RefusesOpenMeshesAndBadOptions) {
  const Mesh whole = box_mesh({1, 1, 1});
  Triangles some = whole.triangles().leftCols(11);
  const Mesh open(whole.vertices(), some);
  EXPECT_THROW(pack_grids({&open, 1}, {}), InvalidInput);
  EXPECT_THROW(pack_grids({}, {}), InvalidInput);
  EXPECT_THROW(pack_grids({&whole, 1}, {.num_points = 0}), InvalidInput);
  EXPECT_THROW(pack_grids({&whole, 1}, {.resolution = 3}), InvalidInput);
  EXPECT_THROW(pack_grids({&whole, 1}, {.border = NAN}), InvalidInput);
}

}  // namespace packed_grids_tests
}  // namespace tactum::gpu
