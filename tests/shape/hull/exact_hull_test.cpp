// SPDX-License-Identifier: BSD-2-Clause
// Against convex_hull where that is easy, and against planes in extended precision where it is not.
#include "shape/hull/exact_hull.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <set>

#include "shape/hull/convex_hull.hpp"
#include "shape/point_clouds.hpp"

namespace tactum::exact_hull_test {
namespace {

using testing::Random;
using Wide = Eigen::Matrix<long double, 3, 1>;
constexpr double kRounding = 0x1p-52;

Points unit_box(const Points& points) {
  const Vector3 lower = points.rowwise().minCoeff();
  const double extent = (points.rowwise().maxCoeff() - lower).maxCoeff();
  return (points.colwise() - lower) / extent;
}

std::set<std::array<std::int32_t, 3>> rotated(std::vector<std::array<std::int32_t, 3>> faces) {
  std::set<std::array<std::int32_t, 3>> result;
  for (auto& face : faces) {
    std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
    result.insert(face);
  }
  return result;
}

void expect_closed(const std::vector<std::array<std::int32_t, 3>>& faces) {
  std::map<std::pair<int, int>, int> directed;
  std::set<int> vertices;
  for (const auto& face : faces) {
    for (int k = 0; k < 3; ++k) ++directed[{face[k], face[(k + 1) % 3]}], vertices.insert(face[k]);
  }
  for (const auto& [edge, count] : directed) {
    ASSERT_EQ(count, 1);
    ASSERT_TRUE(directed.contains({edge.second, edge.first}));
  }
  ASSERT_EQ(vertices.size() + faces.size(), directed.size() / 2 + 2);
}

TEST(ExactHull, AgreesWithQhullOnPointsInGeneralPosition) {
  Random random(81);
  for (int trial = 0; trial < 40; ++trial) {
    const Points points = unit_box(trial % 2 == 0 ? testing::sphere_points(60, random)
                                                  : testing::box_points(200, random));
    const HullTopology hull = convex_hull(points);
    std::vector<std::array<std::int32_t, 3>> expected = hull.faces;
    for (auto& face : expected) {
      for (std::int32_t& corner : face) corner = hull.vertices[corner];
    }
    EXPECT_EQ(rotated(exact_hull(points, kRounding)), rotated(expected));
  }
}

TEST(ExactHull, CoplanarPointsAndClustersGiveAClosedSurfaceAroundThem) {
  Random random(82);
  for (int trial = 0; trial < 30; ++trial) {
    Points points = trial % 2 == 0 ? testing::grid_points(5) : testing::prism_points(40);
    if (trial % 3 == 0) points = (random.rotation() * points).eval();
    if (trial % 5 == 0) {
      for (Eigen::Index i = 1; i < points.cols(); i += 2)
        points.col(i) = points.col(i - 1) + 1e-15 * random.direction();
    }
    points = unit_box(points);
    const auto faces = exact_hull(points, kRounding);
    ASSERT_GE(faces.size(), 4U);
    expect_closed(faces);
    for (const auto& face : faces) {
      const Wide a = points.col(face[0]).cast<long double>();
      const Wide n = (points.col(face[1]).cast<long double>() - a)
                         .cross(points.col(face[2]).cast<long double>() - a);
      if (n.norm() < 1e-3L) continue;  // a sliver's plane is turned far by moving its corners
      for (Eigen::Index i = 0; i < points.cols(); ++i) {
        ASSERT_LE(n.normalized().dot(points.col(i).cast<long double>() - a), 1e-12L);
      }
    }
    for (int i = 0; i < 100; ++i) {
      const Vector3 d = random.direction();
      double best = -1.0;
      for (const auto& face : faces) {
        for (const std::int32_t corner : face) best = std::max(best, d.dot(points.col(corner)));
      }
      EXPECT_LE((d.transpose() * points).maxCoeff() - best, 4.0 * kRounding);
    }
  }
}

TEST(ExactHull, FewerThanFourPointsHaveNoFaces) {
  EXPECT_TRUE(exact_hull(Points::Zero(3, 1), kRounding).empty());
  EXPECT_TRUE(exact_hull(Points::Identity(3, 3), kRounding).empty());
}

}  // namespace
}  // namespace tactum::exact_hull_test
