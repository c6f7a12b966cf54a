// SPDX-License-Identifier: BSD-2-Clause
// The vertex of every SIMD level of this machine: that of a full scan in double, to the index, and
// of one in long double, to rounding.
#include "shape/hull/support_scan.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <string>

#include "shape/hull/convex_polytope.hpp"
#include "shape/point_clouds.hpp"

namespace tactum::support_scan_test {
namespace {

using testing::Random;

std::vector<testing::PointCloud> all_clouds() {
  std::vector<testing::PointCloud> clouds = testing::solid_clouds();
  Random random(31);
  const Matrix3 R = random.rotation();
  const auto polygon = [](int corners) -> Points {
    return testing::prism_points(corners)(Eigen::all, Eigen::seq(0, Eigen::last, 2));
  };
  Points cube(3, 8);
  for (int k = 0; k < 8; ++k)
    cube.col(k) = Vector3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 2 : -2, (k & 4) != 0 ? 3 : -3);
  clouds.push_back({"point", Points::Constant(3, 1, 2.0)});
  clouds.push_back({"point at the origin", Points::Zero(3, 1)});
  clouds.push_back({"segment", testing::box_points(2, random)});
  clouds.push_back(
      {"segment along an axis", Vector3(3.0, 0.0, 0.0) * Eigen::RowVector2d(-1.0, 1.0)});
  clouds.push_back({"cube", cube});
  clouds.push_back({"cube turned", R * cube});
  clouds.push_back({"polygon of 64", R * polygon(64)});
  clouds.push_back({"polygon of 1000", polygon(1000)});
  clouds.push_back({"polygon of 1000 turned", R * polygon(1000)});
  clouds.push_back({"far beyond its size", (1e-6 * testing::sphere_points(300, random)).colwise() +
                                               Vector3(1e3, -2e3, 5e2)});
  // sizes around every limit: blocks of eight, two blocks, the largest single list
  for (const int count : {5, 8, 9, 12, 15, 16, 17, 24, 25, 32, 33, 63, 64, 65, 66, 100, 129}) {
    const Vector3 axes(random.log_uniform(0.1, 1.0), random.log_uniform(0.1, 1.0),
                       random.log_uniform(0.1, 1.0));
    clouds.push_back({"ellipsoid of " + std::to_string(count),
                      axes.asDiagonal() * testing::sphere_points(count, random)});
  }
  clouds.push_back({"ellipsoid of 5000", R * (Vector3(0.5, 0.1, 0.2).asDiagonal() *
                                              testing::sphere_points(5000, random))});
  return clouds;
}

void check_levels(const ConvexPolytope& hull, const Vector3& direction) {
  int first = 0;
  double highest = -std::numeric_limits<double>::infinity();
  long double exact = -std::numeric_limits<long double>::infinity();
  long double reach = 0.0L;
  const auto exact_height = [&](int i) {
    const Eigen::Matrix<long double, 3, 1> v = hull.vertex(i).cast<long double>();
    reach = std::max(reach, v.norm());
    return v.dot(direction.cast<long double>());
  };
  for (int i = 0; i < hull.num_vertices(); ++i) {
    const Vector3& v = hull.vertex(i);
    const double height = direction.x() * v.x() + direction.y() * v.y() + direction.z() * v.z();
    if (height > highest) highest = height, first = i;
    exact = std::max(exact, exact_height(i));
  }
  for (const SimdLevel level : kSimdLevels) {
    if (level > machine_simd_level()) continue;
    const int vertex = hull.support_vertex(direction, level);
    ASSERT_EQ(vertex, first) << to_string(level) << ", direction " << direction.transpose();
    ASSERT_LE(exact - exact_height(vertex),
              6 * 0x1p-53L * reach * direction.cast<long double>().norm());
  }
  int visited = 0;
  ASSERT_EQ(hull.support_vertex(direction, visited), first);
}

TEST(SupportScan, EveryLevelFindsTheVertexOfAFullScan) {
  Random random(32);
  for (const auto& [name, points] : all_clouds()) {
    SCOPED_TRACE(name);
    const ConvexPolytope hull = ConvexPolytope::from_points(points);
    for (int i = 0; i < 500; ++i)
      check_levels(hull, random.log_uniform(1e-3, 1e3) * random.direction());
  }
}

TEST(SupportScan, TiesAndNearTiesToo) {
  Random random(33);
  for (const auto& [name, points] : all_clouds()) {
    SCOPED_TRACE(name);
    const ConvexPolytope hull = ConvexPolytope::from_points(points);
    for (int axis = 0; axis < 3; ++axis) {
      check_levels(hull, Vector3::Unit(axis));
      check_levels(hull, -Vector3::Unit(axis));
      check_levels(hull, Vector3::Ones() - Vector3::Unit(axis));
      check_levels(hull, Vector3::Unit(axis) + 1e-300 * random.direction());
    }
    const auto planes = hull.planes();
    for (std::size_t f = 0; f < planes.size(); f += 1 + planes.size() / 40) {
      check_levels(hull, planes[f].normal);
      for (const double tilt : {1e-16, 1e-12, 1e-8, 1e-7, 1e-6, 1e-4}) {
        check_levels(hull, planes[f].normal + tilt * random.direction());
      }
    }
    const auto edges = hull.edges();
    for (std::size_t e = 0; e < edges.size(); e += 1 + edges.size() / 40) {
      const Vector3 along = hull.vertex(edges[e].vertices[1]) - hull.vertex(edges[e].vertices[0]);
      const Vector3 across = along.cross(random.direction());
      if (across.norm() > 0.0) check_levels(hull, across.normalized());
    }
  }
}

TEST(SupportScan, BordersOfCells) {
  Random random(34);
  const ConvexPolytope hull = ConvexPolytope::from_points(testing::sphere_points(1000, random));
  const SupportView& table = hull.directions().view();
  ASSERT_GT(table.resolution, 0);
  for (int i = 0; i < 20000; ++i) {
    // a point of the octahedron on a border or corner of cells, and a few roundings beside it
    Vector3 d(random.below(table.resolution + 1), random.below(table.resolution + 1), 0.0);
    if (random.chance(0.5)) d.x() = random.uniform(0.0, table.resolution);
    if (d.x() + d.y() > table.resolution) continue;
    d.z() = table.resolution - d.x() - d.y();
    for (int k = 0; k < 3; ++k)
      d[k] *= random.sign() / static_cast<double>(table.scale[k]) *
              (1.0 + 0x1p-52 * random.below(5));
    if (random.chance(0.3)) d += 0x1p-24 * random.in_box(table.resolution);
    check_levels(hull, d);
  }
}

TEST(SupportScan, AnyLengthOfTheDirection) {
  Random random(35);
  for (const int count : {12, 60, 1000}) {
    const ConvexPolytope hull = ConvexPolytope::from_points(testing::sphere_points(count, random));
    for (const double length :
         {1e-300, 1e-60, 1e-38, 1e-20, 1e-18, 1e18, 1e20, 1e38, 1e60, 1e300}) {
      for (int i = 0; i < 20; ++i) check_levels(hull, length * random.direction());
    }
    for (const SimdLevel level : kSimdLevels) {
      if (level > machine_simd_level()) continue;
      EXPECT_EQ(hull.support_vertex(Vector3(0.0, 0.0, 5e-324), level),
                hull.support_vertex(Vector3::UnitZ(), level));
      EXPECT_EQ(hull.support_vertex(Vector3::Zero(), level), 0);
    }
  }
}

TEST(SupportScan, WithoutAFiniteDirectionItIsStillAVertex) {
  Random random(37);
  constexpr double infinity = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  fedisableexcept(FE_INVALID);  // infinity - infinity, in the heights of a tiny hull
  for (const int count : {1, 12, 60, 1000}) {
    const ConvexPolytope hull = ConvexPolytope::from_points(testing::sphere_points(count, random));
    for (const SimdLevel level : kSimdLevels) {
      if (level > machine_simd_level()) continue;
      for (const Vector3& direction :
           {Vector3(1.0, infinity, -infinity), Vector3(nan, 1.0, 0.0), Vector3(0.0, 0.0, -nan)}) {
        const int vertex = hull.support_vertex(direction, level);
        EXPECT_GE(vertex, 0);
        EXPECT_LT(vertex, count);
      }
    }
  }
}

TEST(SupportScan, CountsTheVerticesItLooksAt) {
  Random random(36);
  for (const int count : {12, 60, 1000}) {
    const ConvexPolytope hull = ConvexPolytope::from_points(testing::sphere_points(count, random));
    for (const SimdLevel level : kSimdLevels) {
      if (level > machine_simd_level()) continue;
      int visited = 0;
      for (int i = 0; i < 100; ++i) {
        support_scan(hull.directions(), level)(hull.directions().view(), random.direction().data(),
                                               visited);
      }
      EXPECT_GE(visited, 100);
      EXPECT_LE(visited, 100 * std::min(count, 60));
    }
  }
}

}  // namespace
}  // namespace tactum::support_scan_test
