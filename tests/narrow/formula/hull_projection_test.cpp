// SPDX-License-Identifier: BSD-2-Clause
// The nearest point of a hull by a walk, against all triangles in extended precision.
#include "narrow/formula/hull_projection.hpp"

#include <gtest/gtest.h>

#include "narrow/narrow_fixtures.hpp"
#include "support/convex_body.hpp"

namespace tactum::hull_projection_test {
namespace {

using namespace tactum::testing;

TEST(HullProjection, APointThatASupportProvesIsTheNearest) {
  Random random(9);
  int nearest = 0;
  for (int k = 0; k < repetitions(400); ++k) {
    const Convex hull = random_hull(random, 4 + random.below(60));
    const Shape shape(hull);
    const ConvexBody body(shape, Pose());
    const Vector3 x = random.log_uniform(0.6, 3.0) * random.direction();
    HullProjection walk(hull.polytope(), to_double3(x));
    const Vector3 foot = to_vector3(walk.nearest_point(to_double3(x)));
    EXPECT_LE(static_cast<double>(body.distance_to_core(widen(foot))), 1e-15) << k;
    // one support along x less its foot tells whether it is the nearest point
    const Vector3 n = (x - foot).normalized();
    if (walk.support(to_double3(n)) > n.dot(foot) + 1e-14) continue;
    ++nearest;
    EXPECT_NEAR((x - foot).norm(), static_cast<double>(body.distance_to_core(widen(x))), 1e-14)
        << k;
  }
  EXPECT_GE(nearest, repetitions(400) * 9 / 10);
}

TEST(HullProjection, OfACubeIsKnown) {
  const Convex cube = hull_of({{-1, -1, -1},
                               {1, -1, -1},
                               {-1, 1, -1},
                               {1, 1, -1},
                               {-1, -1, 1},
                               {1, -1, 1},
                               {-1, 1, 1},
                               {1, 1, 1}});
  for (const Vector3& x : {Vector3(3, 2, 2), Vector3(3, 0.2, 0.1), Vector3(0.1, -4, 2)}) {
    HullProjection walk(cube.polytope(), to_double3(x));
    const Vector3 expected = x.cwiseMax(-1.0).cwiseMin(1.0);
    EXPECT_LE((to_vector3(walk.nearest_point(to_double3(x))) - expected).norm(), 1e-15);
  }
}

}  // namespace
}  // namespace tactum::hull_projection_test
