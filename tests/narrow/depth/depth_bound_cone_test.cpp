// SPDX-License-Identifier: BSD-2-Clause
// Cones of directions: no direction inside is better than the bound, by the separation in extended
// precision.
#include "narrow/depth/depth_bound_cone.hpp"

#include <map>

#include "narrow/narrow_fixtures.hpp"

namespace tactum::depth_bound_cone_test {
namespace {

using namespace tactum::testing;

/// In a proved cone no direction is better than its bound, up to its border.
TEST(DepthBoundCone, NoBetterDirectionInside) {
  Random random(334);
  int optima = 0, proved = 0, wide = 0;
  std::map<ShapeKind, int> with;
  for (int i = 0; i < 16000; ++i) {
    const TestPair test = random_solids(random, 0.35);
    CorePair pair = test.cores();
    const Vector3 n = test.X_AB.translation.normalized();
    Simplex simplex;
    for (const double tilt : {0.0, 0.1, -0.1})
      simplex.push(pair.support((n + tilt * Vector3(0.6, -0.8, 0.3)).normalized()));
    SeparationOptimum optimum = optimum_of(single_point(simplex.points[0]), n,
                                           n.dot(simplex.points[0].w));
    if (!refine_by_newton(pair, simplex, n, optimum) || optimum.lower >= 0.0) continue;
    ++optima;
    const DepthBoundCone cone = prove_cone(pair, optimum);
    if (cone.cosine > 1.0) continue;
    ++proved;
    ++with[test.a.kind()];
    ++with[test.b.kind()];
    wide += cone.cosine < 0.7 ? 1 : 0;
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    EXPECT_GE(cone.upper, optimum.lower);
    EXPECT_LE(cone.upper - optimum.lower, 1e-12 * test.scale());
    const double tangent = std::sqrt(1.0 - cone.cosine * cone.cosine) / cone.cosine;
    for (int k = 0; k < 60; ++k) {
      const Vector3 across = random.direction().cross(optimum.normal).normalized();
      const double turn = tangent * (k % 3 == 0 ? 1.0 : random.log_uniform(1e-3, 1.0));
      const Vector3 m = (optimum.normal + turn * across).normalized();
      EXPECT_LE(static_cast<double>(test.separation_of_cores(m)),
                cone.upper + 16.0 * kEps * test.scale());
    }
  }
  EXPECT_GT(proved, 9 * optima / 10);  // nearly every optimum has a cone
  EXPECT_GT(wide, proved / 4);
  EXPECT_EQ(with.size(), 6U);
  for (const auto& [kind, count] : with) EXPECT_GT(count, 30) << static_cast<int>(kind);
}

/// Checks that no direction within the cone about `optimum` is better than its bound.
void expect_held(const TestPair& test, const SeparationOptimum& optimum, double least_angle) {
  const CorePair pair = test.cores();
  const DepthBoundCone cone = prove_cone(pair, optimum);
  ASSERT_LE(cone.cosine, std::cos(least_angle));
  EXPECT_LE(cone.upper - optimum.lower, 1e-13 * test.scale());
  for (const Vector3& m : lattice_directions(4000)) {
    if (m.dot(optimum.normal) < cone.cosine) continue;
    EXPECT_LE(static_cast<double>(test.separation_of_cores(m)),
              cone.upper + 16.0 * kEps * test.scale())
        << m.transpose();
  }
}

TEST(DepthBoundCone, WhereOptimaFillAnArc) {
  // the rim of B touches the axis of A at the end of A: no point of B is inside, and all normals
  // across the axis on one side are as good
  const Matrix3 lying = Random::turn(Vector3::UnitX(), M_PI / 2.0);  // axis along -y
  const TestPair rims{Cylinder{.radius = 0.1, .half_length = 0.2},
                      Cylinder{.radius = 0.3, .half_length = 0.25},
                      {lying, {0.3, 0.25, 0.2}}};
  for (const double angle : {0.3, 0.8, 1.2}) {
    const Vector3 n(std::cos(angle), std::sin(angle), 0.0);
    const double lower = static_cast<double>(rims.separation_of_cores(n));
    ASSERT_NEAR(lower, -0.1, 1e-15);
    expect_held(rims, {n, lower, 0.1 * n + Vector3(0.0, 0.0, 0.2), {0.0, 0.0, 0.2}, 0.0}, 0.4);
  }
  // two rims of the same radius, each in the plane of the other's axis
  const TestPair same{Cylinder{.radius = 0.1, .half_length = 0.2},
                      Cylinder{.radius = 0.1, .half_length = 0.25},
                      {lying, {0.1, 0.25, 0.2}}};
  const double lower = static_cast<double>(same.separation_of_cores(Vector3::UnitX()));
  ASSERT_NEAR(lower, -0.1, 1e-15);
  expect_held(same, {Vector3::UnitX(), lower, {0.1, 0.0, 0.2}, {0.0, 0.0, 0.2}, 0.0}, 1.0);
  // the equator of a spheroid about a rim
  const TestPair equator{Cylinder{.radius = 0.3, .half_length = 0.2},
                         Ellipsoid{.semi_axes = {0.1, 0.1, 0.08}},
                         {Matrix3::Identity(), {0.3, 0.0, 0.2}}};
  const CorePair pair = equator.cores();
  const double rounding = equator.b.core().inner_radius;
  const SeparationOptimum out{
      Vector3::UnitX(), rounding - 0.1, {0.3, 0.0, 0.2}, {0.2 + rounding, 0.0, 0.2}, 0.0};
  const DepthBoundCone none = prove_cone(pair, out);
  EXPECT_GT(none.cosine, 1.0);  // upwards is better: the spheroid is only 0.08 high, and the rim
                                // has no width upwards
}

TEST(DepthBoundCone, BodiesOnOneAxis) {
  // the two circles grow like one: the depth is the sum of the radii, which neither circle has
  // alone
  const TestPair cylinders{Cylinder{.radius = 0.1, .half_length = 0.3},
                           Cylinder{.radius = 0.15, .half_length = 0.4}, at(0.0, 0.0, 0.1)};
  expect_held(cylinders, {Vector3::UnitX(), -0.25, {0.1, 0.0, 0.1}, {-0.15, 0.0, 0.1}, 0.0}, 0.4);
  // the equator of a spindle 0.2 wide, around a cylinder and in a ball
  const Shape spindle = Stp::from_points((Points(3, 2) << 0.0, 0.0, 0.0, 0.0, -0.4, 0.4).finished(),
                                         {.small_radius = 0.0, .big_radius = 0.5});
  const TestPair skewer{spindle, Cylinder{.radius = 0.05, .half_length = 0.3}, at(0.0, 0.0, -0.1)};
  expect_held(skewer, {Vector3::UnitX(), -0.25, {0.2, 0.0, 0.0}, {-0.05, 0.0, 0.0}, 0.0}, 0.4);
  const TestPair spheroid{spindle, Ellipsoid{.semi_axes = {0.1, 0.1, 0.3}}, Pose{}};
  const double rounding = spheroid.b.core().inner_radius;
  expect_held(spheroid,
              {Vector3::UnitX(), rounding - 0.3, {0.2, 0.0, 0.0}, {rounding - 0.1, 0.0, 0.0}, 0.0},
              0.1);
}

/// A cone holds a plane that cuts off a cap exactly when it contains all directions of points on
/// the cap nearer than `lower`.
TEST(DepthBoundCone, HoldsTheCapBeyondAPlane) {
  Random random(335);
  int held = 0, free = 0;
  for (int i = 0; i < 2000; ++i) {
    const double half_angle = random.uniform(0.05, 1.5), lower = -random.uniform(0.1, 1.0);
    DepthBoundCone cone;
    cone.axis = to_double3(random.direction());
    cone.cosine = std::cos(half_angle);
    const Vector3 n =
        (to_vector3(cone.axis) + random.uniform(0.0, 1.0) * random.direction()).normalized();
    const double value = lower * random.uniform(0.5, 1.0);
    const double tilt = std::acos(std::clamp(dot(to_double3(n), cone.axis), -1.0, 1.0)),
                 reach = std::acos(value / lower);
    const bool expected = tilt + reach < half_angle;
    if (std::abs(tilt + reach - half_angle) < 1e-6) continue;
    EXPECT_EQ(cone.holds(to_double3(n), value, lower), expected)
        << tilt << " " << reach << " " << half_angle;
    (expected ? held : free) += 1;
  }
  EXPECT_GT(held, 200);
  EXPECT_GT(free, 200);
  DepthBoundCone everything{.axis = {0.0, 0.0, 1.0}, .cosine = 0.0};
  EXPECT_FALSE(everything.holds({0.0, 0.0, 1.0}, 0.1, -0.2));  // the origin is beyond the plane
  EXPECT_FALSE(DepthBoundCone{}.holds({0.0, 0.0, 1.0}, -0.1, -0.2));
}

}  // namespace
}  // namespace tactum::depth_bound_cone_test
