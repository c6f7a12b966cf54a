// SPDX-License-Identifier: BSD-2-Clause
// Straight sides of cylinders and cones as the active feature, where only the end of an arc of
// normals is the optimum.
#include "narrow/gjk/side_refinement.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::side_refinement_test {
namespace {

using namespace tactum::testing;

/// The optimum that a search over directions leaves: a normal and its separation.
SeparationOptimum along(CorePair& pair, const Vector3& normal) {
  const Vector3 n = normal.normalized();
  const MinkowskiPoint point = pair.support(n);
  return optimum_of(single_point(point), n, n.dot(point.w));
}

/// A cone of 3 um whose rim overlaps the rim of a cone of 0.4 m by 2e-11 m.
TestPair grazing_cones() {
  Pose X_AB;
  X_AB.rotation << -0x1.ef323d7cf114bp-1, 0x1.ba029a261b348p-3, 0x1.12a159885e3fap-3,
      -0x1.c0f9712fc583ap-3, -0x1.f38380a454c81p-1, -0x1.66f436f7ee8bfp-7, 0x1.07173f71621b2p-3,
      -0x1.479e0f8c09d0bp-5, 0x1.fb5840a141e5cp-1;
  X_AB.translation << -0x1.d175fb067f65fp-5, 0x1.303062f1ea39ep-8, -0x1.adee7513bc835p-2;
  return {Cone{.radius = 1.5696769913429804e-06, .half_length = 3.164370600265117e-06},
          Cone{.radius = 0.4362530586466892, .half_length = 0.42370424194255496}, X_AB};
}

TEST(SideRefinement, FindsTheEndOfAnArcOfNormals) {
  const TestPair test = grazing_cones();
  CorePair pair = test.cores();
  SeparationOptimum optimum = along(pair, {-0.478, 0.039, -0.877});
  const double before = optimum.lower;
  ASSERT_TRUE(refine_by_side(pair, optimum));
  EXPECT_GT(optimum.lower, before + 1e-11);
  EXPECT_LE(optimum.residual, 16.0 * kEps * test.scale());
  Real error = 0;
  const Real truth = test.core_truth(&error);
  EXPECT_NEAR(optimum.lower, static_cast<double>(truth),
              static_cast<double>(error) + 16.0 * kEps * test.scale());
  expect_valid_optimum(test, optimum);
}

TEST(SideRefinement, DistanceOfGrazingConesIsTheSameInBothOrders) {
  const TestPair test = grazing_cones();
  const Distance forward = distance(test.a, {}, test.b, test.X_AB),
                 backward = distance(test.b, test.X_AB, test.a, {});
  EXPECT_EQ(forward.status, Status::penetrating);
  EXPECT_NEAR(forward.distance, backward.distance, 64.0 * kEps * test.scale());
  EXPECT_LE(forward.upper - forward.lower, 1e-13 * test.scale());
}

/// A ball beside the side of a cylinder or a cone, whose nearest normal is that of the side.
TEST(SideRefinement, FindsTheNormalOfTheSide) {
  Random random(71);
  for (int i = 0; i < repetitions(200); ++i) {
    const double radius = random.uniform(0.1, 1.0), half_length = random.uniform(0.1, 1.0),
                 angle = random.uniform(0.0, 6.28), gap = random.uniform(0.1, 1.0);
    const bool is_cone = i % 2 == 0, swapped = i % 4 < 2;
    const Vector3 out(std::cos(angle), std::sin(angle), 0.0);
    const Vector3 normal =
        is_cone ? Vector3(2.0 * half_length * out + radius * Vector3::UnitZ()).normalized() : out;
    const Vector3 middle = is_cone ? Vector3(0.5 * radius * out) : Vector3(radius * out);
    const Shape round = is_cone ? Shape(Cone{.radius = radius, .half_length = half_length})
                                : Shape(Cylinder{.radius = radius, .half_length = half_length});
    const Vector3 center = middle + gap * normal;
    const TestPair test = swapped ? TestPair{Sphere{}, round, {Matrix3::Identity(), -center}}
                                  : TestPair{round, Sphere{}, {Matrix3::Identity(), center}};
    const Vector3 expected = swapped ? Vector3(-normal) : normal;
    CorePair pair = test.cores();
    SeparationOptimum optimum = along(pair, expected + 0.1 * random.direction());
    SCOPED_TRACE(i);
    ASSERT_TRUE(refine_by_side(pair, optimum));
    EXPECT_LE((optimum.normal - expected).norm(), 64.0 * kEps * test.scale() / gap);
    EXPECT_NEAR(optimum.lower, gap, 16.0 * kEps * test.scale());
  }
}

TEST(SideRefinement, RefusesCoresWithoutAStraightSide) {
  const TestPair test{Box{.half_extents = {0.1, 0.2, 0.3}},
                      Ellipsoid{.semi_axes = {0.1, 0.2, 0.3}},
                      {Matrix3::Identity(), {1.0, 0.2, 0.1}}};
  CorePair pair = test.cores();
  SeparationOptimum optimum = along(pair, {1.0, 0.1, 0.0});
  const double before = optimum.lower;
  EXPECT_FALSE(refine_by_side(pair, optimum));
  EXPECT_EQ(optimum.lower, before);
}

}  // namespace
}  // namespace tactum::side_refinement_test
