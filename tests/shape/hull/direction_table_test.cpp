// SPDX-License-Identifier: BSD-2-Clause
// Lists of a direction table against what they promise: the farthest vertex is in the list of the
// direction's cell, with every tie.
#include "shape/hull/direction_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "shape/hull/convex_polytope.hpp"
#include "shape/point_clouds.hpp"

namespace tactum::direction_table_test {
namespace {

using testing::Random;

// more than any budget of these tests asks for, and what a hull of that many vertices has left at
// least
constexpr std::size_t kRoomy = std::size_t{1} << 22;
std::size_t usual_budget(std::size_t count) { return 36 * count + 15000; }

std::vector<HullVertex> vertices_of(const Points& points) {
  std::vector<HullVertex> vertices(static_cast<std::size_t>(points.cols()));
  for (std::size_t i = 0; i < vertices.size(); ++i)
    vertices[i].point = points.col(static_cast<Eigen::Index>(i));
  return vertices;
}

std::vector<std::int32_t> list_of(const DirectionTable& table, std::size_t cell) {
  std::vector<std::int32_t> result;
  const SupportList list = table.lists()[cell];
  for (std::size_t i = 0; i < list.num_vertices; ++i) {
    const std::size_t width = SupportBlock::kWidth;
    const SupportBlock& block = i < width ? table.blocks()[cell]
                                          : table.blocks()[list.next_block + i / width - 1];
    result.push_back(block.vertex[i % width]);
  }
  return result;
}

/// The cell by its definition, in long double.
std::size_t cell_of(const DirectionTable& table, const Vector3& direction) {
  const int resolution = table.view().resolution;
  if (resolution == 0) return 0;
  Eigen::Matrix<long double, 3, 1> d = direction.cast<long double>();
  for (int k = 0; k < 3; ++k) d[k] *= static_cast<long double>(table.view().scale[k]);
  d *= resolution / d.cwiseAbs().sum();
  const int octant = (d.x() < 0 ? 1 : 0) + (d.y() < 0 ? 2 : 0) + (d.z() < 0 ? 4 : 0);
  int cell = octant * resolution * (resolution + 1) / 2;
  const int row = std::min(static_cast<int>(std::abs(d.y())), resolution - 1);
  for (int r = 0; r < row; ++r) cell += resolution - r;
  return static_cast<std::size_t>(
      cell + std::min(static_cast<int>(std::abs(d.x())), resolution - 1 - row));
}

void check_lists(const Points& points, std::size_t budget, Random& random) {
  const std::vector<HullVertex> vertices = vertices_of(points);
  const DirectionTable table(vertices, {}, budget);
  for (int i = 0; i < 300; ++i) {
    Vector3 direction = random.direction();
    if (i < 3) direction = Vector3::Unit(i);
    const std::vector<std::int32_t> list = list_of(table, cell_of(table, direction));
    double highest = -std::numeric_limits<double>::infinity();
    const auto height = [&](std::size_t v) {
      const Vector3& p = vertices[v].point;
      return direction.x() * p.x() + direction.y() * p.y() + direction.z() * p.z();
    };
    for (std::size_t v = 0; v < vertices.size(); ++v) highest = std::max(highest, height(v));
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      if (height(v) < highest) continue;
      ASSERT_TRUE(std::ranges::binary_search(list, static_cast<std::int32_t>(v)))
          << "direction " << direction.transpose();
    }
  }
}

TEST(DirectionTable, ListsHoldEveryFarthestVertex) {
  Random random(41);
  for (const auto& [name, points] : testing::solid_clouds()) {
    if (points.cols() <= TinyHull::kMostVertices) continue;
    SCOPED_TRACE(name);
    check_lists(points, usual_budget(static_cast<std::size_t>(points.cols())), random);
    check_lists(points, kRoomy, random);
  }
}

TEST(DirectionTable, PointsInsideTheHullAreNoTrouble) {
  Random random(42);
  check_lists(testing::box_points(500, random), kRoomy, random);
  check_lists(Points::Constant(3, 100, 1.5), kRoomy, random);  // all the same
}

TEST(DirectionTable, ListsAreShortWhereTheHullIsRound) {
  Random random(43);
  const Matrix3 R = random.rotation();
  for (const int count : {100, 1000, 4000}) {
    const Points points = R * (Vector3(0.5, 0.2, 0.3).asDiagonal() *
                               testing::sphere_points(count, random));
    const ConvexPolytope hull = ConvexPolytope::from_points(points);
    const DirectionTable& table = hull.directions();
    ASSERT_GT(table.view().resolution, 0);
    double total = 0.0;
    for (const SupportList& list : table.lists()) total += list.num_vertices;
    EXPECT_LT(total / static_cast<double>(table.lists().size()), 26.0);
    // no vertex of a strictly convex hull is left out, and each list holds a vertex once
    std::set<std::int32_t> all;
    for (std::size_t cell = 0; cell < table.lists().size(); ++cell) {
      const std::vector<std::int32_t> list = list_of(table, cell);
      EXPECT_TRUE(std::ranges::is_sorted(list));
      EXPECT_EQ(std::set<std::int32_t>(list.begin(), list.end()).size(), list.size());
      all.insert(list.begin(), list.end());
    }
    EXPECT_EQ(all.size(), static_cast<std::size_t>(count));
  }
}

TEST(DirectionTable, StaysWithinItsBudget) {
  Random random(44);
  for (const int count : {65, 300, 3000}) {
    const std::vector<HullVertex> vertices = vertices_of(testing::sphere_points(count, random));
    std::int32_t resolution = 0;
    for (const std::size_t budget : {20000, 40000, 200000}) {
      const DirectionTable table(vertices, {}, budget);
      EXPECT_TRUE(table.view().resolution == 0 || table.nbytes() <= budget);
      EXPECT_GE(table.view().resolution, resolution);  // more room, no coarser
      resolution = table.view().resolution;
    }
    const DirectionTable none(vertices, {}, 0);
    EXPECT_EQ(none.view().resolution, 0);
    EXPECT_EQ(none.lists()[0].num_vertices, static_cast<std::uint32_t>(count));
  }
}

TEST(DirectionTable, TinyHullsAreKeptInDouble) {
  Random random(45);
  const Points points = testing::sphere_points(5, random);
  const DirectionTable table(vertices_of(points), {}, kRoomy);
  ASSERT_NE(table.view().tiny, nullptr);
  EXPECT_TRUE(table.lists().empty());
  for (int i = 0; i < TinyHull::kMostVertices; ++i) {
    const Vector3 stored(table.view().tiny->x[i], table.view().tiny->y[i], table.view().tiny->z[i]);
    EXPECT_EQ(stored, points.col(std::min(i, 4)));
  }
}

TEST(DirectionTable, MovesWithItsViewIntact) {
  Random random(46);
  const std::vector<HullVertex> vertices = vertices_of(testing::sphere_points(200, random));
  DirectionTable table(vertices, {}, kRoomy);
  const SupportView view = table.view();
  const DirectionTable moved = std::move(table);
  EXPECT_EQ(view.blocks, moved.blocks().data());
  EXPECT_EQ(view.lists, moved.lists().data());
}

}  // namespace
}  // namespace tactum::direction_table_test
