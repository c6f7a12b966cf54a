// SPDX-License-Identifier: BSD-2-Clause
// Polygons of a file become a mesh.
#include "mesh/file/mesh_data.hpp"

#include <gtest/gtest.h>

namespace tactum::mesh_data_test {
namespace {

TEST(MeshData, PolygonsBecomeTrianglesInOrder) {
  PolygonSoup soup;
  soup.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 2, 2}};
  for (const int i : {0, 1, 2, 3}) soup.add_corner(i);
  soup.end_polygon(1);
  for (const int i : {4, 1, 0}) soup.add_corner(i);
  soup.end_polygon(2);
  EXPECT_EQ(soup.num_polygons(), 2U);
  const Mesh mesh = soup.to_mesh("x", PolygonSoup::Place::line, {.scale = 3.0});
  ASSERT_EQ(mesh.triangles().cols(), 3);
  EXPECT_EQ(mesh.triangles().col(2), Eigen::Vector3i(4, 1, 0));
  EXPECT_EQ(mesh.vertices().col(4), Vector3(6, 6, 6));
}

}  // namespace
}  // namespace tactum::mesh_data_test
