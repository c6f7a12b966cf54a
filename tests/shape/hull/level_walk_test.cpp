// SPDX-License-Identifier: BSD-2-Clause
// Walks along edges against passes over all vertices.
#include "shape/hull/level_walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "shape/point_clouds.hpp"

namespace tactum::level_walk_test {
namespace {

using testing::Random;

std::vector<testing::PointCloud> all_clouds() {
  std::vector<testing::PointCloud> clouds = testing::solid_clouds();
  Random random(31);
  clouds.push_back({"point", Points::Constant(3, 1, 2.0)});
  clouds.push_back({"segment", testing::box_points(2, random)});
  clouds.push_back({"triangle", testing::box_points(3, random)});
  const Points polygon = testing::prism_points(64)(Eigen::all, Eigen::seq(0, 127, 2));
  clouds.push_back({"polygon of 64", random.rotation() * polygon});
  return clouds;
}

/// A direction at random, or the normal of a face, where whole faces are level.
Vector3 draw_direction(const ConvexPolytope& hull, Random& random) {
  if (hull.faces().empty() || random.chance(0.5)) return random.direction();
  return hull
      .planes()[static_cast<std::size_t>(random.below(static_cast<int>(hull.faces().size())))]
      .normal;
}

TEST(VertexSet, KeepsTheOrderAndTakesEachVertexOnce) {
  Random random(32);
  VertexSet<32> set;
  std::vector<std::int32_t> order;
  for (int i = 0; i < 1000; ++i) {
    const std::int32_t vertex = random.below(random.chance(0.5) ? 20 : 1 << 30);
    const bool present = std::find(order.begin(), order.end(), vertex) != order.end();
    const auto insertion = set.insert(vertex);
    if (present) {
      EXPECT_EQ(insertion, VertexSet<32>::Insertion::present);
    } else if (order.size() == 32) {
      EXPECT_EQ(insertion, VertexSet<32>::Insertion::full);
    } else {
      EXPECT_EQ(insertion, VertexSet<32>::Insertion::added);
      order.push_back(vertex);
    }
    ASSERT_EQ(set.size(), static_cast<int>(order.size()));
  }
  EXPECT_EQ(order.size(), 32U);
  for (int i = 0; i < set.size(); ++i) EXPECT_EQ(set[i], order[static_cast<std::size_t>(i)]);
}

TEST(LevelWalk, FindsWhatAPassOverAllVerticesFinds) {
  Random random(33);
  int with_many = 0, with_few = 0;
  for (const auto& [name, points] : all_clouds()) {
    SCOPED_TRACE(name);
    const ConvexPolytope hull = ConvexPolytope::from_points(points);
    const double size = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
    for (int i = 0; i < 50; ++i) {
      const Vector3 u = draw_direction(hull, random);
      // more than rounding, up to all of the hull
      const double slack = 64.0 * testing::rounding_of(points) +
                           random.log_uniform(1e-12, 2.0) * size;
      int visited = 0;
      const int support = hull.support_vertex(u, visited);
      const double lowest = hull.vertex(support).dot(u) - slack;
      const auto is_level = [&](int vertex) { return hull.vertex(vertex).dot(u) >= lowest; };
      std::set<int> expected, found;
      for (int vertex = 0; vertex < hull.num_vertices(); ++vertex) {
        if (is_level(vertex)) expected.insert(vertex);
      }
      visit_level_vertices(hull, support, is_level, [&](int vertex) {
        EXPECT_TRUE(found.insert(vertex).second) << "a vertex is visited twice";
      });
      EXPECT_EQ(found, expected);
      const LevelCorners corners = level_corners(hull, support, is_level);
      EXPECT_EQ(corners.vertices[0], support);
      EXPECT_EQ(corners.complete, expected.size() <= LevelCorners::kCapacity);
      (corners.complete ? with_few : with_many) += 1;
    }
  }
  EXPECT_GT(with_few, 100);
  EXPECT_GT(with_many, 100);
}

}  // namespace
}  // namespace tactum::level_walk_test
