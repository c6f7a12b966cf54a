// SPDX-License-Identifier: BSD-2-Clause
// Outlines of hulls: merged facets, noise, many corners; heights against the least of all planes.
#include "contact/hull_feature.hpp"

#include <set>

#include "contact/contact_fixtures.hpp"

namespace tactum::hull_feature_test {
namespace {

using namespace tactum::testing;

struct Seen {
  Convex hull;
  Shape shape;
  SeenCore core;
  FlatFeature feature;

  Seen(const Convex& of, const Vector3& n, double sine, double sign = 1.0)
      : hull(of),
        shape(of),
        core(shape.core(), {}, TangentPlane(to_double3(n)), {0.0, 0.0, 0.0}, sign) {
    add_hull_feature(core, {sine}, feature);
  }
  double area() const {
    std::vector<Point2> corners;
    for (int i = 0; i < feature.count; ++i)
      corners.emplace_back(feature.corner(i).x, feature.corner(i).y);
    return static_cast<double>(hull_area(corners));
  }
};

/// A slab whose faces are full of points, all of them moved by up to `noise`.
Convex bumpy_slab(Random& random, double noise) {
  Points points(3, 200);
  for (int i = 0; i < 200; ++i) {
    const double sign = i % 2 == 0 ? 1.0 : -1.0;
    points.col(i) = Vector3(random.uniform(-1, 1), random.uniform(-1, 1),
                            sign * (0.2 + noise * random.uniform()));
  }
  for (int i = 0; i < 8; ++i)
    points.col(i) = Vector3((i & 1) ? 1 : -1, (i & 2) ? 1 : -1, (i & 4) ? 0.2 : -0.2);
  return Convex::from_points(points);
}

TEST(HullFeature, FacetsAreMerged) {
  Random random(61);
  const Seen flat(bumpy_slab(random, 0.0), Vector3::UnitZ(), 1e-6);
  EXPECT_EQ(flat.feature.count, 4);
  EXPECT_NEAR(flat.area(), 4.0, 1e-12);
  for (const double noise : {1e-9, 1e-6, 1e-3}) {
    const Seen rough(bumpy_slab(random, noise), Vector3::UnitZ(), 0.05, -1.0);
    EXPECT_NEAR(rough.area(), 4.0, 1e-12) << noise;
  }
}

/// Seen along a direction, the surface of a hull is the least of the planes that face it.
TEST(HullFeature, HeightsAreTheLeastPlane) {
  Random random(62);
  for (int i = 0; i < repetitions(300); ++i) {
    const Convex hull = i % 2 == 0 ? bumpy_slab(random, 0.01)
                                   : random_hull(random, 5 + random.below(150));
    const double sign = random.sign();
    const Vector3 n = i % 2 == 0 ? Vector3::UnitZ() : random.direction(), u = sign * n;
    const Seen seen(hull, n, 0.3, sign);
    if (seen.feature.count < 3) continue;
    for (int k = 0; k < 10; ++k) {
      // a random point of the outline
      Double2 at{0.0, 0.0};
      double total = 0.0;
      for (int m = 0; m < seen.feature.count; ++m) {
        const double weight = random.uniform();
        at = at + weight * seen.feature.corner(m);
        total += weight;
      }
      at = (1.0 / total) * at;
      const Vector3 foot = to_vector3(seen.core.axes.lift(at));
      double least = kInfinity;
      for (const ConvexPolytope::Plane& plane : hull.polytope().planes()) {
        if (plane.normal.dot(u) > 1e-3)
          least = std::min(least, (plane.offset - plane.normal.dot(foot)) / plane.normal.dot(u));
      }
      const FeatureHeight height = hull_height_at(seen.core, seen.feature, at);
      EXPECT_NEAR(sign * height.height, least, 1e-12) << i;
      const FeatureHeight beside = hull_height_at(seen.core, seen.feature,
                                                  at + Double2{1e-9, -2e-9});
      EXPECT_NEAR(beside.height, height.height + dot(height.slope, {1e-9, -2e-9}), 1e-9 * 0.5);
    }
  }
}

TEST(HullFeature, ManyCorners) {
  const int sides = 300;
  Points points(3, 2 * sides);
  for (int i = 0; i < sides; ++i) {
    const double angle = 2.0 * M_PI * i / sides;
    points.col(i) = Vector3(std::cos(angle), std::sin(angle), 0.5);
    points.col(sides + i) = Vector3(std::cos(angle), std::sin(angle), -0.5);
  }
  const Seen seen(Convex::from_points(points), Vector3::UnitZ(), 1e-3);
  EXPECT_EQ(seen.feature.count, FlatFeature::kCapacity);
  EXPECT_GT(seen.area(), 0.99 * M_PI);
  EXPECT_LT(seen.area(), M_PI);
}

/// A shape that is turned shows the same corners of the many.
TEST(HullFeature, TheChoiceOfManyCornersTurnsWithTheShape) {
  Random random(64);
  Points points(3, 120);
  for (int i = 0; i < 60; ++i) {
    const double angle = 6.283 * random.uniform();
    points.col(2 * i) = Vector3(std::cos(angle), std::sin(angle), 0.5);
    points.col(2 * i + 1) = Vector3(std::cos(angle), std::sin(angle), -0.5);
  }
  const Shape drum = Convex::from_points(points);
  const Vector3 axis(0.01, 0.02, 1.0);
  std::set<std::uint32_t> first;
  for (int i = 0; i < 20; ++i) {
    const Pose X{random.rotation(), random.in_box(1.0)};
    FlatFeature feature;
    add_hull_feature({drum.core(),
                      X,
                      TangentPlane(to_double3(X.rotation * axis.normalized())),
                      {0.0, 0.0, 0.0},
                      1.0},
                     {0.05}, feature);
    EXPECT_FALSE(feature.borderline);
    const std::set<std::uint32_t> corners(feature.vertices.begin(),
                                          feature.vertices.begin() + feature.count);
    EXPECT_GT(corners.size(), 20U);
    EXPECT_LE(corners.size(), static_cast<std::size_t>(FlatFeature::kCapacity));
    if (i == 0) first = corners;
    EXPECT_EQ(corners, first) << i;
  }
}

TEST(HullFeature, FlatHullsAndEdges) {
  Random random(63);
  const Convex polygon = random_polygon(random, 12);
  for (const double sign : {1.0, -1.0}) {
    const Seen seen(polygon, Vector3(0.01, 0.02, 1.0).normalized(), 0.05, sign);
    EXPECT_EQ(seen.feature.count, polygon.num_vertices());
    EXPECT_TRUE(seen.feature.planar);
    const Seen edge(hull_of({{0, 0, 0}, {0, 1, 0}, {1, 0, -1}, {-1, 0, -1}}), Vector3::UnitZ(),
                    0.05);
    ASSERT_EQ(edge.feature.count, 2);
    EXPECT_LT(edge.feature.vertices[0], edge.feature.vertices[1]);
  }
}

}  // namespace
}  // namespace tactum::hull_feature_test
