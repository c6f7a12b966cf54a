// SPDX-License-Identifier: BSD-2-Clause
// The hull against enumeration of all triples, supports of the raw points, planes in extended
// precision, and known dimensions.
#include "shape/hull/convex_hull.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>

#include "shape/point_clouds.hpp"

namespace tactum::convex_hull_test {
namespace {

using testing::Random;
using Wide = Eigen::Matrix<long double, 3, 1>;

Wide wide(const Points& points, std::int32_t column) {
  return points.col(column).cast<long double>();
}

/// Each directed edge once and its reverse once; V - E + F = 2.
void expect_closed(const HullTopology& hull) {
  std::map<std::pair<int, int>, int> directed;
  for (const auto& face : hull.faces) {
    for (int k = 0; k < 3; ++k) ++directed[{face[k], face[(k + 1) % 3]}];
  }
  for (const auto& [edge, count] : directed) {
    ASSERT_EQ(count, 1);
    ASSERT_TRUE(directed.contains({edge.second, edge.first}));
  }
  ASSERT_EQ(hull.vertices.size() + hull.faces.size(), directed.size() / 2 + 2);
}

/// The largest distance of a point in front of a face in extended precision; faces too thin to have
/// a plane are left out.
long double worst_outside(const Points& points, const HullTopology& hull, double rounding) {
  long double worst = -1.0L;
  for (const auto& face : hull.faces) {
    const Wide a = wide(points, hull.vertices[face[0]]);
    const Wide b = wide(points, hull.vertices[face[1]]);
    const Wide c = wide(points, hull.vertices[face[2]]);
    const Wide area = (b - a).cross(c - a);
    const long double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    if (area.norm() < 1e9L * rounding * longest)
      continue;  // height below 1e9 roundings: tilt above 1e-9
    const Wide n = area.normalized();
    for (int i = 0; i < points.cols(); ++i) worst = std::max(worst, n.dot(wide(points, i) - a));
  }
  return worst;
}

TEST(ConvexHull, ClosedSurfaceAroundEveryPoint) {
  for (const auto& [name, points] : testing::solid_clouds()) {
    SCOPED_TRACE(name);
    const HullTopology hull = convex_hull(points);
    ASSERT_EQ(hull.dimension, 3);
    EXPECT_TRUE(std::is_sorted(hull.vertices.begin(), hull.vertices.end()));
    expect_closed(hull);
    const double rounding = testing::rounding_of(points);
    const double extent = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).maxCoeff();
    EXPECT_LE(worst_outside(points, hull, rounding), 16.0L * rounding + 1e-9L * extent);
  }
}

TEST(ConvexHull, SupportsOfTheVerticesAreThoseOfAllPoints) {
  Random random(11);
  for (const auto& [name, points] : testing::solid_clouds()) {
    SCOPED_TRACE(name);
    const HullTopology hull = convex_hull(points);
    const Points vertices = points(Eigen::all, hull.vertices);
    const double rounding = testing::rounding_of(points);
    for (int i = 0; i < 300; ++i) {
      Vector3 d = random.direction();
      if (i % 3 == 0) d = Vector3::Unit(i % 9 / 3) * random.sign();
      EXPECT_LE((d.transpose() * points).maxCoeff() - (d.transpose() * vertices).maxCoeff(),
                16.0 * rounding);
    }
  }
}

TEST(ConvexHull, FacesAreTheTriplesWithAllPointsOnOneSide) {
  Random random(12);
  for (int trial = 0; trial < 60; ++trial) {
    const int count = 4 + random.below(9);
    const Points points = trial % 2 == 0 ? testing::box_points(count, random)
                                         : testing::sphere_points(count, random);
    std::set<std::array<int, 3>> expected;
    for (int a = 0; a < count; ++a) {
      for (int b = a + 1; b < count; ++b) {
        for (int c = b + 1; c < count; ++c) {
          const Wide n =
              (wide(points, b) - wide(points, a)).cross(wide(points, c) - wide(points, a));
          int front = 0;
          for (int i = 0; i < count; ++i)
            front += i != a && i != b && i != c && n.dot(wide(points, i) - wide(points, a)) > 0.0L
                         ? 1
                         : 0;
          if (front == 0)
            expected.insert({a, c, b});  // n points out of a, b, c when nothing is in front; stored
                                         // below by rotation
          if (front == count - 3) expected.insert({a, b, c});
        }
      }
    }
    std::set<std::array<int, 3>> found;
    const HullTopology hull = convex_hull(points);
    for (const auto& face : hull.faces) {
      std::array<int, 3> columns = {hull.vertices[face[0]], hull.vertices[face[2]],
                                    hull.vertices[face[1]]};
      std::rotate(columns.begin(), std::min_element(columns.begin(), columns.end()), columns.end());
      found.insert(columns);
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(ConvexHull, KnownVertexCounts) {
  Random random(13);
  EXPECT_EQ(convex_hull(testing::dense_cube_points(10000, random)).vertices.size(), 8U);
  EXPECT_EQ(convex_hull(testing::grid_points(10)).vertices.size(), 8U);
  EXPECT_EQ(convex_hull(testing::prism_points(1000)).vertices.size(), 2000U);
  EXPECT_EQ(convex_hull(testing::sphere_points(5000, random)).vertices.size(), 5000U);
  Points twice(3, 40);
  twice << testing::sphere_points(20, random), Points::Zero(3, 20);
  twice.rightCols(20) = twice.leftCols(20);
  const HullTopology hull = convex_hull(twice);
  EXPECT_EQ(hull.vertices.size(), 20U);
  EXPECT_LT(hull.vertices.back(), 20);  // the first of two equal points is kept
}

TEST(ConvexHull, VerticesDoNotDependOnTheOrderOfThePoints) {
  Random random(14);
  const Points points = testing::box_points(100, random);
  const HullTopology hull = convex_hull(points);
  const HullTopology again = convex_hull(points);
  EXPECT_EQ(hull.vertices, again.vertices);
  EXPECT_EQ(hull.faces, again.faces);
  const HullTopology reversed = convex_hull(points.rowwise().reverse());
  std::vector<std::int32_t> mirrored;
  for (auto v = reversed.vertices.rbegin(); v != reversed.vertices.rend(); ++v)
    mirrored.push_back(99 - *v);
  EXPECT_EQ(hull.vertices, mirrored);
}

// -------------------------------------------------------------------------------------------------
// dimension

int dimension_of(const Points& points) { return convex_hull(points).dimension; }

TEST(ConvexHull, DimensionOfFewPoints) {
  Points points(3, 1);
  points << 1, 2, 3;
  EXPECT_EQ(dimension_of(points), 0);
  EXPECT_EQ(dimension_of(Points::Zero(3, 5)), 0);
  EXPECT_EQ(dimension_of(points.replicate(1, 7)), 0);
  Points segment(3, 3);
  segment << 0, 1, 0.3, 0, 1, 0.3, 0, 1, 0.3;
  const HullTopology hull = convex_hull(segment);
  EXPECT_EQ(hull.dimension, 1);
  EXPECT_EQ(hull.vertices, (std::vector<std::int32_t>{0, 1}));
  EXPECT_TRUE(hull.faces.empty());
}

TEST(ConvexHull, DimensionSurvivesRotationAndThinness) {
  Random random(15);
  for (int trial = 0; trial < 600; ++trial) {
    const double height = random.log_uniform(1e-10, 1.0);
    const double width = random.log_uniform(1e-10, 1.0);
    const Points cloud = testing::box_points(4 + random.below(20), random);
    const Matrix3 R = random.rotation();
    EXPECT_EQ(dimension_of(R * (Vector3(1.0, width, height).asDiagonal() * cloud)), 3);
    EXPECT_EQ(dimension_of(R * (Vector3(1.0, width, 0.0).asDiagonal() * cloud)), 2);
    EXPECT_EQ(dimension_of(R * (Vector3(1.0, 0.0, 0.0).asDiagonal() * cloud)), 1);
  }
}

TEST(ConvexHull, NeedleTriangles) {
  Random random(16);
  for (const double height : {1e-3, 1e-6, 1e-8, 1e-12}) {
    Points needle(3, 3);
    needle << 0, 1, 0.37, 0, 0, height, 0, 0, 0;
    const Matrix3 R = random.rotation();
    EXPECT_EQ(dimension_of(needle), 2);
    EXPECT_EQ(dimension_of(R * needle), 2);
    EXPECT_EQ(convex_hull(R * needle).ring.size(), 3U);
    needle(1, 2) = 0.0;
    EXPECT_EQ(dimension_of(R * needle), 1);
  }
}

TEST(ConvexHull, DimensionIsRelativeToTheSetNotToTheOrigin) {
  Points box(3, 8);
  for (int k = 0; k < 8; ++k)
    box.col(k) = 1e-3 *
                 Vector3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1);
  EXPECT_EQ(dimension_of(box.colwise() + Vector3(1e6, 1e6, 1e6)), 3);
  // below the spacing of doubles at that distance nothing is left of it
  EXPECT_EQ(dimension_of((1e-16 * box).colwise() + Vector3(1e6, 1e6, 1e6)), 0);
  // below 1e-30 m there is no size
  EXPECT_EQ(dimension_of(1e-30 * box), 0);
}

TEST(ConvexHull, NearlyDegenerateSetsNeverFail) {
  Random random(17);
  for (int trial = 0; trial < 5000; ++trial) {
    const Vector3 size(1.0, random.log_uniform(1e-17, 1.0), random.log_uniform(1e-17, 1.0));
    Points points = size.asDiagonal() * testing::box_points(4 + random.below(30), random);
    if (trial % 2 == 0) points = (random.rotation() * points).eval();
    if (trial % 3 == 0) points.colwise() += random.log_uniform(1e-5, 1e6) * random.direction();
    if (trial % 5 == 0) points = (points * 64.0).array().round() / 64.0;  // many coplanar points
    if (trial % 7 == 0) {  // points halfway between others
      Points more(3, 3 * points.cols());
      more << points, 0.5 * points, 0.5 * (points + points.rowwise().reverse());
      points = more;
    }
    if (trial % 11 == 0) {  // clusters some ten roundings wide
      const Eigen::Index half = points.cols() / 2;
      for (Eigen::Index i = 0; i < half; ++i)
        points.col(i) = points.col(half + i) + 1e-15 * points.norm() * random.direction();
    }
    ASSERT_NO_THROW({
      const HullTopology hull = convex_hull(points);
      if (hull.dimension == 3) expect_closed(hull);
      const Points vertices = points(Eigen::all, hull.vertices);
      for (int i = 0; i < 10; ++i) {
        const Vector3 d = random.direction();
        ASSERT_LE((d.transpose() * points).maxCoeff() - (d.transpose() * vertices).maxCoeff(),
                  16.0 * testing::rounding_of(points));
      }
    }) << trial;
  }
}

TEST(ConvexHull, PolygonRingIsConvexAndCoversItsArea) {
  Random random(18);
  for (int trial = 0; trial < 50; ++trial) {
    const int corners = 3 + random.below(200);
    const Matrix3 R = random.rotation();
    Points points(3, corners + 30);
    double area = 0.0;
    for (int i = 0; i < corners; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / corners;
      points.col(i) = R * Vector3(std::cos(angle), std::sin(angle), 0.0);
      area += 0.5 * std::sin(2.0 * std::numbers::pi / corners);
    }
    const double inside = 0.99 * std::cos(std::numbers::pi / corners);
    for (int i = corners; i < points.cols(); ++i) {
      const double angle = random.uniform(0.0, 6.0);
      points.col(i) = random.uniform(0.0, inside) *
                      (R * Vector3(std::cos(angle), std::sin(angle), 0.0));
    }
    const HullTopology hull = convex_hull(points);
    ASSERT_EQ(hull.dimension, 2);
    ASSERT_EQ(static_cast<int>(hull.vertices.size()), corners);
    EXPECT_EQ(hull.vertices.back(), corners - 1);
    // triangles of one orientation add up to the whole area only if they do not overlap
    Vector3 sum = Vector3::Zero();
    for (const auto& face : hull.faces) {
      const Vector3 a = points.col(hull.vertices[face[0]]);
      sum += 0.5 *
             (points.col(hull.vertices[face[1]]) - a).cross(points.col(hull.vertices[face[2]]) - a);
    }
    EXPECT_EQ(static_cast<int>(hull.faces.size()), corners - 2);
    EXPECT_NEAR(sum.norm(), area, 1e-13);
    // neighbors in the ring are neighbors on the circle
    for (std::size_t i = 0; i < hull.ring.size(); ++i) {
      const int step = std::abs(hull.vertices[hull.ring[i]] -
                                hull.vertices[hull.ring[(i + 1) % hull.ring.size()]]);
      EXPECT_TRUE(step == 1 || step == corners - 1);
    }
  }
}

TEST(ConvexHull, TrianglesHaveAnAreaThoughCornersLieOnALine) {
  // a square whose sides carry points in a straight line: the hull keeps or drops them, but no
  // triangle may be empty
  Points square(3, 80);
  for (int i = 0; i < 20; ++i) {
    const double t = i / 20.0;
    square.col(4 * i) = Vector3(t, 0, 0);
    square.col(4 * i + 1) = Vector3(1, t, 0);
    square.col(4 * i + 2) = Vector3(1 - t, 1, 0);
    square.col(4 * i + 3) = Vector3(0, 1 - t, 0);
  }
  Random random(19);
  for (const Matrix3& R : {Matrix3(Matrix3::Identity()), random.rotation()}) {
    const Points points = R * square;
    const HullTopology hull = convex_hull(points);
    ASSERT_EQ(hull.dimension, 2);
    for (const auto& face : hull.faces) {
      const Vector3 a = points.col(hull.vertices[face[0]]);
      EXPECT_GT((points.col(hull.vertices[face[1]]) - a)
                    .cross(points.col(hull.vertices[face[2]]) - a)
                    .norm(),
                1e-4);
    }
  }
}

TEST(ConvexHull, ManyPointsOfOnePlaneTakeNoLongerThanOthers) {
  Random random(36);
  const auto start = std::chrono::steady_clock::now();
  for (const Matrix3& turn : {Matrix3(Matrix3::Identity()), Matrix3(random.rotation())}) {
    const HullTopology prism = convex_hull(turn * testing::prism_points(15000));
    EXPECT_EQ(prism.vertices.size(), 30000U);
    EXPECT_EQ(prism.faces.size(), 59996U);
    // all points of a grid but those inside lie in faces and on edges
    EXPECT_EQ(convex_hull(turn * testing::grid_points(20)).vertices.size(), 8U);
  }
  // a quadratic method takes minutes; on an idle machine this takes half a second
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(ConvexHull, ManyPointsHaveTheSupportsOfAll) {
  Random random(37);
  for (int trial = 0; trial < 12; ++trial) {
    Points points = trial % 3 == 0 ? testing::sphere_points(3000, random)
                                   : testing::box_points(5000, random);
    const Vector3 sizes(random.log_uniform(1e-6, 1.0), random.log_uniform(1e-3, 1.0), 1.0);
    points = (random.rotation() * sizes.asDiagonal() * points).eval();
    // a few planes, each many times
    if (trial % 3 == 2) points = points.array().round().matrix().eval();
    const HullTopology hull = convex_hull(points);
    const Points vertices = points(Eigen::all, hull.vertices);
    for (int i = 0; i < 200; ++i) {
      const Vector3 u = random.direction();
      const double most = (u.transpose() * points).maxCoeff(),
                   found = (u.transpose() * vertices).maxCoeff();
      EXPECT_NEAR(found, most, 1e-14 * points.cwiseAbs().maxCoeff());
    }
  }
}

}  // namespace
}  // namespace tactum::convex_hull_test
