// SPDX-License-Identifier: BSD-2-Clause
// Support Hessians against differences of the support points, and the features of flat shapes by
// name.
#include "shape/support/support_hessian.hpp"

#include <gtest/gtest.h>

#include "shape/support/core_support.hpp"
#include "support/random.hpp"

namespace tactum::support_hessian_test {
namespace {

using testing::Random;

constexpr FeatureTolerance kTolerance{1e-10, 1e-9};

/// Core point along u, with the inner radius of an ellipsoid put back.
Double3 support_point(const Shape& shape, Double3 u) {
  int visited = 0;
  return core_support(shape.core(), u, visited).point + shape.core().inner_radius * u;
}

SupportFeature feature_at(const Shape& shape, Double3 u, Double3 p) {
  return support_feature(shape.core(), TangentPlane(u), u, p, kTolerance);
}

/// d s / d u along two tangents, by differences.
Matrix22 differences(const Shape& shape, const TangentPlane& plane) {
  const double h = 1e-5;
  const auto slope = [&](Double3 t) {
    const Double3 ahead = plane.normal + h * t, behind = plane.normal - h * t;
    return plane.project((0.5 / h) * (support_point(shape, (1.0 / ahead.norm()) * ahead) -
                                      support_point(shape, (1.0 / behind.norm()) * behind)));
  };
  const Double2 first = slope(plane.x), second = slope(plane.y);
  return {first.x, second.x, first.y, second.y};
}

double largest(const Matrix22& m) {
  return std::max({std::abs(m.xx), std::abs(m.xy), std::abs(m.yx), std::abs(m.yy)});
}

TEST(SupportHessian, CurvedSurfacesAgreeWithDifferences) {
  Random random(611);
  for (int i = 0; i < 400; ++i) {
    const double r = random.uniform(0.1, 0.5), l = random.uniform(0.1, 0.5);
    const Vector3 axes(random.uniform(0.1, 0.5), random.uniform(0.1, 0.5),
                       random.uniform(0.1, 0.5));
    const Shape shapes[] = {
        Ellipsoid{.semi_axes = axes},           Cylinder{.radius = r, .half_length = l},
        Cone{.radius = r, .half_length = l},    Box{.half_extents = axes},
        Capsule{.radius = r, .half_length = l}, Sphere{.radius = r}};
    const Vector3 direction = random.direction();
    // a little away from axes, equator and the cone's slope, where pieces change
    const double radial = std::hypot(direction.x(), direction.y());
    if (direction.cwiseAbs().minCoeff() < 1e-3 || radial < 0.05 ||
        std::abs(2.0 * l * direction.z() - r * radial) < 1e-3)
      continue;
    for (const Shape& shape : shapes) {
      const Double3 u = to_double3(direction);
      const SupportFeature feature = feature_at(shape, u, support_point(shape, u));
      SCOPED_TRACE(shape.to_string());
      EXPECT_EQ(feature.dimension, 0);
      EXPECT_TRUE(feature.holds_point && feature.interior);
      EXPECT_LE(largest(feature.hessian - differences(shape, TangentPlane(u))), 1e-5);
      EXPECT_FALSE(
          feature_at(shape, u, support_point(shape, u) + Double3{1e-3, 1e-3, 1e-3}).holds_point);
    }
  }
}

TEST(SupportHessian, GeneratorOfACylinder) {
  const Shape shape = Cylinder{.radius = 0.2, .half_length = 0.3};
  const Double3 u{0.6, 0.8, 0.0};
  const TangentPlane plane(u);
  const SupportFeature feature = feature_at(shape, u, {0.12, 0.16, 0.1});
  EXPECT_EQ(feature.dimension, 1);
  EXPECT_TRUE(feature.holds_point && feature.interior);
  // free along the axis, the curvature of a circle across it
  EXPECT_NEAR(std::abs(dot(feature.edge, plane.project({0.0, 0.0, 1.0}))), 1.0, 1e-15);
  const Double2 across = plane.project({-0.8, 0.6, 0.0});
  EXPECT_NEAR(dot(across, feature.hessian * across), 0.2, 1e-15);
  EXPECT_LE((feature.hessian * feature.edge).norm(), 1e-15);
  EXPECT_FALSE(feature_at(shape, u, {0.12, 0.16, 0.3}).interior);
  EXPECT_FALSE(feature_at(shape, u, {0.12, 0.16, 0.4}).holds_point);
}

/// The surface of a cone is straight along generators; across, the radius of curvature grows in
/// proportion from the apex.
TEST(SupportHessian, GeneratorOfACone) {
  const double r = 0.2, l = 0.3, slant = std::hypot(r, 2.0 * l);
  const Shape shape = Cone{.radius = r, .half_length = l};
  const Double3 u{2.0 * l / slant, 0.0, r / slant};
  const TangentPlane plane(u);
  for (const double share : {0.25, 0.5, 1.0}) {
    const Double3 p{share * r, 0.0, l - 2.0 * l * share};
    const SupportFeature feature = feature_at(shape, u, p);
    EXPECT_EQ(feature.dimension, 1);
    EXPECT_TRUE(feature.holds_point);
    EXPECT_EQ(feature.interior, share < 1.0);
    // the distance to the axis along the normal (Meusnier)
    const Double2 around = plane.project({0.0, 1.0, 0.0});
    EXPECT_NEAR(dot(around, feature.hessian * around), share * r / u.x, 1e-14);
  }
}

TEST(SupportHessian, CapsAndApex) {
  const Shape cylinder = Cylinder{.radius = 0.2, .half_length = 0.3},
              cone = Cone{.radius = 0.2, .half_length = 0.3};
  for (const Shape& shape : {cylinder, cone}) {
    const SupportFeature cap = feature_at(shape, {0.0, 0.0, -1.0}, {0.05, 0.1, -0.3});
    EXPECT_EQ(cap.dimension, 2);
    EXPECT_TRUE(cap.holds_point && cap.interior);
    EXPECT_FALSE(feature_at(shape, {0.0, 0.0, -1.0}, {0.2, 0.0, -0.3}).interior);
    EXPECT_FALSE(feature_at(shape, {0.0, 0.0, -1.0}, {0.3, 0.0, -0.3}).holds_point);
  }
  EXPECT_EQ(feature_at(cone, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.3}).dimension, 0);
  EXPECT_EQ(feature_at(HalfSpace{}, {0.0, 0.0, 1.0}, {7.0, 1.0, 0.0}).dimension, 2);
}

TEST(SupportHessian, FacesAndEdgesOfABox) {
  const Shape box = Box{.half_extents = {0.1, 0.2, 0.3}};
  const SupportFeature face = feature_at(box, {0.0, 1.0, 0.0}, {0.05, 0.2, 0.1});
  EXPECT_EQ(face.dimension, 2);
  EXPECT_TRUE(face.holds_point && face.interior);
  EXPECT_FALSE(feature_at(box, {0.0, 1.0, 0.0}, {0.1, 0.2, 0.1}).interior);
  const Double3 u{0.6, 0.8, 0.0};
  const SupportFeature edge = feature_at(box, u, {0.1, 0.2, 0.1});
  EXPECT_EQ(edge.dimension, 1);
  EXPECT_NEAR(std::abs(dot(edge.edge, TangentPlane(u).project({0.0, 0.0, 1.0}))), 1.0, 1e-15);
  EXPECT_TRUE(edge.interior);
  EXPECT_FALSE(feature_at(box, u, {0.1, 0.2, 0.3}).interior);
  // a capsule, met across its axis
  const SupportFeature axis = feature_at(Capsule{.radius = 0.1, .half_length = 0.3},
                                         {1.0, 0.0, 0.0}, {0.0, 0.0, 0.1});
  EXPECT_EQ(axis.dimension, 1);
  EXPECT_TRUE(axis.holds_point && axis.interior);
}

}  // namespace
}  // namespace tactum::support_hessian_test
