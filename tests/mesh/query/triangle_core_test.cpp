// SPDX-License-Identifier: BSD-2-Clause
// A triangle and a core: outcomes, and separations along the normal.
#include "mesh/query/triangle_core.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace tactum::triangle_core_test {
namespace {

TEST(TriangleCore, BoundsAreSeparations) {
  testing::Random random(95);
  const Shape box(Box{.half_extents = {0.3, 0.2, 0.1}, .margin = 0.05});
  int solved = 0;
  for (int i = 0; i < 2000; ++i) {
    Triangle3 t;
    for (Double3& corner : t) corner = to_double3(random.in_box(1.0));
    const Pose X{random.rotation(), random.in_box(1.5)};
    TrianglePair found;
    const TriangleCoreOutcome outcome = triangle_core_distance(
        t, box.core(), X, {.gap = 1e-11, .stop_above = 0.7, .scale = 2.0}, found);
    if (outcome == TriangleCoreOutcome::overlaps) continue;
    const Vector3 n = to_vector3(found.normal);
    double top = -1e9;
    for (const Double3 corner : t) top = std::max(top, n.dot(to_vector3(corner)));
    const double bottom = n.dot(X * box.support(-(X.rotation.transpose() * n)));
    ASSERT_NEAR(found.lower, bottom - top, 1e-13);
    ASSERT_NEAR(lowest_of_core(box.core(), X, found.normal), bottom, 1e-13);
    if (outcome == TriangleCoreOutcome::farther) {
      ASSERT_GT(found.lower, 0.7);
      continue;
    }
    ASSERT_EQ(outcome, TriangleCoreOutcome::solved);
    ASSERT_LE(found.upper - found.lower, 1e-11);
    ++solved;
  }
  EXPECT_GT(solved, 500);
}

}  // namespace
}  // namespace tactum::triangle_core_test
