// SPDX-License-Identifier: BSD-2-Clause
// The nearest point of a box, a cylinder and a cone, and its derivative: against the oracle's
// membership and against central differences.
#include "narrow/formula/primitive_projection.hpp"

#include <gtest/gtest.h>

#include "narrow/narrow_fixtures.hpp"
#include "support/convex_body.hpp"

namespace tactum::primitive_projection_test {
namespace {

using namespace tactum::testing;

template <class Projection>
void expect_projection(const Shape& shape, const Projection& solid, Random& random) {
  const ConvexBody body(shape, Pose());
  for (int k = 0; k < 60; ++k) {
    const Vector3 x = 1.5 * random.in_box(1.0), u = random.direction();
    if (!(body.distance_to_core(widen(x)) > Real(1e-3))) continue;
    const TangentPlane plane(to_double3(u));
    const auto found = solid.projection(to_double3(x), plane);
    const Vector3 foot = to_vector3(found.point);
    SCOPED_TRACE(::testing::Message() << k << " " << shape.to_string() << " " << x.transpose());
    EXPECT_EQ(foot, to_vector3(solid.point(to_double3(x))));
    EXPECT_LE(static_cast<double>(body.distance_to_core(widen(foot))), 1e-15);
    EXPECT_NEAR((x - foot).norm(), static_cast<double>(body.distance_to_core(widen(x))), 1e-14);
    EXPECT_TRUE(solid.holds(found.point, 1e-14));
    EXPECT_FALSE(solid.holds(to_double3(x), 0.0));
    EXPECT_NEAR(solid.support(to_double3(u)), shape.support(u).dot(u), 1e-14);
    const double step = 1e-6;
    const auto moved = [&](const Double3& along) {
      const Vector3 shift = step * to_vector3(along);
      return plane.project(
          0.5 / step * (solid.point(to_double3(x + shift)) - solid.point(to_double3(x - shift))));
    };
    const Double2 by_x = moved(plane.x), by_y = moved(plane.y);
    EXPECT_NEAR(found.slope.xx, by_x.x, 1e-4);
    EXPECT_NEAR(found.slope.xy, by_x.y, 1e-4);
    EXPECT_NEAR(found.slope.yy, by_y.y, 1e-4);
  }
}

TEST(PrimitiveProjection, OfBoxesCylindersAndCones) {
  Random random(10);
  for (int k = 0; k < 10; ++k) {
    const Vector3 sizes = random_sizes(random);
    const Double3 size = to_double3(sizes);
    expect_projection(Box{.half_extents = sizes}, BoxProjection(size), random);
    expect_projection(Cylinder{.radius = sizes.x(), .half_length = sizes.y()},
                      CylinderProjection(size), random);
    expect_projection(Cone{.radius = sizes.x(), .half_length = sizes.y()}, ConeProjection(size),
                      random);
  }
}

TEST(PrimitiveProjection, OnTheAxis) {
  const Double3 size{0.3, 0.5, 0.0}, above{0.0, 0.0, 2.0}, below{0.0, 0.0, -2.0};
  EXPECT_LE((to_vector3(CylinderProjection(size).point(above)) - Vector3(0.0, 0.0, 0.5)).norm(),
            1e-99);
  EXPECT_EQ(to_vector3(ConeProjection(size).point(above)), Vector3(0.0, 0.0, 0.5));
  EXPECT_LE((to_vector3(ConeProjection(size).point(below)) - Vector3(0.0, 0.0, -0.5)).norm(),
            1e-99);
}

}  // namespace
}  // namespace tactum::primitive_projection_test
