// SPDX-License-Identifier: BSD-2-Clause
// The walk to the surface returns a triangle of support points with its plane, and comes near the
// nearest face of a polytope.
#include "narrow/depth/surface_walk.hpp"

#include "narrow/gjk/gjk.hpp"
#include "narrow/narrow_fixtures.hpp"

namespace tactum::surface_walk_test {
namespace {

using namespace tactum::testing;

bool tetrahedron_of(const TestPair& test, Simplex& simplex) {
  CorePair pair = test.cores();
  GjkState state = start_gjk(pair, Vector3(0.6, 0.48, 0.64));
  if (run_gjk(pair, {}, state) != GjkOutcome::overlapping) return false;
  simplex = state.simplex;
  return simplex.size == 4;
}

TEST(SurfaceWalk, TrianglesOfTheSurface) {
  Random random(321);
  int walked = 0;
  for (int i = 0; i < 400; ++i) {
    const TestPair test = random_solids(random, 0.2);
    Simplex tetrahedron;
    if (!tetrahedron_of(test, tetrahedron)) continue;
    CorePair pair = test.cores();
    SurfaceTriangle triangle;
    const int steps = i % 8;
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    if (!walk_to_surface(pair, tetrahedron, 0.01 * test.scale(), steps, triangle)) continue;
    ++walked;
    const double scale = test.scale();
    ASSERT_EQ(triangle.simplex.size, 3);
    EXPECT_NEAR(triangle.normal.norm(), 1.0, 8.0 * kEps);
    // the separation is exact, and no point of the triangle lies below it, since all are points of
    // M
    EXPECT_NEAR(triangle.lower, static_cast<double>(test.separation_of_cores(triangle.normal)),
                16.0 * kEps * scale);
    for (int k = 0; k < 3; ++k) {
      const Vector3& w = triangle.simplex.points[static_cast<std::size_t>(k)].w;
      EXPECT_NEAR(triangle.normal.dot(w), triangle.normal.dot(triangle.simplex.points[0].w),
                  1e-9 * scale);
      EXPECT_GE(triangle.normal.dot(w), triangle.lower - 16.0 * kEps * scale);
    }
    EXPECT_LE(pair.support_calls, steps + 1);
  }
  EXPECT_GT(walked, 200);
}

TEST(SurfaceWalk, BoxesEndOnAFaceWithItsNormal) {
  // M is a box about (0.1, 0.05, 0.62) with half extents 0.5, 0.6, 0.7: the face below is 0.08
  // away, all others farther
  const TestPair test{Box{.half_extents = {0.2, 0.3, 0.4}}, Box{.half_extents = {0.3, 0.3, 0.3}},
                      at(0.1, 0.05, 0.62)};
  Simplex tetrahedron;
  ASSERT_TRUE(tetrahedron_of(test, tetrahedron));
  CorePair pair = test.cores();
  SurfaceTriangle triangle;
  ASSERT_TRUE(walk_to_surface(pair, tetrahedron, 1e-12, 32, triangle));
  EXPECT_NEAR(triangle.lower, -0.08, 1e-12);
  EXPECT_LE((triangle.normal - Vector3::UnitZ()).norm(), 1e-12);
}

TEST(SurfaceWalk, NeedsATetrahedron) {
  const TestPair test{Cylinder{.radius = 0.3, .half_length = 0.4},
                      Cone{.radius = 0.2, .half_length = 0.1}, at(0.0, 0.0, 0.1)};
  CorePair pair = test.cores();
  SurfaceTriangle triangle;
  EXPECT_FALSE(
      walk_to_surface(pair, single_point(pair.support(Vector3::UnitX())), 0.0, 8, triangle));
  Simplex flat;
  for (int k = 0; k < 4; ++k) flat.push(pair.support(Vector3::UnitX()));
  EXPECT_FALSE(walk_to_surface(pair, flat, 0.0, 8, triangle));
}

}  // namespace
}  // namespace tactum::surface_walk_test
