// SPDX-License-Identifier: BSD-2-Clause
// Features against their definition: corners are points of the core, in order, as many as the
// angles say; boxes against hulls of their corners.
#include "contact/flat_feature.hpp"

#include "contact/contact_fixtures.hpp"

namespace tactum::flat_feature_test {
namespace {

using namespace tactum::testing;

/// A core at the origin that looks along n (sign 1) or against it (sign -1).
SeenCore seen(const Shape& shape, const Vector3& n, double sign) {
  return {shape.core(), {}, TangentPlane(to_double3(n)), {0.0, 0.0, 0.0}, sign};
}

FlatFeature feature_of(const Shape& shape, const Vector3& n, double angle, double sign = 1.0) {
  FlatFeature feature;
  find_flat_feature(seen(shape, n, sign), {std::sin(angle)}, feature);
  return feature;
}

Vector3 corner_of(const FlatFeature& feature, int i, const Vector3& n) {
  const TangentPlane plane(to_double3(n));
  return to_vector3(plane.lift(feature.corner(i)) +
                    feature.height[static_cast<std::size_t>(i)] * plane.normal);
}

Vector3 near_to(const Vector3& axis, double angle, double azimuth) {
  const TangentPlane plane(to_double3(axis.normalized()));
  return (std::cos(angle) * axis.normalized() +
          std::sin(angle) * to_vector3(plane.lift({std::cos(azimuth), std::sin(azimuth)})))
      .normalized();
}

TEST(FlatFeature, NumberOfCorners) {
  const Shape box = Box{.half_extents = {0.3, 0.2, 0.1}},
              cylinder = Cylinder{.radius = 0.2, .half_length = 0.4};
  const Shape cone = Cone{.radius = 0.3, .half_length = 0.2},
              capsule = Capsule{.radius = 0.1, .half_length = 0.3};
  // normal of the generator at azimuth 0
  const Vector3 z = Vector3::UnitZ(), slant = Vector3(0.4, 0.0, 0.3).normalized();
  const auto count = [](const Shape& shape, const Vector3& n) {
    return feature_of(shape, n, 0.05).count;
  };
  EXPECT_EQ(count(box, near_to(z, 0.049, 0.3)), 4);
  EXPECT_EQ(count(box, near_to(z, 0.051, 0.3)), 2);  // still within the angle of one pair of edges
  EXPECT_EQ(count(box, near_to(z, 0.06, 0.785398)), 2);
  EXPECT_EQ(count(box, near_to(z, 0.08, 0.785398)), 1);
  EXPECT_EQ(count(box, near_to({1, 1, 0}, 0.04, 1.0)), 2);
  EXPECT_EQ(count(box, Vector3(1, 1, 1).normalized()), 1);
  EXPECT_EQ(count(cylinder, near_to(-z, 0.049, 2.0)), 16);
  EXPECT_EQ(count(cylinder, near_to(z, 0.051, 2.0)), 1);
  EXPECT_EQ(count(cylinder, near_to({1, 2, 0}, 0.049, 0.1)), 2);
  EXPECT_EQ(count(cone, near_to(-z, 0.049, 2.0)), 16);
  EXPECT_EQ(count(cone, z), 1);
  EXPECT_EQ(count(cone, slant), 2);
  EXPECT_EQ(count(cone, near_to(slant, 0.3, 0.0)), 1);
  // a cone so blunt that its axis is within the angle of its side: the generator where the
  // direction is closer to its normal
  const Shape blunt = Cone{.radius = 1.0, .half_length = 0.01};
  EXPECT_EQ(count(blunt, near_to(z, std::atan(0.02), 1.0)), 2);
  EXPECT_EQ(count(blunt, near_to(z, 0.03, 1.0)), 2);
  EXPECT_EQ(count(blunt, near_to(z, 0.005, 1.0)), 1);
  EXPECT_EQ(count(capsule, Vector3::UnitX()), 2);
  EXPECT_EQ(count(capsule, z), 1);
  EXPECT_EQ(count(Sphere{}, z), 1);
  EXPECT_EQ(count(Ellipsoid{.semi_axes = {1, 2, 3}}, z), 1);
  EXPECT_TRUE(feature_of(HalfSpace{}, z, 0.05).unbounded);
}

/// Corners lie on the core, counter-clockwise, level within the angle; between them the height is
/// that of the surface.
TEST(FlatFeature, CornersBelongToTheShape) {
  Random random(51);
  int polygons = 0, lines = 0;
  for (int i = 0; i < repetitions(3000); ++i) {
    const Shape shape = random_solid(random);
    if (shape.kind() == ShapeKind::ellipsoid) continue;
    Vector3 n = random.direction();
    if (random.chance(0.5))
      n = near_to(i % 2 == 0 ? Vector3::UnitX() : Vector3::UnitZ(), 0.04 * random.uniform(),
                  6.28 * random.uniform());
    const double sign = random.sign();
    const Vector3 u = sign * n;
    const FlatFeature feature = feature_of(shape, n, 0.05, sign);
    ASSERT_GE(feature.count, 1);
    (feature.count > 2 ? polygons : lines) += feature.count > 1 ? 1 : 0;
    const ConvexBody body(shape, Pose{});
    int visited = 0;
    const double top = core_support(shape.core(), u, visited).point.dot(u);
    for (int k = 0; k < feature.count; ++k) {
      const Vector3 corner = corner_of(feature, k, n);
      EXPECT_LE(static_cast<double>(body.distance_to_core(widen(corner))), 1e-14)
          << shape.to_string();
      EXPECT_LE(corner.dot(u), top + 1e-14);
      if (feature.count < 3) continue;
      const Double2 e = feature.corner(feature.next(k)) - feature.corner(k),
                    f = feature.corner(feature.next(feature.next(k))) -
                        feature.corner(feature.next(k));
      EXPECT_GT(cross(e, f), 0.0);
      // half way to the opposite corner: the point at that height is on the surface
      const Double2 middle = 0.5 * (feature.corner(k) +
                                    feature.corner((k + feature.count / 2) % feature.count));
      const TangentPlane plane(to_double3(n));
      const FeatureHeight height = height_at(seen(shape, n, sign), feature, middle);
      const Vector3 on = to_vector3(plane.lift(middle) + height.height * plane.normal);
      EXPECT_LE(static_cast<double>(body.distance_to_core(widen(on))), 1e-13);
      EXPECT_GT(static_cast<double>(body.distance_to_core(widen(Vector3(on + 1e-6 * u)))), 0.9e-6);
    }
  }
  EXPECT_GT(polygons, repetitions(300));
  EXPECT_GT(lines, repetitions(200));
}

/// A box and the hull of its corners, which finds its features by walking.
TEST(FlatFeature, BoxesAreHullsOfTheirCorners) {
  Random random(52);
  for (int i = 0; i < repetitions(2000); ++i) {
    const Vector3 half = random_sizes(random);
    const Vector3 n = near_to(random.chance(0.5) ? Vector3::UnitY() : Vector3(0, 1, -1),
                              0.05 * random.uniform(), 6.28 * random.uniform());
    const double sign = random.sign();
    const FlatFeature box = feature_of(Box{.half_extents = half}, n, 0.06, sign),
                      hull = feature_of(box_hull(half), n, 0.06, sign);
    ASSERT_EQ(box.count, hull.count);
    for (int k = 0; k < box.count; ++k) {
      double nearest = kInfinity;
      for (int m = 0; m < hull.count; ++m)
        nearest = std::min(nearest, (corner_of(box, k, n) - corner_of(hull, m, n)).norm());
      EXPECT_LE(nearest, 1e-14);
    }
  }
}

TEST(FlatFeature, AnglesCloseToTheLimitAreNamed) {
  const Shape shapes[] = {Box{.half_extents = {0.3, 0.2, 0.1}},
                          Cylinder{.radius = 0.2, .half_length = 0.4},
                          Cone{.radius = 0.3, .half_length = 0.2}};
  for (const Shape& shape : shapes) {
    const Vector3 down = -Vector3::UnitZ();
    EXPECT_TRUE(feature_of(shape, near_to(down, 0.05, 0.3), 0.05).borderline) << shape.to_string();
    EXPECT_FALSE(feature_of(shape, near_to(down, 0.0501, 0.3), 0.05).borderline)
        << shape.to_string();
    EXPECT_FALSE(feature_of(shape, near_to(down, 0.0499, 0.3), 0.05).borderline)
        << shape.to_string();
  }
  EXPECT_TRUE(feature_of(Capsule{.radius = 0.1, .half_length = 0.3},
                         Vector3(std::cos(0.05), 0.0, std::sin(0.05)), 0.05)
                  .borderline);
  // two edges of a box that are as level as each other, where their face is not
  EXPECT_TRUE(feature_of(shapes[0], near_to(Vector3::UnitZ(), 0.06, M_PI / 4), 0.05).borderline);
}

}  // namespace
}  // namespace tactum::flat_feature_test
