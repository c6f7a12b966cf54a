// SPDX-License-Identifier: BSD-2-Clause
// Projections are checked by the conditions that define them: the nearest point of a convex set is
// in the set, and the rest is normal to it.
#include "solver/problem/cone.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tactum::cone_test {
namespace {

using namespace tactum::testing;

Double3 random_point(Random& random) {
  return {random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)};
}

TEST(Cone, ProjectionObeysMoreau) {
  Random random(71);
  for (int i = 0; i < 20000; ++i) {
    const double mu = i % 10 == 0 ? 0.0 : random.log_uniform(1e-6, 1e3);
    const Double3 v = random_point(random), nearest = project_cone(v, mu), rest = nearest - v;
    EXPECT_LE(tangent_norm(nearest), mu * nearest.z + 1e-14) << mu;
    // the rest is in the dual cone, mu |rest_T| <= rest_N, and orthogonal to the projection
    EXPECT_LE(mu * tangent_norm(rest), rest.z + 1e-12 * (1 + mu)) << mu;
    EXPECT_NEAR(dot(nearest, rest), 0.0, 1e-12);
    EXPECT_NEAR(dual_cone_distance(-1.0 * v, mu), nearest.norm(), 1e-14);
  }
}

TEST(Cone, PointsOnTheAxisAndAtTheTip) {
  EXPECT_EQ(project_cone({0, 0, 0}, 0.5).norm(), 0.0);
  EXPECT_EQ(project_cone({0, 0, 3}, 0.0).z, 3.0);
  EXPECT_EQ(project_cone({0, 0, -3}, 0.5).norm(), 0.0);
  EXPECT_EQ(project_cone({1, 1, 3}, 0.0).norm(), 3.0);
}

TEST(Cone, SlopeIsTheDerivativeOfTheProjection) {
  Random random(72);
  constexpr double h = 1e-6;
  int compared = 0;
  for (int i = 0; i < 2000; ++i) {
    const double mu = random.log_uniform(0.1, 10);
    const Double3 v = random_point(random), along = random_point(random);
    const ConeProjectionSlope slope = project_cone_slope(v, mu),
                              before = project_cone_slope(v - 2 * h * along, mu),
                              behind = project_cone_slope(v + 2 * h * along, mu);
    if (before.rank != slope.rank || behind.rank != slope.rank) continue;  // across an edge
    if (tangent_norm(v) < 0.05) continue;
    ++compared;
    Double3 change{0, 0, 0};
    for (int k = 0; k < slope.rank; ++k)
      change = change + dot(slope.columns[k], along) * slope.columns[k];
    const Double3 difference = (0.5 / h) *
                               (project_cone(v + h * along, mu) - project_cone(v - h * along, mu));
    EXPECT_LT((difference - change).norm(), 1e-6 * (1 + mu)) << i;
  }
  EXPECT_GT(compared, 1500);
}

TEST(Cone, DiscsHoldTheirProjections) {
  Random random(73);
  for (int i = 0; i < 1000; ++i) {
    const Double2 v{random.uniform(-2, 2), random.uniform(-2, 2)};
    const double radius = random.uniform(-0.5, 2);
    const Double2 nearest = project_disc(v, radius);
    EXPECT_LE(nearest.norm(), std::max(radius, 0.0) + 1e-15);
    EXPECT_TRUE(v.norm() > radius || nearest.x == v.x);
    EXPECT_NEAR(nearest.x * v.y, nearest.y * v.x, 1e-14);
  }
}

/// The corners of the polygon are computed in another way: as meeting points of neighboring
/// tangents.
TEST(Cone, PolygonAgreesWithItsCorners) {
  Random random(74);
  for (int i = 0; i < 2000; ++i) {
    const int facets = 3 + random.below(10);
    const double angle = random.uniform(-3, 3), sector = 6.283185307179586 / facets,
                 radius = random.uniform(0, 2), reach = radius / std::cos(sector / 2);
    const Polygon polygon(facets, angle);
    const Double2 v{random.uniform(-3, 3), random.uniform(-3, 3)};
    double support = -1e9, nearest = 1e9;
    bool inside = true;
    for (int k = 0; k < facets; ++k) {
      const double a = angle + (k - 0.5) * sector, b = a + sector, normal = angle + k * sector;
      const Double2 p{reach * std::cos(a), reach * std::sin(a)},
          q{reach * std::cos(b), reach * std::sin(b)};
      support = std::max(support, p.x * v.x + p.y * v.y);
      inside &= std::cos(normal) * v.x + std::sin(normal) * v.y <= radius;
      const double ex = q.x - p.x, ey = q.y - p.y, square = ex * ex + ey * ey;
      const double share = square > 0 ? std::clamp(((v.x - p.x) * ex + (v.y - p.y) * ey) / square,
                                                   0.0, 1.0)
                                      : 0.0;
      nearest = std::min(nearest, std::hypot(v.x - p.x - share * ex, v.y - p.y - share * ey));
    }
    EXPECT_NEAR(radius * polygon.support(v), support, 1e-12) << facets;
    EXPECT_NEAR(polygon.distance(v, radius), inside ? 0.0 : nearest, 1e-12) << facets;
  }
}

TEST(Cone, DesaxceAddsTheSlidingSpeed) {
  const Double3 shifted = desaxce({3, 4, 1}, 0.5);
  EXPECT_EQ(shifted.x, 3.0);
  EXPECT_EQ(shifted.y, 4.0);
  EXPECT_EQ(shifted.z, 3.5);
}

}  // namespace
}  // namespace tactum::cone_test
