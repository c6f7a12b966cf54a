// SPDX-License-Identifier: BSD-2-Clause
// Half edges in order, and sets that are joined.
#include "mesh/surface/edge_table.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "mesh/mesh_fixtures.hpp"

namespace tactum::edge_table_test {
namespace {

TEST(EdgeTable, EveryEdgeOfATorusHasTwoHalves) {
  const testing::RawMesh torus = testing::torus_mesh(2.0, 0.5, 9, 7);
  std::vector<std::int32_t> own(static_cast<std::size_t>(torus.vertices.cols()));
  std::iota(own.begin(), own.end(), 0);
  int edges = 0;
  for_each_edge(sorted_half_edges(torus.triangles, own), [&](std::span<const HalfEdge> edge) {
    ++edges;
    ASSERT_EQ(edge.size(), 2U);
    EXPECT_LT(edge[0].low, edge[0].high);
    EXPECT_NE(edge[0].forward, edge[1].forward);
    for (const HalfEdge& half : edge) {
      const std::int32_t from = torus.triangles(half.side, half.triangle);
      EXPECT_EQ(from, half.forward ? half.low : half.high);
    }
  });
  EXPECT_EQ(edges, 3 * 9 * 7);
}

TEST(EdgeTable, LeavesOutTrianglesWithoutThreeCorners) {
  Triangles triangles(3, 1);
  triangles << 0, 1, 2;
  const std::vector<std::int32_t> same = {0, 1, 0};
  EXPECT_TRUE(sorted_half_edges(triangles, same).empty());
}

TEST(EdgeTable, SetsHaveTheirSmallestMemberAsName) {
  UnionFind sets(6);
  sets.join(5, 3);
  sets.join(4, 5);
  EXPECT_EQ(sets.find(4), 3);
  EXPECT_EQ(sets.find(0), 0);
  sets.join(0, 4);
  EXPECT_EQ(sets.find(5), 0);
}

}  // namespace
}  // namespace tactum::edge_table_test
