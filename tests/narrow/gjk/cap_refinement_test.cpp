// SPDX-License-Identifier: BSD-2-Clause
// Flat caps of cylinders and cones as the active feature: closed forms above and beside the disc.
#include "narrow/gjk/cap_refinement.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::cap_refinement_test {
namespace {

using namespace tactum::testing;

/// An optimum whose normal is a little off, such as GJK returns.
SeparationOptimum near(const TestPair& test, CorePair& pair, const Vector3& normal, double tilt) {
  const Vector3 n = (normal + tilt * Vector3(0.6, -0.8, 0.1)).normalized();
  const MinkowskiPoint point = pair.support(n);
  EXPECT_NEAR(n.dot(point.w), static_cast<double>(test.separation_of_cores(n)),
              16.0 * kEps * test.scale());
  return optimum_of(single_point(point), n, n.dot(point.w));
}

TEST(CapRefinement, CylinderCapUnderAVertex) {
  // a tilted box above the cap: its lowest corner decides
  Random random(111);
  int exact = 0;
  for (int i = 0; i < 200; ++i) {
    const Pose X{random.rotation(),
                 {random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(0.5, 2.0)}};
    const TestPair test{Cylinder{.radius = 0.6, .half_length = 0.3},
                        Box{.half_extents = {0.2, 0.15, 0.1}}, X};
    const double lowest = X.rotation.row(2).cwiseAbs().dot(Vector3(0.2, 0.15, 0.1));
    const double expected = X.translation.z() - lowest - 0.3;
    CorePair pair = test.cores();
    SeparationOptimum optimum = near(test, pair, Vector3::UnitZ(), 1e-4);
    SCOPED_TRACE(i);
    if (!refine_by_cap(pair, optimum)) continue;
    ++exact;
    EXPECT_EQ(optimum.normal, Vector3::UnitZ());
    EXPECT_NEAR(optimum.lower, expected, 8.0 * kEps * test.scale());
    EXPECT_LE(optimum.residual, 8.0 * kEps * test.scale());
    expect_valid_optimum(test, optimum);
  }
  EXPECT_EQ(exact, 200);  // every corner is above the disc
}

TEST(CapRefinement, CapOfBAndBaseOfACone) {
  // the opposite cap and the base of a cone, which face -z
  for (const bool cone : {false, true}) {
    const Pose X_AB = turned({1, 0, 0}, 0.0, {0.05, 0.0, 1.0});
    const TestPair test{Ellipsoid{.semi_axes = {0.2, 0.3, 0.4}},
                        cone ? Shape(Cone{.radius = 0.5, .half_length = 0.2})
                             : Shape(Cylinder{.radius = 0.5, .half_length = 0.2}),
                        X_AB};
    CorePair pair = test.cores();
    SeparationOptimum optimum = near(test, pair, Vector3::UnitZ(), 1e-3);
    ASSERT_TRUE(refine_by_cap(pair, optimum));
    EXPECT_NEAR(optimum.lower - pair.radius(), 1.0 - 0.2 - 0.4, 8.0 * kEps);
    EXPECT_LE((optimum.normal - Vector3::UnitZ()).norm(), 4.0 * kEps);
    expect_valid_optimum(test, optimum);
  }
}

TEST(CapRefinement, InPenetrationToo) {
  const TestPair test{Cylinder{.radius = 0.6, .half_length = 0.3},
                      Cone{.radius = 0.2, .half_length = 0.2},
                      turned({1, 0, 0}, M_PI, {0.1, 0.0, 0.45})};
  CorePair pair = test.cores();
  SeparationOptimum optimum = near(test, pair, Vector3::UnitZ(), 1e-3);
  ASSERT_TRUE(refine_by_cap(pair, optimum));
  EXPECT_NEAR(optimum.lower, 0.45 - 0.2 - 0.3, 8.0 * kEps);
  expect_valid_optimum(test, optimum);
}

TEST(CapRefinement, BesideTheDiscPointsAreNotExact) {
  // the axis is not the best direction although it is close: the box is beside the cap, and the rim
  // decides
  const TestPair test{Cylinder{.radius = 0.3, .half_length = 0.3},
                      Box{.half_extents = {0.1, 0.1, 0.1}}, at(2.0, 0.0, 0.45)};
  CorePair pair = test.cores();
  SeparationOptimum optimum = near(test, pair, Vector3::UnitX(), 1e-3);
  const SeparationOptimum before = optimum;
  EXPECT_FALSE(refine_by_cap(pair, optimum));
  EXPECT_EQ(optimum.lower, before.lower);
  EXPECT_EQ(optimum.normal, before.normal);
}

TEST(CapRefinement, NeverLosesABetterDirection) {
  Random random(112);
  for (int i = 0; i < 2000; ++i) {
    const TestPair test{
        Cylinder{.radius = random.uniform(0.1, 0.5), .half_length = random.uniform(0.1, 0.5)},
        Cone{.radius = random.uniform(0.1, 0.5), .half_length = random.uniform(0.1, 0.5)},
        random_pose(random, 0.8)};
    CorePair pair = test.cores();
    SeparationOptimum optimum = near(test, pair, random.direction(), 0.0);
    const double before = optimum.lower;
    const bool exact = refine_by_cap(pair, optimum);
    SCOPED_TRACE(i);
    EXPECT_GE(optimum.lower, before - 2.0 * kEps * test.scale());
    EXPECT_NEAR(optimum.lower, static_cast<double>(test.separation_of_cores(optimum.normal)),
                16.0 * kEps * test.scale());
    EXPECT_NEAR((optimum.point_b - optimum.point_a - optimum.lower * optimum.normal).norm(),
                optimum.residual, 16.0 * kEps * test.scale());
    if (exact) {
      EXPECT_LE(static_cast<double>(test.outside_a(optimum.point_a)), 16.0 * kEps * test.scale());
      EXPECT_LE(static_cast<double>(test.outside_b(optimum.point_b)), 16.0 * kEps * test.scale());
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(CapRefinement, OtherCoresHaveNoCap) {
  const TestPair test{Box{.half_extents = {0.5, 0.4, 0.3}}, Ellipsoid{.semi_axes = {0.1, 0.2, 0.3}},
                      at(0.0, 0.0, 2.0)};
  CorePair pair = test.cores();
  SeparationOptimum optimum = near(test, pair, Vector3::UnitZ(), 1e-3);
  const double before = optimum.lower;
  EXPECT_FALSE(refine_by_cap(pair, optimum));
  EXPECT_EQ(optimum.lower, before);
  // the pointed end of a cone is no cap either
  const TestPair pointed{Cone{.radius = 0.5, .half_length = 0.3},
                         Ellipsoid{.semi_axes = {0.1, 0.2, 0.3}}, at(0.0, 0.0, 2.0)};
  CorePair tip = pointed.cores();
  SeparationOptimum at_tip = near(pointed, tip, Vector3::UnitZ(), 1e-3);
  EXPECT_FALSE(refine_by_cap(tip, at_tip));
}

TEST(CapRefinement, CapAcrossTheSideOfAnotherCylinder) {
  // a small cylinder inside a large one, its axis across: n is at right angles to the large axis
  // and nearest to the small one
  const double radius = 0.26, small_radius = 1.6e-4, small_half_length = 1.4e-4;
  for (const double tilt : {1e-10, 1e-9, 1e-8, 1e-6}) {
    const Vector3 axis = Vector3(1.0, 3.0 * tilt, -tilt).normalized();
    const Pose X_AB{Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), axis).toRotationMatrix(),
                    Vector3::Zero()};
    const Distance result = distance(
        Cylinder{.radius = radius, .half_length = 0.2685}, {},
        Cylinder{.radius = small_radius, .half_length = small_half_length}, X_AB);
    const double cosine = axis.head<2>().norm();
    SCOPED_TRACE(tilt);
    EXPECT_EQ(result.status, Status::penetrating);
    EXPECT_NEAR(result.distance,
                -(radius + small_half_length * cosine + small_radius * std::abs(axis.z())),
                16.0 * kEps);
    EXPECT_NEAR((result.point_b - result.point_a - result.distance * result.normal).norm(), 0.0,
                16.0 * kEps);
  }
}

TEST(CapRefinement, CapAcrossASideThatIsNotInItsMiddle) {
  // the base of a cone on the side of a cylinder, almost flat: the line crosses the disc off its
  // center
  const double radius = 0.11, base = 0.22, half_length = 0.46, depth = 1.7e-4;
  for (const double tilt : {5e-10, 1e-8, 1e-6}) {
    for (const double offset : {-0.1, 0.0, 0.15}) {
      // the axis of the cone is y, turned by `tilt` towards -z
      const Matrix3 R = Random::turn(Vector3::UnitX(), -0.5 * M_PI - tilt);
      const Vector3 axis = R.col(2);
      const Vector3 t(offset, radius + half_length - depth, 0.3);
      const Shape cylinder = Cylinder{.radius = radius, .half_length = 0.486},
                  cone = Cone{.radius = base, .half_length = half_length};
      const Distance result = distance(cylinder, {}, cone, {R, t});
      // along n = (x, 1, 0): t.n - h_A - h_B with the best x in closed form
      const double b = std::abs(axis.z()), k = offset / base;
      const double x = axis.x() + b * k / std::sqrt(1.0 - k * k);
      SCOPED_TRACE(::testing::Message() << tilt << " " << offset);
      EXPECT_EQ(result.status, Status::penetrating);
      EXPECT_NEAR(result.normal.x(), x, 1e-12 + 1e-3 * tilt);
      EXPECT_NEAR(result.normal.z(), 0.0, 1e-12);
      EXPECT_LE((result.point_b - result.point_a - result.distance * result.normal).norm(),
                64.0 * kEps);
    }
  }
}

TEST(CapRefinement, PointJustOutsideTheRim) {
  // the tip of a tetrahedron over the rim of a cap: the disc ends just before it
  const double radius = 0.3, height = 0.01;
  for (const double overhang : {1e-13, 1e-11, 1e-9, 1e-8}) {
    Points tip(3, 4);
    tip << 0.0, 0.1, -0.1, 0.0, 0.0, 0.1, 0.1, -0.1, 0.0, 0.3, 0.3, 0.3;
    const TestPair test{Cylinder{.radius = radius, .half_length = 0.5}, Convex::from_points(tip),
                        at(radius + overhang, 0.0, 0.5 + height)};
    CorePair pair = test.cores();
    SeparationOptimum optimum = near(test, pair, Vector3::UnitZ(), 1e-4);
    SCOPED_TRACE(overhang);
    ASSERT_TRUE(refine_by_cap(pair, optimum));
    EXPECT_NEAR(optimum.lower, std::sqrt(height * height + overhang * overhang), 16.0 * kEps);
    expect_valid_optimum(test, optimum);
  }
}

TEST(CapRefinement, PlanarHullAroundAPoint) {
  // needles that are planar: their plane comes from a width of 1e-6 of the length
  Random random(113);
  for (int i = 0; i < 200; ++i) {
    const double width = random.log_uniform(1e-7, 1e-3);
    Points corners(3, 3);
    corners << width, -0.5 * width, -0.5 * width, 0.0, 0.4, -0.4, 0.0, 0.0, 0.0;
    const Pose X = random_pose(random, 0.5);
    const Shape needle = Convex::from_points(X.rotation * corners);
    const Distance result = distance(needle, {X.rotation, Vector3::Zero()}, Sphere{.radius = 0.2},
                                     {});
    SCOPED_TRACE(i);
    EXPECT_EQ(result.status, Status::penetrating);
    EXPECT_NEAR(result.distance, -0.2, 64.0 * kEps);
    EXPECT_LE(result.support_calls, 1000);  // not by the search over all directions
  }
}

}  // namespace
}  // namespace tactum::cap_refinement_test
