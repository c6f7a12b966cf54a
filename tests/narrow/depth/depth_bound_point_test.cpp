// SPDX-License-Identifier: BSD-2-Clause
// Depth from one point: never below the true distance of the cores, equal to it at corners; balls
// in ellipsoids by their supports.
#include "narrow/depth/depth_bound_point.hpp"

#include "narrow/narrow_fixtures.hpp"
#include "support/ball_intersection.hpp"

namespace tactum::depth_bound_point_test {
namespace {

using namespace tactum::testing;

double upper_of(const TestPair& test, const SeparationOptimum& optimum) {
  const CorePair pair = test.cores();
  return upper_bound_by_points(pair, optimum);
}

TEST(DepthBoundPoint, CornerOfABoxInACylinder) {
  // the corner (0.1, 0.1, 0.1) of the box is 0.04 deep in the side of the cylinder, 0.1 below its
  // cap
  const double r = 0.3, in = r - 0.04;
  const TestPair test{Cylinder{.radius = r, .half_length = 0.3},
                      Box{.half_extents = {0.1, 0.1, 0.1}}, at(in + 0.1, 0.1, 0.1)};
  const Vector3 corner(in, 0.0, 0.0);
  const SeparationOptimum sideways{Vector3::UnitX(), -0.04, {r, 0.0, 0.0}, corner, 0.0};
  EXPECT_NEAR(upper_of(test, sideways), -0.04, 4e-15);
}

TEST(DepthBoundPoint, RimOnTheAxisOfACylinder) {
  // every direction across the axis is equally good, which does not disturb the proof
  const TestPair test{Cylinder{.radius = 0.1, .half_length = 0.4},
                      Cylinder{.radius = 0.2, .half_length = 0.5},
                      {Random::turn(Vector3::UnitX(), M_PI / 2.0), {0.2, 0.5, 0.0}}};
  const SeparationOptimum along{{0.6, 0.8, 0.0}, -0.1, {0.06, 0.08, 0.0}, {0.0, 0.0, 0.0}, 0.0};
  EXPECT_NEAR(upper_of(test, along), -0.1, 4e-15);
}

/// The depth of a point in a volume is exact: it is the largest distance to a center, and the least
/// depth along many directions.
TEST(DepthBoundPoint, PointsInVolumes) {
  Random random(343);
  const std::vector<Vector3> directions = lattice_directions(60);
  int inside = 0;
  for (int i = 0; i < 200; ++i) {
    Points points(3, 2 + random.below(9));
    for (auto point : points.colwise()) point = random.in_box(0.3);
    const double alpha = (points.colwise() - points.rowwise().mean()).colwise().norm().maxCoeff() *
                         (1.0 + random.log_uniform(1e-2, 1e3));
    const Shape volume = Stp::from_points(points, {.small_radius = 0.0, .big_radius = alpha});
    // mostly near the middle, at times on the axis of an edge
    const Vector3 p = i % 4 == 0 ? Vector3(0.3 * points.col(0) + 0.7 * points.col(1))
                                 : Vector3(points.rowwise().mean() + random.in_box(0.1));
    const TestPair test{volume, Sphere{.radius = 0.1}, at(p.x(), p.y(), p.z())};
    const double upper = upper_of(test, {Vector3::UnitX(), -0.1, p, p, 0.0});
    const BallIntersection centers(points, alpha);
    const double truth = static_cast<double>((widen(p) - centers.farthest(widen(p))).norm() -
                                             centers.alpha());
    if (!(truth < 0.0)) {
      EXPECT_GE(upper, -1e-14) << i;
      continue;
    }
    ++inside;
    EXPECT_NEAR(upper, truth, 1e-13) << i;
    for (const Vector3& n : directions)
      EXPECT_LE(static_cast<double>(test.separation_of_cores(n)), upper + 1e-14) << i;
  }
  EXPECT_GT(inside, 50);
}

TEST(DepthBoundPoint, HullsHaveNone) {
  const Shape hull = Convex::from_points(
      (Points(3, 4) << 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1).finished());
  const TestPair test{hull, hull, at(0.2, 0.2, 0.2)};
  EXPECT_EQ(upper_of(test, {Vector3::UnitX(), -0.1, {0.2, 0.2, 0.2}, {0.1, 0.2, 0.2}, 0.0}),
            kInfinity);
}

/// A ball of the claimed radius lies inside: none of its supports is beyond that of the ellipsoid.
TEST(DepthBoundPoint, BallsInEllipsoids) {
  Random random(341);
  const std::vector<Vector3> directions = lattice_directions(300);
  for (int i = 0; i < 400; ++i) {
    Vector3 axes = random_sizes(random);
    if (i % 4 == 0) axes.y() = axes.x();
    const Shape ellipsoid = Ellipsoid{.semi_axes = axes};
    const CoreShape& core = ellipsoid.core();
    // a point below the surface, at most as deep as the radius of curvature there
    const Vector3 n = random.direction(), image = axes.cwiseProduct(n),
                  surface = axes.cwiseProduct(image) / image.norm();
    const double depth = random.uniform(0.05, 1.0) * std::pow(axes.minCoeff(), 2) / axes.maxCoeff();
    const Vector3 p = surface - depth * n;
    const TestPair test{ellipsoid, Sphere{.radius = 0.1}, at(p.x(), p.y(), p.z())};
    const SeparationOptimum optimum{n, core.inner_radius - depth, surface - core.inner_radius * n,
                                    p, 0.0};
    const double claimed = core.inner_radius - upper_of(test, optimum);
    EXPECT_NEAR(claimed, depth, 1e-13 * test.scale()) << i;
    for (const Vector3& m : directions) {
      const Real most = widen(Vector3(axes.cwiseProduct(m))).norm();
      EXPECT_LE(static_cast<double>(widen(p).dot(widen(m)) - most) + claimed, 1e-15) << i;
    }
  }
}

TEST(DepthBoundPoint, NeverBelowTheTruth) {
  Random random(342);
  int proved = 0;
  for (int i = 0; i < 600; ++i) {
    const TestPair test = random_solids(random, 0.35);
    Real error = 0;
    const double truth = static_cast<double>(test.core_truth(&error)),
                 off = static_cast<double>(error);
    if (!(truth < -1e-4)) continue;
    CorePair pair = test.cores();
    for (int start = 0; start < 8; ++start) {
      const Vector3 n = random.direction();
      const MinkowskiPoint point = pair.support(n);
      const double lower = n.dot(point.w);
      const double upper = upper_of(test, {n, lower, point.a, point.b(), 0.0});
      EXPECT_GE(upper, truth - off - 8.0 * kEps * test.scale())
          << i << " " << test.a.to_string() << " " << test.b.to_string();
      proved += upper < 0.0 ? 1 : 0;
    }
  }
  EXPECT_GT(proved, 100);
}

}  // namespace
}  // namespace tactum::depth_bound_point_test
