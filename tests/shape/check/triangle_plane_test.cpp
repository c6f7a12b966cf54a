// SPDX-License-Identifier: BSD-2-Clause
// Planes of triangles, thin ones too, against extended precision.
#include "shape/check/triangle_plane.hpp"

#include <gtest/gtest.h>

#include "support/extended.hpp"
#include "support/random.hpp"

namespace tactum::triangle_plane_test {
namespace {

using namespace tactum::testing;

TEST(TrianglePlane, HoldsItsCornersHoweverThinTheTriangleIs) {
  Random random(19);
  for (int k = 0; k < 300; ++k) {
    const Vector3 a = random.in_box(1.0), b = random.in_box(1.0);
    const double thin = random.log_uniform(1e-12, 1.0);
    const Vector3 c = a + random.uniform(0.2, 0.8) * (b - a) + thin * random.direction();
    const TrianglePlane plane = triangle_plane(a, b, c);
    const Vec3 exact = (widen(b) - widen(a)).cross(widen(c) - widen(a));
    ASSERT_GT(plane.height, 0.0);
    EXPECT_NEAR(plane.normal.norm(), 1.0, 4e-16);
    EXPECT_LE(std::abs(plane.normal.dot(plane.along)), 4e-16);
    // corners that are rounded leave the normal open by that much
    EXPECT_LE(static_cast<double>(angle_between(widen(plane.normal), exact.normalized())),
              1e-15 + 4e-16 / plane.height)
        << thin;
    const double area = 0.5 * static_cast<double>(exact.norm());
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    EXPECT_NEAR(0.5 * plane.height * longest, area, 1e-15);
    for (const Vector3& corner : {a, b, c})
      EXPECT_LE(std::abs(plane.normal.dot(corner - plane.corner)), 2e-15) << thin;
  }
}

TEST(TrianglePlane, WithoutAreaItHasNoNormal) {
  const Vector3 p(1.0, 2.0, 3.0), x = Vector3::UnitX();
  EXPECT_EQ(triangle_plane(p, p, p).normal, Vector3::Zero());
  EXPECT_EQ(triangle_plane(p, p, p).along, Vector3::Zero());
  const TrianglePlane line = triangle_plane(Vector3::Zero(), x, 2.0 * x);
  EXPECT_EQ(line.normal, Vector3::Zero());
  EXPECT_EQ(std::abs(line.along.x()), 1.0);
}

}  // namespace
}  // namespace tactum::triangle_plane_test
