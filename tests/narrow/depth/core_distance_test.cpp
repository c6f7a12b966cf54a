// SPDX-License-Identifier: BSD-2-Clause
// All stages of the iterations on cores: against closed forms, enumeration and the oracle, apart,
// touching and overlapping.
#include "narrow/depth/core_distance.hpp"

#include "math/tangent_plane.hpp"
#include "narrow/narrow_fixtures.hpp"

namespace tactum::core_distance_test {
namespace {

using namespace tactum::testing;

constexpr double kTolerance = 1e-10;

CoreDistance solve(const TestPair& test, bool second_order = true, double stop_above = kInfinity,
                   int max_iterations = 128) {
  CorePair pair = test.cores();
  const Vector3 t = test.X_AB.translation;
  const Vector3 direction = t.norm() > 0.0 ? Vector3(t.normalized()) : Vector3(Vector3::UnitX());
  return solve_iteratively(pair, direction,
                           {.gap = kTolerance * test.scale(),
                            .max_iterations = max_iterations,
                            .stop_above = stop_above,
                            .second_order = second_order});
}

/// Checks that the bounds hold, the gap is as asked, and the points belong to the answer.
void expect_answer(const TestPair& test, const CoreDistance& answer, double truth, double error,
                   double accuracy) {
  const double slack = 16.0 * kEps * test.scale();
  EXPECT_LE(answer.optimum.lower, truth + error + slack);
  EXPECT_GE(answer.upper, truth - slack);
  EXPECT_LE(answer.upper - answer.optimum.lower, kTolerance * test.scale());
  EXPECT_LE(std::abs(answer.optimum.lower - truth), error + accuracy * test.scale());
  EXPECT_LE(answer.optimum.residual, kTolerance * test.scale());
  EXPECT_FALSE(answer.beyond_limit);
}

TEST(CoreDistance, PolytopesAreExact) {
  Random random(131);
  for (int i = 0; i < 200; ++i) {
    const TestPair test{random_hull(random, 4 + random.below(16)),
                        random_hull(random, 4 + random.below(16)),
                        random_pose(random, i % 2 == 0 ? 0.3 : 0.8)};
    SCOPED_TRACE(i);
    for (const bool second_order : {true, false}) {
      const CoreDistance answer = solve(test, second_order);
      expect_answer(test, answer, static_cast<double>(enumerated(test)), 0.0, 64.0 * kEps);
      expect_valid_optimum(test, answer.optimum);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(CoreDistance, SmoothPairsAgreeWithTheOracle) {
  Random random(132);
  for (int i = 0; i < 150; ++i) {
    const TestPair test = random_solids(random, i % 2 == 0 ? 0.3 : 0.9);
    Real error = 0;
    const double truth = static_cast<double>(test.core_truth(&error));
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    for (const bool second_order : {true, false}) {
      const CoreDistance answer = solve(test, second_order);
      expect_answer(test, answer, truth, static_cast<double>(error), 1e-12);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(CoreDistance, SpheresByTheirEllipsoidCores) {
  // nearly spherical ellipsoids: the distance is known to the difference of the axes
  for (const double offset : {3.0, 1.0, 0.6, 0.5, 0.1}) {
    const TestPair test{Ellipsoid{.semi_axes = {0.25, 0.25, 0.25 * (1.0 + 1e-15)}},
                        Ellipsoid{.semi_axes = {0.25, 0.25 * (1.0 + 1e-15), 0.25}},
                        at(0.6 * offset, 0.0, 0.8 * offset)};
    CorePair pair = test.cores();
    const CoreDistance answer = solve(test);
    EXPECT_NEAR(answer.optimum.lower - pair.radius(), offset - 0.5, 1e-12) << offset;
  }
}

TEST(CoreDistance, TouchingPolytopes) {
  struct Touching {
    const char* how;
    TestPair test;
  };
  const double s = std::sqrt(0.5);
  const std::vector<Touching> cases = {
      {"faces",
       {Box{.half_extents = {0.5, 0.5, 0.5}}, Box{.half_extents = {0.25, 0.25, 0.25}},
        at(0.1, 0.2, 0.75)}},
      {"edges",
       {Box{.half_extents = {0.5, 0.5, 0.5}}, Box{.half_extents = {0.25, 0.25, 0.25}},
        at(0.75, 0.75, 0.0)}},
      {"corners",
       {Box{.half_extents = {0.5, 0.5, 0.5}}, Box{.half_extents = {0.25, 0.25, 0.25}},
        at(0.75, 0.75, 0.75)}},
      {"edge on face",
       {Box{.half_extents = {0.5, 0.5, 0.5}}, Box{.half_extents = {0.25, 0.25, 0.25}},
        turned({1, 0, 0}, M_PI / 4, {0.0, 0.0, 0.5 + 0.5 * s})}},
      {"point in polygon",
       {hull_of({{0.1, 0.1, 0.0}}), hull_of({{1, 0, 0}, {0, 1, 0}, {-1, -1, 0}}), {}}},
      {"segment through polygon edge",
       {hull_of({{0.5, 0.5, -1}, {0.5, 0.5, 1}}),
        hull_of({{1, 0, 0}, {0, 1, 0}, {-1, -1, 0}}),
        {}}},
      {"same polygon",
       {hull_of({{1, 0, 0}, {0, 1, 0}, {-1, -1, 0}}),
        hull_of({{1, 0, 0}, {0, 1, 0}, {-1, -1, 0}}),
        {}}},
  };
  for (const Touching& c : cases) {
    SCOPED_TRACE(c.how);
    const CoreDistance answer = solve(c.test);
    expect_answer(c.test, answer, 0.0, 0.0, 64.0 * kEps);
    expect_valid_optimum(c.test, answer.optimum);
  }
}

TEST(CoreDistance, CommonAxesOfRevolution) {
  // the difference of two cylinders on one axis is a cylinder
  for (const double z : {0.0, 0.3, 0.6, 0.9, 1.0, 1.5}) {
    const TestPair test{Cylinder{.radius = 0.2, .half_length = 0.5},
                        Cylinder{.radius = 0.1, .half_length = 0.5}, at(0.0, 0.0, z)};
    SCOPED_TRACE(z);
    expect_answer(test, solve(test), std::max(z - 1.0, -0.3), 0.0, 1e-12);
  }
  // a cone standing in a cylinder
  const TestPair inside{Cylinder{.radius = 1.0, .half_length = 1.0},
                        Cone{.radius = 0.1, .half_length = 0.1}, at(0.0, 0.0, 0.5)};
  expect_answer(inside, solve(inside), 0.5 - 0.1 - 1.0, 0.0, 1e-12);
}

TEST(CoreDistance, SmallCylinderStandingInALargeOne) {
  // the cap almost faces the side: the search may first meet the optimum of that cap, a
  // micro-radian beside it
  const Cylinder large{.radius = 1618.2790108107151, .half_length = 2396.9413952827404};
  const Cylinder small{.radius = 0.43385119229951274, .half_length = 0.14664688517745025};
  const Vector3 axis = Vector3(-0.178301, -0.983896, -0.0125693).normalized(),
                t(-0.0589392, -0.111342, -0.0717823);
  Matrix3 rotation;
  rotation << tangent_basis(axis), axis;
  const TestPair test{large, small, {rotation, t}};
  // sep on the circle around the large axis, by bisection of its slope
  const auto slope = [&](Real angle) {
    const Real x = std::cos(angle), y = std::sin(angle),
               c = x * Real(axis.x()) + y * Real(axis.y());
    const Real turned = x * Real(axis.y()) - y * Real(axis.x());
    return x * Real(t.y()) - y * Real(t.x()) -
           turned * (Real(small.half_length) - Real(small.radius) * c / std::sqrt(1 - c * c));
  };
  const Real start = std::atan2(Real(axis.y()), Real(axis.x()));
  Real low = start - 0.1L, high = start + 0.1L;
  ASSERT_GT(slope(low), 0);
  ASSERT_LT(slope(high), 0);
  for (int i = 0; i < 70; ++i) (slope((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
  const CoreDistance answer = solve(test);
  EXPECT_NEAR(answer.optimum.normal.x(), static_cast<double>(std::cos(low)), 1e-11);
  EXPECT_NEAR(answer.optimum.normal.y(), static_cast<double>(std::sin(low)), 1e-11);
  EXPECT_NEAR(answer.optimum.normal.z(), 0.0, 1e-15);
}

TEST(CoreDistance, CapAndFaceAlmostParallelAndAlmostAsDeep) {
  const double tilt = 0x1.7bdacdc6b7c3ep-19, along = 0x1.fffffffff7318p-1;
  Matrix3 rotation;
  rotation << 0.0, 1.0, 0.0, -tilt, 0.0, along, along, 0.0, tilt;
  const TestPair test{
      Cone{.radius = 0.12758477413860395, .half_length = 0.09840195946042359},
      Box{.half_extents = {0.31474218068855697, 0.40210549903562753, 0.22087958814074504}},
      {rotation, {-0x1.9bc18b3f995fep-2, -0x1.7e21cbba9f2c3p-4, -0x1.9dc19461a0004p-2}}};
  const Vector3 cap = -Vector3::UnitZ(), face = -rotation.col(0);
  ASSERT_GT(test.separation_of_cores(cap), test.separation_of_cores(face) + 1e-14L);
  EXPECT_LT((solve(test).optimum.normal - cap).norm(), 1e-9);
}

/// Axes parallel or at right angles, sizes and places on a grid: corners on axes, equal radii, rims
/// in planes of rims. Whatever ties this makes, the depth is proved without a search over all
/// directions, and no direction of a lattice or of the axes is better.
TEST(CoreDistance, AlignedShapesOnAGrid) {
  Random random(208);
  std::vector<Vector3> directions = lattice_directions(150);
  for (int axis = 0; axis < 3; ++axis) {
    directions.push_back(Vector3::Unit(axis));
    directions.push_back(-Vector3::Unit(axis));
  }
  const auto size = [&] { return 0.05 * (1 + random.below(5)); };
  const auto shape = [&](int kind) -> Shape {
    if (kind == 0) return Box{.half_extents = {size(), size(), size()}};
    if (kind == 1) return Cylinder{.radius = size(), .half_length = size()};
    if (kind == 2) return Cone{.radius = size(), .half_length = size()};
    return Ellipsoid{.semi_axes = {size(), size(), size()}};
  };
  const auto place = [&] { return 0.05 * (random.below(13) - 6); };
  int overlapping = 0, many = 0;
  for (int i = 0; i < repetitions(4000); ++i) {
    Matrix3 R = Matrix3::Identity();
    for (int axis = 0; axis < 3; ++axis)
      R *= Random::turn(Vector3::Unit(axis), random.below(4) * M_PI / 2.0);
    R = R.array().round().matrix();
    const TestPair test{
        shape(random.below(4)), shape(1 + random.below(3)), {R, {place(), place(), place()}}};
    const Distance found = distance(test.a, Pose{}, test.b, test.X_AB);
    SCOPED_TRACE(::testing::Message() << i << " " << test.a.to_string() << " " << test.b.to_string()
                                      << " at " << test.X_AB.translation.transpose() << "\n"
                                      << R);
    EXPECT_NE(found.status, Status::not_converged);
    if (!(found.distance < 0.0)) continue;
    ++overlapping;
    many += found.support_calls > 1000 ? 1 : 0;
    const double radius = test.cores().radius();
    for (const Vector3& m : directions)
      EXPECT_LE(static_cast<double>(test.separation_of_cores(m)) - radius,
                found.upper + 8.0 * kEps * test.scale());
  }
  EXPECT_GT(overlapping, repetitions(4000) / 4);
  EXPECT_LE(many, overlapping / 200);
}

/// Bodies of revolution and ellipsoids of nearly equal sizes, almost in the same place: caps and
/// sides tie, and optima fill circles. The depth is still proved in milliseconds, and neither an
/// axis, nor a direction of its circle, nor one beside the normal is better.
TEST(CoreDistance, NearlyCoincidentBodiesAreProved) {
  Random random(209);
  const auto one = [&](double spread) { return 1.0 + spread * random.uniform(-1.0, 1.0); };
  const auto hardly = [&] { return 1.0 + 0.1 * random.log_uniform(1e-12, 1.0); };
  const auto shape = [&](int kind, double spread) -> Shape {
    if (kind == 0) return Cylinder{.radius = one(spread), .half_length = one(spread)};
    if (kind == 1) return Cone{.radius = one(spread), .half_length = one(spread)};
    if (kind == 2) return Ellipsoid{.semi_axes = {1.0, 1.0, hardly()}};
    return Ellipsoid{.semi_axes = {hardly(), hardly(), hardly()}};
  };
  std::vector<Vector3> lattice = lattice_directions(100);
  for (int i = 0; i < repetitions(1500); ++i) {
    const int kind = i % 4;
    const double spread = random.chance(0.5) ? 0.0 : 0.1;
    const Shape a = shape(kind, spread),
                b = random.chance(0.6) ? a : shape(kind < 2 ? random.below(2) : kind, spread);
    const Matrix3 R = Random::turn(random.direction(),
                                   random.chance(0.2) ? 0.0 : random.log_uniform(1e-12, 1e-2));
    const Vector3 t = (random.chance(0.2) ? 0.0 : random.log_uniform(1e-12, 1e-2)) *
                      random.direction();
    const TestPair test{a, b, {R, t}};
    const Distance found = distance(a, Pose{}, b, test.X_AB);
    SCOPED_TRACE(::testing::Message() << i << " " << a.to_string() << " " << b.to_string() << " at "
                                      << t.transpose() << "\n"
                                      << R);
    EXPECT_EQ(found.status, Status::penetrating);
    EXPECT_LE(found.support_calls, 20000);
    std::vector<Vector3> directions = lattice;
    for (const Matrix3& frame : {Matrix3(Matrix3::Identity()), R}) {
      for (int k = 0; k < 3; ++k)
        directions.insert(directions.end(), {frame.col(k), -frame.col(k)});
      for (double angle = 0.05; angle < 6.28; angle += 0.2)
        directions.push_back((frame * Vector3(std::cos(angle), std::sin(angle), 0.0)).normalized());
    }
    for (double step = 1e-9; step < 0.1; step *= 10.0)
      directions.push_back((found.normal + step * random.direction()).normalized());
    const double radius = test.cores().radius(), slack = 8.0 * kEps * test.scale();
    for (const Vector3& m : directions)
      EXPECT_LE(static_cast<double>(test.separation_of_cores(m)) - radius, found.upper + slack);
    EXPECT_GE(static_cast<double>(test.separation_of_cores(found.normal)) - radius,
              found.lower - slack);
  }
}

TEST(CoreDistance, StopsAboveTheLimit) {
  Random random(133);
  const TestPair test{random_hull(random, 100), Ellipsoid{.semi_axes = {0.1, 0.2, 0.3}},
                      at(2.0, 0.5, 0.1)};
  const double truth = static_cast<double>(test.core_truth());
  const CoreDistance early = solve(test, true, 0.0);
  EXPECT_TRUE(early.beyond_limit);
  EXPECT_GT(early.optimum.lower, 0.0);
  EXPECT_LE(early.optimum.lower, truth + 16.0 * kEps);
  EXPECT_LE(early.iterations, solve(test).iterations);
  EXPECT_FALSE(solve(test, true, 1.01 * truth).beyond_limit);
}

TEST(CoreDistance, OneIterationLeavesValidBounds) {
  Random random(134);
  for (int i = 0; i < 60; ++i) {
    const TestPair test{
        random_hull(random, 20),
        Cylinder{.radius = random.uniform(0.1, 0.5), .half_length = random.uniform(0.1, 0.5)},
        random_pose(random, 0.8)};
    Real error = 0;
    const double truth = static_cast<double>(test.core_truth(&error));
    const CoreDistance answer = solve(test, true, kInfinity, 1);
    SCOPED_TRACE(i);
    EXPECT_LE(answer.optimum.lower, truth + static_cast<double>(error) + 16.0 * kEps);
    EXPECT_GE(answer.upper, truth - 16.0 * kEps);
  }
}

TEST(CoreDistance, AnyFirstDirectionWillDo) {
  Random random(135);
  const TestPair test{random_hull(random, 30), Cone{.radius = 0.3, .half_length = 0.4},
                      random_pose(random, 0.8)};
  const double truth = static_cast<double>(test.core_truth());
  for (int i = 0; i < 100; ++i) {
    CorePair pair = test.cores();
    const CoreDistance answer = solve_iteratively(pair, random.direction(),
                                                  {.gap = kTolerance * test.scale(),
                                                   .max_iterations = 128,
                                                   .stop_above = kInfinity,
                                                   .second_order = true});
    expect_answer(test, answer, truth, 0.0, 1e-12);
  }
}

}  // namespace
}  // namespace tactum::core_distance_test
