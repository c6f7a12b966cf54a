// SPDX-License-Identifier: BSD-2-Clause
// Polygons cut into triangles: areas add up, and no triangle is turned round.
#include "mesh/file/polygon.hpp"

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <numeric>

#include "support/random.hpp"

namespace tactum::polygon_test {
namespace {

using testing::Random;
using Triangle = std::array<std::int32_t, 3>;

std::vector<Triangle> cut(const std::vector<Vector3>& vertices, std::vector<std::int32_t> corners) {
  if (corners.empty()) {
    corners.resize(vertices.size());
    std::iota(corners.begin(), corners.end(), 0);
  }
  std::vector<Triangle> triangles;
  PolygonCutter().cut(vertices, corners, triangles);
  EXPECT_EQ(triangles.size(), corners.size() - 2);
  return triangles;
}

/// Sum of the areas along `normal`, and of their absolute values: equal where nothing is covered
/// twice.
std::array<double, 2> areas(const std::vector<Vector3>& vertices,
                            const std::vector<Triangle>& triangles, const Vector3& normal) {
  std::array<double, 2> sums = {0.0, 0.0};
  for (const Triangle& t : triangles) {
    const auto at = [&](int k) {
      return vertices[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])];
    };
    const double area = 0.5 * normal.dot((at(1) - at(0)).cross(at(2) - at(0)));
    sums[0] += area;
    sums[1] += std::abs(area);
  }
  return sums;
}

TEST(Polygon, StarsAreCoveredOnce) {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    const int n = 4 + random.below(40);
    const Matrix3 rotation = random.rotation();
    const Vector3 middle = random.in_box(10.0);
    std::vector<Vector3> vertices;
    double expected = 0.0;
    std::vector<double> radii;
    for (int i = 0; i < n; ++i) radii.push_back(random.uniform(0.2, 3.0));
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * i / n;
      const double radius = radii[static_cast<std::size_t>(i)];
      vertices.push_back(
          middle + rotation * Vector3(radius * std::cos(angle), radius * std::sin(angle), 0.0));
      expected += 0.5 * radius * radii[static_cast<std::size_t>((i + 1) % n)] *
                  std::sin(2 * std::numbers::pi / n);
    }
    const auto [sum, absolute] = areas(vertices, cut(vertices, {}), rotation.col(2));
    EXPECT_NEAR(sum, expected, 1e-12 * expected);
    EXPECT_NEAR(absolute, expected, 1e-12 * expected);
  }
}

TEST(Polygon, CombsAreCoveredOnce) {
  for (const int teeth : {2, 5, 50}) {
    std::vector<Vector3> vertices = {{-1, -1, 0}, {2.0 * teeth, -1, 0}};
    for (int i = teeth - 1; i >= 0; --i) {
      vertices.emplace_back(2.0 * i + 1.0, 5, 0);
      vertices.emplace_back(2.0 * i, 0, 0);
    }
    double expected = 0.0;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const Vector3 &a = vertices[i], &b = vertices[(i + 1) % vertices.size()];
      expected += 0.5 * (a.x() * b.y() - a.y() * b.x());
    }
    const auto [sum, absolute] = areas(vertices, cut(vertices, {}), Vector3::UnitZ());
    EXPECT_NEAR(sum, expected, 1e-12 * expected);
    EXPECT_NEAR(absolute, expected, 1e-12 * expected);
  }
}

TEST(Polygon, AHoleJoinedToTheRimStaysAHole) {
  // a square with a square hole; the polygon runs from corner 0 to the hole, round it, and back
  const std::vector<Vector3> vertices = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0},
                                         {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}};
  const std::vector<Triangle> triangles = cut(vertices, {0, 1, 2, 3, 0, 4, 5, 6, 7, 4});
  const auto [sum, absolute] = areas(vertices, triangles, Vector3::UnitZ());
  EXPECT_NEAR(sum, 12.0, 1e-14);
  EXPECT_NEAR(absolute, 12.0, 1e-14);
}

TEST(Polygon, AConcaveQuadrilateralIsCutAtItsInnerCorner) {
  const std::vector<Vector3> vertices = {{0, 0, 0}, {2, -2, 0}, {0, 2, 0}, {-2, -2, 0}};
  for (const Triangle& t : cut(vertices, {})) {
    EXPECT_TRUE(std::ranges::find(t, 0) != t.end() && std::ranges::find(t, 2) != t.end());
  }
}

TEST(Polygon, WhatHasNoRightAnswerStillEnds) {
  Random random(12);
  for (int round = 0; round < 300; ++round) {
    std::vector<Vector3> vertices;
    const int n = 4 + random.below(30);
    for (int i = 0; i < n; ++i) {
      vertices.push_back(random.in_box(1.0));
      if (random.chance(0.3)) vertices.back() = vertices.front();
      if (random.chance(0.3)) vertices.back() = Vector3(random.below(3), random.below(3), 0);
    }
    for (const Triangle& t : cut(vertices, {}))
      for (const std::int32_t corner : t) EXPECT_TRUE(corner >= 0 && corner < n);
  }
  cut(std::vector<Vector3>(50, Vector3::Zero()), {});
}

}  // namespace
}  // namespace tactum::polygon_test
