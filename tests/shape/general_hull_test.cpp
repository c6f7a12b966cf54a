// SPDX-License-Identifier: BSD-2-Clause
// The incremental hull against the hull of Qhull: the same extreme points, a closed surface, and no point outside.
#include "shape/general_hull.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <set>

#include "shape/convex_hull.hpp"
#include "support/random.hpp"
#include "support/repetitions.hpp"

namespace tactum::general_hull_test {
namespace {

using testing::Random;
using testing::repetitions;

TEST(GeneralHull, SameVerticesAsQhull) {
  Random random(951);
  for (int k = 0; k < repetitions(200); ++k) {
    const int count = 4 + random.below(k % 20 == 0 ? 1500 : 60);
    Points points(3, count);
    for (auto point : points.colwise()) {
      point = k % 2 == 0 ? random.direction() : random.in_box(1.0);
      if (k % 3 == 0) point.z() *= 1e-3;
    }
    std::vector<Wide3> wide;
    for (const auto& point : points.colwise()) wide.push_back(point.cast<Wide>());
    const HalfEdgeMesh mesh = general_hull(wide, 0.0);
    const HullTopology hull = convex_hull(points);
    const std::set<std::int32_t> ours(mesh.origin.begin(), mesh.origin.end()), theirs(hull.vertices.begin(), hull.vertices.end());
    ASSERT_EQ(ours, theirs) << k;
    ASSERT_EQ(mesh.origin.size(), 3 * hull.faces.size());
    for (std::size_t h = 0; h < mesh.origin.size(); ++h) {
      const auto twin = static_cast<std::size_t>(mesh.twin[h]);
      ASSERT_EQ(static_cast<std::size_t>(mesh.twin[twin]), h);
      ASSERT_EQ(mesh.origin[twin], mesh.origin[h % 3 == 2 ? h - 2 : h + 1]);
    }
    for (std::size_t f = 0; f < mesh.origin.size() / 3; ++f) {
      const Wide3& a = wide[static_cast<std::size_t>(mesh.origin[3 * f])];
      const Wide3 u = wide[static_cast<std::size_t>(mesh.origin[3 * f + 1])] - a,
                  v = wide[static_cast<std::size_t>(mesh.origin[3 * f + 2])] - a;
      const Wide3 normal = u.cross(v).normalized();
      for (std::size_t i = 0; i < wide.size(); i += 1 + wide.size() / 64) ASSERT_LE(normal.dot(wide[i] - a), 1e-17L);
    }
  }
}

TEST(GeneralHull, DuplicatesAndSetsWithoutVolume) {
  std::vector<Wide3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_EQ(general_hull(corners, 1e-13).origin.size(), 12U);
  corners.push_back({1.0L + 1e-14L, 0, 0});
  corners.push_back({0.1L, 0.1L, 0.1L});
  EXPECT_EQ(general_hull(corners, 1e-13).origin.size(), 12U);
  EXPECT_TRUE(general_hull(std::vector<Wide3>(3, Wide3::Zero()), 0.0).origin.empty());
  const std::vector<Wide3> flat{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
  EXPECT_TRUE(general_hull(flat, 0.0).origin.empty());
}

}  // namespace
}  // namespace tactum::general_hull_test
