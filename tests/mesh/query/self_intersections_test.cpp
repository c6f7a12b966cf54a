// SPDX-License-Identifier: BSD-2-Clause
// Self-intersections: against all pairs of triangles, and of neighbors that fold.
#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"
#include "mesh/query/mesh_query_checks.hpp"
#include "tactum/distance.hpp"

namespace tactum::self_intersections_test {
namespace {

using Pairs = std::vector<std::array<std::int32_t, 2>>;
using testing::Random;

Mesh of(const std::vector<Vector3>& vertices, const std::vector<std::array<int, 3>>& triangles) {
  Points points(3, static_cast<Eigen::Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i)
    points.col(static_cast<Eigen::Index>(i)) = vertices[i];
  Triangles columns(3, static_cast<Eigen::Index>(triangles.size()));
  for (std::size_t i = 0; i < triangles.size(); ++i)
    for (int k = 0; k < 3; ++k)
      columns(k, static_cast<Eigen::Index>(i)) = triangles[i][static_cast<std::size_t>(k)];
  return Mesh(points, columns);
}

TEST(SelfIntersections, CleanMeshesHaveNone) {
  EXPECT_TRUE(self_intersections(testing::box_mesh({1, 2, 3}).solid()).empty());
  EXPECT_TRUE(self_intersections(testing::torus_mesh(1.0, 0.3, 40, 20).solid()).empty());
  Random random(51);
  EXPECT_TRUE(self_intersections(testing::hull_mesh(random, 100, 1.0).solid()).empty());
}

TEST(SelfIntersections, OfASoupAreThoseOfAllPairs) {
  Random random(52);
  std::size_t count = 0;
  for (int i = 0; i < 30; ++i) {
    const Mesh soup = testing::triangle_soup(random, 40, 1.0, 0.5).surface();
    Pairs expected;
    for (std::int32_t s = 0; s < soup.triangles().cols(); ++s)
      for (std::int32_t t = s + 1; t < soup.triangles().cols(); ++t)
        if (distance(testing::triangle_hull(soup, s), {}, testing::triangle_hull(soup, t), {})
                .distance <= 0.0)
          expected.push_back({s, t});
    EXPECT_EQ(self_intersections(soup), expected);
    count += expected.size();
  }
  EXPECT_GT(count, 100U);
}

TEST(SelfIntersections, NeighborsMayShareACornerAndASide) {
  const std::vector<Vector3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}, {2, 0.5, 0}};
  // a side in common, at an angle; then folded onto each other
  EXPECT_TRUE(self_intersections(of(corners, {{0, 1, 2}, {1, 3, 2}})).empty());
  EXPECT_EQ(self_intersections(
                of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.9, 0.8, 0}}, {{0, 1, 2}, {0, 1, 3}}))
                .size(),
            1U);
  // flat and side by side
  EXPECT_TRUE(self_intersections(
                  of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.9, -0.8, 0}}, {{0, 1, 2}, {1, 0, 3}}))
                  .empty());
  // a corner in common; then the far side of one passes through the other
  EXPECT_TRUE(self_intersections(of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 1}, {-1, 1, 1}},
                                    {{0, 1, 2}, {0, 3, 4}}))
                  .empty());
  EXPECT_EQ(self_intersections(of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, -1}, {0.2, 0.2, 1}},
                                  {{0, 1, 2}, {0, 3, 4}}))
                .size(),
            1U);
}

TEST(SelfIntersections, CornersInOnePlaceAreOneCorner) {
  // two triangles of a soup that repeat their common side
  EXPECT_TRUE(
      self_intersections(of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}},
                            {{0, 1, 2}, {3, 5, 4}}))
          .empty());
}

TEST(SelfIntersections, EndAfterTheLimit) {
  Random random(53);
  const Mesh soup = testing::triangle_soup(random, 60, 0.5, 1.0).surface();
  EXPECT_EQ(self_intersections(soup, 3).size(), 3U);
  EXPECT_TRUE(self_intersections(soup, 0).empty());
}

}  // namespace
}  // namespace tactum::self_intersections_test
