// SPDX-License-Identifier: BSD-2-Clause
// Where a ray enters a box, against points of the ray in extended precision.
#include "broad/ray_box.hpp"

#include <gtest/gtest.h>

#include "support/extended.hpp"
#include "support/random.hpp"

namespace tactum::ray_box_test {
namespace {

using namespace tactum::testing;

TEST(RayBox, EntersWhereTheRayFirstIsInside) {
  Random random(25);
  int hits = 0;
  for (int k = 0; k < 3000; ++k) {
    const Vector3 middle = random.in_box(1.0), half = (random.in_box(0.5)).cwiseAbs();
    const Vector3 lower = middle - half, upper = middle + half, origin = random.in_box(2.0);
    Vector3 direction = (middle + random.in_box(0.5) - origin).normalized();
    if (k % 4 == 0) direction = Vector3::Unit(random.below(3)) * random.sign();
    const double entry = Ray(origin, direction).entry(lower.data(), upper.data());
    const auto excess = [&](double t) {  // how far outside the point of the ray is
      const Vec3 p = widen(origin) + Real(t) * widen(direction);
      return static_cast<double>((p - widen(lower))
                                     .cwiseMin(Real(0))
                                     .cwiseAbs()
                                     .cwiseMax((p - widen(upper)).cwiseMax(Real(0)))
                                     .maxCoeff());
    };
    if (std::isinf(entry)) {
      for (int i = 0; i < 20; ++i) EXPECT_GT(excess(0.25 * i), 0.0) << k;
      continue;
    }
    ++hits;
    EXPECT_LE(excess(entry), 1e-14) << k;
    if (entry > 0.0) {
      EXPECT_GT(excess(entry - 1e-6), 0.0) << k;
    }
  }
  EXPECT_GT(hits, 300);
}

TEST(RayBox, StartsInsideTouchesAndPointsAway) {
  const double lower[3] = {-1, -1, -1}, upper[3] = {1, 1, 1};
  EXPECT_EQ(Ray({0, 0, 0}, {1, 0, 0}).entry(lower, upper), 0.0);
  EXPECT_EQ(Ray({-3, 1, 0}, {1, 0, 0}).entry(lower, upper), 2.0);  // along a face
  EXPECT_TRUE(std::isinf(Ray({-3, 1.001, 0}, {1, 0, 0}).entry(lower, upper)));
  EXPECT_TRUE(std::isinf(Ray({-3, 0, 0}, {-1, 0, 0}).entry(lower, upper)));
}

}  // namespace
}  // namespace tactum::ray_box_test
