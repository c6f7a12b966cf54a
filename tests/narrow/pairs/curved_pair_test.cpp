// SPDX-License-Identifier: BSD-2-Clause
// Primitives apart by Newton on pairs of normals: projections against the closed forms of points
// and their differences; pairs against the oracle in extended precision, apart and overlapping;
// faces, rims and axes that are parallel against numbers known by hand.
#include "narrow/pairs/curved_pair.hpp"

#include "narrow/formula/point_primitive.hpp"
#include "narrow/formula/primitive_projection.hpp"
#include "narrow/narrow_fixtures.hpp"

namespace tactum::curved_pair_test {
namespace {

using namespace tactum::testing;

struct Solver {
  ShapeKind first, second;
  SolvePair* solve;
};

const std::array<Solver, 8> solvers = {
    {{ShapeKind::box, ShapeKind::cylinder, solve_box_cylinder},
     {ShapeKind::box, ShapeKind::cone, solve_box_cone},
     {ShapeKind::cylinder, ShapeKind::cylinder, solve_cylinders},
     {ShapeKind::cone, ShapeKind::cylinder, solve_cone_cylinder},
     {ShapeKind::cone, ShapeKind::cone, solve_cones},
     {ShapeKind::ellipsoid, ShapeKind::box, solve_ellipsoid_box},
     {ShapeKind::ellipsoid, ShapeKind::cylinder, solve_ellipsoid_cylinder},
     {ShapeKind::ellipsoid, ShapeKind::cone, solve_ellipsoid_cone}}};

bool solve(SolvePair* solver, const TestPair& pair, PrimitivePairAnswer& answer) {
  const Matrix3& R = pair.X_AB.rotation;
  return solver(pair.a.core(), pair.b.core(),
                {to_double3(R.col(0)), to_double3(R.col(1)), to_double3(R.col(2)),
                 to_double3(pair.X_AB.translation)},
                pair.scale(), answer);
}

void expect_proved(const TestPair& pair, const PrimitivePairAnswer& answer) {
  const double scale = pair.scale(), rounding = 32.0 * kEps * scale;
  // depths are proved a little less tightly
  const double gap = answer.lower > 0.0 ? rounding : 2e-13 * scale;
  const Vector3 n = to_vector3(answer.normal), a = to_vector3(answer.point_first),
                b = to_vector3(answer.point_second);
  EXPECT_NEAR(n.norm(), 1.0, 8.0 * kEps);
  EXPECT_LE((b - a - answer.lower * n).norm(), rounding);
  EXPECT_LE(std::abs(answer.upper - answer.lower), gap);
  EXPECT_NEAR(static_cast<double>(pair.separation_of_cores(n)), answer.lower, rounding);
  EXPECT_LE(static_cast<double>(pair.outside_a(a)), rounding);
  EXPECT_LE(static_cast<double>(pair.outside_b(b)), rounding);
}

template <class Projection>
void expect_projection(const Projection& primitive, SurfacePoint (*closest)(const Vector3&),
                       std::uint64_t seed) {
  Random random(351, seed);
  const auto point = [&](Double3 x) {
    if constexpr (requires { primitive.point(x); }) {
      return primitive.point(x);
    } else {
      return round_point(primitive, x);
    }
  };
  const auto project = [&](Double3 x, const TangentBasis& plane) {
    if constexpr (requires { primitive.projection(x, plane); }) {
      return primitive.projection(x, plane);
    } else {
      return round_projection(primitive, x, plane);
    }
  };
  int outside = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector3 x = 0.7 *
                      Vector3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    const SurfacePoint truth = closest(x);
    if (truth.distance < 1e-3) continue;
    ++outside;
    const TangentBasis plane = tangent_basis(to_double3(truth.normal));
    const auto found = project(to_double3(x), plane);
    EXPECT_LE((to_vector3(found.point) - truth.point).norm(), 8.0 * kEps);
    EXPECT_LE((to_vector3(point(to_double3(x))) - truth.point).norm(), 8.0 * kEps);
    EXPECT_TRUE(primitive.holds(found.point, 4.0 * kEps));
    EXPECT_FALSE(primitive.holds(to_double3(x), 1e-4));
    const Double3 n = to_double3(truth.normal);
    EXPECT_NEAR(primitive.support(n), dot(n, found.point), 8.0 * kEps);
    // the derivative, except for steps across a border of two features
    const double h = 1e-6;
    const auto difference = [&](Double3 along) {
      return (0.5 / h) * (point(to_double3(x) + h * along) - point(to_double3(x) - h * along));
    };
    const auto one_sided = [&](Double3 along) {
      return (1.0 / h) * (point(to_double3(x) + h * along) - point(to_double3(x)));
    };
    const Double3 dx = difference(plane.x), dy = difference(plane.y);
    if ((dx - one_sided(plane.x)).norm() > 1e-4 || (dy - one_sided(plane.y)).norm() > 1e-4)
      continue;
    EXPECT_NEAR(found.slope.xx, dot(plane.x, dx), 1e-5);
    EXPECT_NEAR(found.slope.xy, dot(plane.y, dx), 1e-5);
    EXPECT_NEAR(found.slope.yy, dot(plane.y, dy), 1e-5);
  }
  EXPECT_GT(outside, 1000);
}

TEST(PrimitiveProjection, IsTheNearestPointWithItsDerivative) {
  expect_projection(
      BoxProjection({0.2, 0.3, 0.1}),
      [](const Vector3& x) { return point_box({0.2, 0.3, 0.1}, x); }, 0);
  expect_projection(
      CylinderProjection({0.2, 0.3, 0.0}),
      [](const Vector3& x) { return point_cylinder(0.2, 0.3, x); }, 1);
  expect_projection(
      ConeProjection({0.2, 0.3, 0.0}), [](const Vector3& x) { return point_cone(0.2, 0.3, x); }, 2);
}

TEST(CurvedPair, AgreesWithTheOracleAndProvesIt) {
  for (const Solver& solver : solvers) {
    Random random(352, static_cast<std::uint64_t>(solver.first) * 16 +
                           static_cast<std::uint64_t>(solver.second));
    int expected = 0, answered = 0;
    for (int i = 0; i < repetitions(100); ++i) {
      TestPair pair{random_shape_of(solver.first, random), random_shape_of(solver.second, random),
                    random_pose(random, 0.9)};
      SCOPED_TRACE(::testing::Message()
                   << pair.a.to_string() << " " << pair.b.to_string() << " " << i);
      Real error = 0;
      const double truth = static_cast<double>(pair.core_truth(&error));
      PrimitivePairAnswer answer;
      const bool solved = solve(solver.solve, pair, answer);
      expected += truth > 0.01 * pair.scale() ? 1 : 0;
      answered += solved && truth > 0.01 * pair.scale() ? 1 : 0;
      if (!solved) continue;
      EXPECT_NEAR(answer.lower, truth, static_cast<double>(error) + 32.0 * kEps * pair.scale());
      expect_proved(pair, answer);
    }
    EXPECT_GE(answered, expected * 9 / 10);
    EXPECT_GE(expected, repetitions(20));
  }
}

/// Optima that fill a face, a line or a circle, and points on the axis.
TEST(CurvedPair, ParallelFacesAxesAndApices) {
  const Shape box = Box{.half_extents = {0.2, 0.3, 0.1}},
              cylinder = Cylinder{.radius = 0.2, .half_length = 0.3},
              cone = Cone{.radius = 0.2, .half_length = 0.3},
              ellipsoid = Ellipsoid{.semi_axes = {0.3, 0.2, 0.1}};
  const Pose upright = at(0.05, 0.02, 1.0), beside = at(1.0, 0.05, 0.1), above = at(0.0, 0.0, 1.0);
  const Pose upside_down = turned(Vector3::UnitX(), M_PI, {0.0, 0.0, 1.0});
  struct Case {
    SolvePair* solve;
    TestPair pair;
    double distance;
  };
  const std::vector<Case> cases = {{solve_box_cylinder, {box, cylinder, upright}, 0.6},
                                   {solve_box_cylinder, {box, cylinder, beside}, 0.6},
                                   {solve_box_cone, {box, cone, upright}, 0.6},
                                   {solve_box_cone, {box, cone, upside_down}, 0.6},
                                   {solve_cylinders, {cylinder, cylinder, upright}, 0.4},
                                   {solve_cylinders, {cylinder, cylinder, above}, 0.4},
                                   {solve_cone_cylinder, {cone, cylinder, above}, 0.4},
                                   {solve_cone_cylinder, {cone, cylinder, upright}, 0.4},
                                   {solve_cones, {cone, cone, above}, 0.4},
                                   {solve_cones, {cone, cone, upside_down}, 0.4},
                                   {solve_ellipsoid_box, {ellipsoid, box, above}, 0.8},
                                   {solve_ellipsoid_cylinder, {ellipsoid, cylinder, above}, 0.6},
                                   {solve_ellipsoid_cone, {ellipsoid, cone, upside_down}, 0.6}};
  for (const Case& test : cases) {
    SCOPED_TRACE(::testing::Message() << test.pair.a.to_string() << " " << test.pair.b.to_string());
    PrimitivePairAnswer answer;
    ASSERT_TRUE(solve(test.solve, test.pair, answer));
    EXPECT_NEAR(answer.lower - test.pair.cores().radius(), test.distance, 16.0 * kEps);
    expect_proved(test.pair, answer);
  }
}

/// A depth is answered where it is proved to be the global one, and only there.
TEST(CurvedPair, DepthsAreRightOrRefused) {
  for (const Solver& solver : solvers) {
    Random random(353, static_cast<std::uint64_t>(solver.first) * 16 +
                           static_cast<std::uint64_t>(solver.second));
    int answered = 0;
    for (int i = 0; i < repetitions(150); ++i) {
      const TestPair pair{random_shape_of(solver.first, random),
                          random_shape_of(solver.second, random), random_pose(random, 0.5)};
      SCOPED_TRACE(::testing::Message()
                   << pair.a.to_string() << " " << pair.b.to_string() << " " << i);
      PrimitivePairAnswer answer;
      if (!solve(solver.solve, pair, answer) || answer.lower > 0.0) continue;
      answered += 1;
      Real error = 0;
      const double truth = static_cast<double>(pair.core_truth(&error));
      EXPECT_NEAR(answer.lower, truth, static_cast<double>(error) + 2e-13 * pair.scale());
      expect_proved(pair, answer);
    }
    EXPECT_GE(answered, repetitions(5))
        << to_string(solver.first) << " " << to_string(solver.second);
    // concentric
    const Shape a = random_shape_of(solver.first, random),
                b = random_shape_of(solver.second, random);
    for (const double y : {0.0, 1e-300, 1e-160, 1e-12}) {
      PrimitivePairAnswer answer;
      EXPECT_FALSE(solve(solver.solve, {a, b, at(0.0, y, 0.0)}, answer));
    }
  }
}

// A needle and a thin cone 2.06e-15 m apart: along the normal that Newton ended at they overlap by
// 1.3e-15 m, and the upper bound was below the truth.
TEST(CurvedPair, NeedlesThatBarelyTouchHaveBoundsThatHold) {
  const Shape needle = Cylinder{.radius = 1.3616230441808354e-06,
                                .half_length = 0.2236823660745636};
  const Shape thorn = Cone{.radius = 6.676937320575086e-05, .half_length = 0.3694864303563028};
  Pose X_WA, X_WB;
  X_WA.rotation << 0x1.7dab7b0d12a1cp-2, -0x1.d4b7a5621eca8p-1, -0x1.369d27b844a9p-3,
      -0x1.ab4b47c482228p-1, -0x1.0978d228c1893p-2, -0x1.f1c65aa7a2297p-2, 0x1.9f6e71339ad5p-2,
      0x1.3b254703313abp-2, -0x1.b8a5678a20022p-1;
  X_WB.rotation << 0x1.342a36284a8f3p-1, 0x1.9550360850c74p-2, 0x1.631e2a994ee87p-1,
      -0x1.563a6cb80e77p-4, 0x1.ca398d236af5fp-1, -0x1.c0bfdd1ec4ad2p-2, -0x1.96a16b4afb824p-1,
      0x1.a581fe4ec4866p-3, 0x1.24bb135be8251p-1;
  X_WA.translation = {0x1.4b642b21db6f8p+5, -0x1.d1b90d07ef4bcp+6, -0x1.38a87c6465c34p+5};
  X_WB.translation = {0x1.499ccd83d222p+5, -0x1.d0a3e6408b047p+6, -0x1.38cede51c567p+5};
  const Distance r = distance(needle, X_WA, thorn, X_WB);
  EXPECT_EQ(r.status, Status::touching);
  EXPECT_LE(r.lower, 2.0573601177135435e-15);  // in extended precision
  EXPECT_GE(r.upper, 2.0573601177135435e-15);
}

/// A flat cone just above the edge of a box, far from the origin of the world.
TEST(CurvedPair, AThinConeThatIsBarelyApartHasBoundsThatHold) {
  const Shape box = Box{
      .half_extents = {0.33707605392677487, 0.3222795255181333, 0.3869096688239858}};
  const Shape plate = Cone{.radius = 0.0010989019296623647, .half_length = 1.4999659250636659e-05};
  Pose X_WA, X_WB;
  X_WA.rotation << -0x1.d52b7f8777bdfp-1, -0x1.1fd3788485eb7p-3, 0x1.7fe7cc70bdecp-2,
      -0x1.0361b96ca17aep-2, 0x1.db786cd59713ep-1, -0x1.15811db33c0c5p-2, -0x1.3d83b88e1bde4p-2,
      -0x1.5f88dd5a9cc23p-2, -0x1.c5ec41e5826f8p-1;
  X_WB.rotation << 0x1.ee4d5f5722527p-1, 0x1.bf4f15d853c96p-4, -0x1.e4b173ce5a586p-3,
      0x1.ad35b8f34d1ep-4, 0x1.56686e47b98efp-1, 0x1.78dbc8bc3ad42p-1, 0x1.e8c470ab68ad9p-3,
      -0x1.78878e401f4f8p-1, 0x1.44b6961225fap-1;
  X_WA.translation = {0x1.2087e79f23975p+8, -0x1.a090c11644af1p+7, -0x1.d8f6cdd3d5589p+5};
  X_WB.translation = {0x1.20a6424d69adap+8, -0x1.9f95be2977958p+7, -0x1.d6467f237f946p+5};
  constexpr double kTruth = 9.0420409116579227e-15;  // in extended precision
  const Distance forward = distance(box, X_WA, plate, X_WB),
                 backward = distance(plate, X_WB, box, X_WA);
  for (const Distance& r : {forward, backward}) {
    EXPECT_LE(r.lower, kTruth);
    EXPECT_GE(r.upper, kTruth);
  }
}

}  // namespace
}  // namespace tactum::curved_pair_test
