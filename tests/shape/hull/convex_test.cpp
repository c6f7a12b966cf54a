// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include "shape/point_clouds.hpp"
#include "tactum/shape.hpp"
#include "tactum/status.hpp"

namespace tactum::convex_test {
namespace {

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "no error";
}

TEST(Convex, CubeHasEightVerticesAndTwelveOutwardFaces) {
  const Convex cube = Convex::from_points(testing::grid_points(3), 0.25);
  EXPECT_EQ(cube.dimension(), 3);
  EXPECT_EQ(cube.num_vertices(), 8);
  EXPECT_EQ(cube.margin, 0.25);
  const Triangles faces = cube.faces();
  ASSERT_EQ(faces.cols(), 12);
  const Vector3 center(0.1, 0.1, 0.1);
  for (int f = 0; f < 12; ++f) {
    const Vector3 a = cube.vertex(faces(0, f));
    const Vector3 n = (cube.vertex(faces(1, f)) - a).cross(cube.vertex(faces(2, f)) - a);
    EXPECT_NEAR(n.norm(), 0.04, 1e-15);
    EXPECT_GT(n.dot(a - center), 0.0);
  }
  std::set<int> around;
  for (const std::int32_t neighbor : cube.neighbors(0)) around.insert(neighbor);
  EXPECT_GE(around.size(), 3U);
  EXPECT_LE(around.size(), 6U);
}

TEST(Convex, LowDimensions) {
  Points points(3, 4);
  points << 0, 1, 0, 1,  //
      0, 0, 1, 1,        //
      2, 2, 2, 2;
  const Convex square = Convex::from_points(points);
  EXPECT_EQ(square.dimension(), 2);
  EXPECT_EQ(square.num_vertices(), 4);
  EXPECT_EQ(square.faces().cols(), 2);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(square.neighbors(i).size(), 2U);
  const Convex segment = Convex::from_points(points.leftCols(2));
  EXPECT_EQ(segment.dimension(), 1);
  EXPECT_EQ(segment.vertices(), points.leftCols(2));
  ASSERT_EQ(segment.neighbors(0).size(), 1U);
  EXPECT_EQ(segment.neighbors(0)[0], 1);
  EXPECT_EQ(segment.faces().cols(), 0);
  const Convex point = Convex::from_points(points.leftCols(1));
  EXPECT_EQ(point.dimension(), 0);
  EXPECT_TRUE(point.neighbors(0).empty());
}

TEST(Convex, MeshRoundTrip) {
  for (const auto& [name, points] : testing::solid_clouds()) {
    SCOPED_TRACE(name);
    const Convex hull = Convex::from_points(points);
    const Convex again = Convex::from_mesh(hull.vertices(), hull.faces(), 0.5);
    EXPECT_EQ(again.vertices(), hull.vertices());
    EXPECT_EQ(again.faces(), hull.faces());
    EXPECT_EQ(again.margin, 0.5);
    for (int i = 0; i < hull.num_vertices(); ++i)
      EXPECT_TRUE(std::ranges::equal(again.neighbors(i), hull.neighbors(i)));
  }
}

TEST(Convex, BadPointsAreNamed) {
  EXPECT_EQ(error_of([] { Convex::from_points(Points(3, 0)); }),
            "Convex.points: got no points; give at least one point");
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), -1e31, 1e300}) {
    Points points = testing::grid_points(3);
    points(1, 17) = bad;
    EXPECT_EQ(error_of([&] { Convex::from_points(points); }).find("Convex.points[17]: got "), 0U);
  }
  EXPECT_EQ(error_of([] {
              Convex::from_points(testing::grid_points(2), -0.5);
            }).find("Convex.margin: got -0.5; "),
            0U);
  const Convex cube = Convex::from_points(testing::grid_points(2));
  Points vertices = cube.vertices();
  vertices(2, 3) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of([&] {
              Convex::from_mesh(vertices, cube.faces());
            }).find("Convex.vertices[3]: got inf; "),
            0U);
  EXPECT_EQ(error_of([&] {
              Convex::from_mesh(cube.vertices(), cube.faces(), -1.0);
            }).find("Convex.margin: got -1; "),
            0U);
}

TEST(Convex, BadIndicesAreNamed) {
  const Convex cube = Convex::from_points(testing::grid_points(2));
  EXPECT_EQ(error_of([&] { cube.vertex(8); }), "index: got 8; give a vertex from 0 to 7");
  EXPECT_EQ(error_of([&] { cube.neighbors(-1); }), "vertex: got -1; give a vertex from 0 to 7");
}

}  // namespace
}  // namespace tactum::convex_test
