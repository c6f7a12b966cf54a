// SPDX-License-Identifier: BSD-2-Clause
// Ball hulls against all triples of points tried one by one; sets with every kind of tie, turned,
// point by point against every ball; both precisions.
#include "shape/stp/ball_hull.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <set>

#include "shape/check/smallest_sphere.hpp"
#include "shape/stp_clouds.hpp"
#include "support/repetitions.hpp"

namespace tactum::ball_hull_test {
namespace {

using namespace tactum::testing;
using Triple = std::array<std::int32_t, 3>;

std::vector<Wide3> widened(const Points& points) {
  std::vector<Wide3> found;
  for (const auto& point : points.colwise()) found.push_back(point.cast<Wide>());
  return found;
}

/// Every oriented triple whose ball, with its center behind the triangle, holds all points.
std::set<Triple> triangles_by_trial(const std::vector<Wide3>& points, Wide alpha) {
  std::set<Triple> found;
  const auto count = static_cast<std::int32_t>(points.size());
  for (std::int32_t i = 0; i < count; ++i) {
    for (std::int32_t j = i + 1; j < count; ++j) {
      for (std::int32_t k = i + 1; k < count; ++k) {
        if (k == j) continue;
        const Wide3 u = points[j] - points[i], v = points[k] - points[i], n = u.cross(v);
        const Wide3 q = (u.squaredNorm() * v - v.squaredNorm() * u).cross(n) /
                        (2.0L * n.squaredNorm());
        if (q.squaredNorm() > alpha * alpha) continue;
        const Wide3 center = points[i] + q -
                             std::sqrt(alpha * alpha - q.squaredNorm()) * n.normalized();
        if (std::ranges::all_of(
                points, [&](const Wide3& p) { return (p - center).norm() <= alpha + 1e-15L; }))
          found.insert({i, j, k});
      }
    }
  }
  return found;
}

/// The triangles, each from its least corner.
std::set<Triple> triangles_of(const BallHull& hull) {
  std::set<Triple> found;
  for (std::size_t h = 0; h < hull.origin.size(); h += 3) {
    Triple triple{hull.origin[h], hull.origin[h + 1], hull.origin[h + 2]};
    std::rotate(triple.begin(), std::ranges::min_element(triple), triple.end());
    found.insert(triple);
  }
  return found;
}

TEST(BallHull, TrianglesAreThoseThatATrialOfAllFinds) {
  Random random(921);
  int without_triangles = 0;
  for (int k = 0; k < repetitions(600); ++k) {
    Points points(3, 2 + random.below(9));
    for (auto point : points.colwise())
      point = k % 3 == 0 ? random.direction() : random.in_box(1.0);
    if (k % 4 == 1) points.row(2) *= 1e-3;
    const double alpha = smallest_sphere(points).radius * (1.0 + random.log_uniform(1e-4, 1e2));
    const std::vector<Wide3> wide = widened(points);
    for (const Digits digits : {Digits::extended, Digits::quadruple}) {
      const BallHull hull = ball_hull(wide, alpha, 0.0L, digits);
      ASSERT_TRUE(hull.is_sound) << k;
      ASSERT_EQ(triangles_of(hull), triangles_by_trial(wide, alpha)) << k;
      ASSERT_EQ(hull.origin.empty(), hull.carrier.size() == 2) << k;
      for (std::size_t h = 0; h < hull.origin.size(); ++h) {
        const auto twin = static_cast<std::size_t>(hull.twin[h]);
        ASSERT_EQ(static_cast<std::size_t>(hull.twin[twin]), h);
        ASSERT_EQ(hull.origin[twin], hull.origin[h % 3 == 2 ? h - 2 : h + 1]);
        ASSERT_EQ(hull.wide[twin], hull.wide[h]);
      }
    }
    without_triangles += triangles_by_trial(wide, alpha).empty() ? 1 : 0;
  }
  EXPECT_GT(without_triangles, repetitions(600) / 20);
}

TEST(BallHull, DoubtIsSaid) {
  // four corners of a square and no move: the sphere through three passes the fourth
  Points square(3, 4);
  square << 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0;
  EXPECT_FALSE(ball_hull(widened(square), 2.0L, 0.0L, Digits::extended).is_sound);
}

TEST(BallHull, OnePointAndItsRepetitions) {
  const BallHull hull = ball_hull(widened(Points::Constant(3, 5, 0.25)), 1.0L, 1e-15L,
                                  Digits::extended);
  EXPECT_TRUE(hull.is_sound);
  EXPECT_EQ(hull.carrier.size(), 1U);
  EXPECT_TRUE(hull.origin.empty());
}

}  // namespace
}  // namespace tactum::ball_hull_test
