// SPDX-License-Identifier: BSD-2-Clause
// Rings of vertices against all edges.
#include "mesh/surface/vertex_rings.hpp"

#include <gtest/gtest.h>

#include <set>

#include "mesh/mesh_fixtures.hpp"

namespace tactum::vertex_rings_test {
namespace {

TEST(VertexRings, AreTheOtherEndsOfEdges) {
  const testing::RawMesh raw = testing::torus_mesh(1.0, 0.3, 7, 5);
  std::vector<std::set<std::int32_t>> expected(static_cast<std::size_t>(raw.vertices.cols()));
  for (Eigen::Index t = 0; t < raw.triangles.cols(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t from = raw.triangles(k, t), to = raw.triangles((k + 1) % 3, t);
      expected[static_cast<std::size_t>(from)].insert(to);
      expected[static_cast<std::size_t>(to)].insert(from);
    }
  }
  const VertexRings rings(raw.vertices, raw.triangles);
  for (std::int32_t i = 0; i < raw.vertices.cols(); ++i) {
    const auto ring = rings.around(i);
    EXPECT_EQ(std::vector(ring.begin(), ring.end()),
              std::vector(expected[static_cast<std::size_t>(i)].begin(),
                          expected[static_cast<std::size_t>(i)].end()));
  }
}

TEST(VertexRings, GoAcrossTheSeamsOfASoup) {
  const testing::RawMesh raw = testing::box_mesh({1, 1, 1});
  Points corners(3, 36);
  Triangles triangles(3, 12);
  for (int t = 0; t < 12; ++t) {
    for (int k = 0; k < 3; ++k) {
      corners.col(3 * t + k) = raw.vertices.col(raw.triangles(k, t));
      triangles(k, t) = 3 * t + k;
    }
  }
  const VertexRings whole(raw.vertices, raw.triangles), soup(corners, triangles);
  for (int t = 0; t < 12; ++t) {
    for (int k = 0; k < 3; ++k) {
      const auto of_soup = soup.around(3 * t + k), of_whole = whole.around(raw.triangles(k, t));
      EXPECT_EQ(of_soup.size(), of_whole.size());
    }
  }
}

}  // namespace
}  // namespace tactum::vertex_rings_test
