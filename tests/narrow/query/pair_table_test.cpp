// SPDX-License-Identifier: BSD-2-Clause
// Pairs solved in the axes of the world: against independent closed forms and segments, with
// certificates recomputed from the shapes; equal bits at every SIMD level; refused queries get a
// right answer from the general solution.
#include "narrow/query/pair_table.hpp"

#include "narrow/formula/point_primitive.hpp"
#include "narrow/narrow_fixtures.hpp"
#include "narrow/pair/pair_frame.hpp"

namespace tactum::pair_table_test {
namespace {

using namespace tactum::testing;
using Kind = CoreShape::Kind;

constexpr std::array<ShapeKind, 6> kinds = {ShapeKind::sphere, ShapeKind::capsule,
                                            ShapeKind::box,    ShapeKind::cylinder,
                                            ShapeKind::cone,   ShapeKind::ellipsoid};

struct Query {
  Shape a;
  Pose X_WA;
  Shape b;
  Pose X_WB;

  bool solve(const PairTable& table, Distance& result, const DistanceOptions& options = {}) const {
    const PairEntry& entry = pair_entry(table, a.core(), b.core());
    return entry.try_directly != nullptr &&
           entry.try_directly(a.core(), X_WA, b.core(), X_WB, options, result);
  }
  double scale() const { return pair_scale(a, X_WA, b, X_WB); }
};

Query random_query(ShapeKind a, ShapeKind b, double reach, Random& random) {
  Shape shape_a = random_shape_of(a, random), shape_b = random_shape_of(b, random);
  return {std::move(shape_a), random_pose(random, reach), std::move(shape_b),
          random_pose(random, reach)};
}

SurfacePoint point_from(const CoreShape& primitive, const Vector3& p) {
  switch (primitive.kind) {
    case Kind::box: return point_box(primitive.size, p);
    case Kind::cylinder: return point_cylinder(primitive.size.x(), primitive.size.y(), p);
    default: return point_cone(primitive.size.x(), primitive.size.y(), p);
  }
}

bool is_thin(const Shape& shape) {
  return shape.core().kind == Kind::point || shape.core().kind == Kind::segment;
}

/// Whether a pair is neither two thin cores nor a point and a primitive that has a closed form of
/// its own.
bool needs_search(const Query& q) {
  const auto is_point = [](const Shape& shape) { return shape.core().kind == Kind::point; };
  const auto is_ellipsoid = [](const Shape& shape) { return shape.core().kind == Kind::ellipsoid; };
  if (is_ellipsoid(q.a) || is_ellipsoid(q.b)) return true;
  return !(is_thin(q.a) && is_thin(q.b)) && !is_point(q.a) && !is_point(q.b);
}

/// The distance of the cores by a method that is not the one tested.
double truth_of_cores(const Query& q) {
  if (needs_search(q)) {
    Distance general;
    general_distance(pair_entry(pair_table(), q.a.core(), q.b.core()).solvers, q.a, q.X_WA, q.b,
                     q.X_WB, {}, general);
    return general.distance + q.a.core().radius + q.b.core().radius;
  }
  if (!is_thin(q.a)) return point_from(q.a.core(), inverse(q.X_WA) * q.X_WB.translation).distance;
  if (!is_thin(q.b)) return point_from(q.b.core(), inverse(q.X_WB) * q.X_WA.translation).distance;
  const auto end = [](const Shape& shape, const Pose& X, double sign) {
    const Vec3 half = shape.core().kind == Kind::segment ? widen(shape.core().size)
                                                         : Vec3(Vec3::Zero());
    return Vec3(widen(X.rotation) * (Real(sign) * half) + widen(X.translation));
  };
  return static_cast<double>(distance_segment_segment(end(q.a, q.X_WA, -1), end(q.a, q.X_WA, 1),
                                                      end(q.b, q.X_WB, -1), end(q.b, q.X_WB, 1)));
}

/// Farthest point of a shape along a direction of the world.
Vector3 support(const Shape& shape, const Pose& X, const Vector3& n) {
  return X * shape.support(X.rotation.transpose() * n);
}

void expect_certified(const Query& q, const Distance& found) {
  const double scale = q.scale(),
               far = std::max({scale, q.X_WA.translation.norm(), q.X_WB.translation.norm()});
  const double truth = truth_of_cores(q) - q.a.core().radius - q.b.core().radius;
  // the search proves smooth optima to this gap only
  const double other = needs_search(q) ? 2e-13 * scale : 0.0;
  EXPECT_NEAR(found.distance, truth, 8.0 * kEps * scale + other);
  EXPECT_LE(found.lower, truth + 4.0 * kEps * scale + other);
  EXPECT_GE(found.upper, truth - 4.0 * kEps * scale - other);
  EXPECT_LE(found.upper - found.lower, 64.0 * kEps * scale + other);
  EXPECT_EQ(found.status, found.distance > 0.0 ? Status::separated : Status::penetrating);
  const Vector3& n = found.normal;
  EXPECT_NEAR(n.norm(), 1.0, 8.0 * kEps);
  EXPECT_NEAR(n.dot(support(q.b, q.X_WB, -n) - support(q.a, q.X_WA, n)), found.distance,
              32.0 * kEps * far);
  EXPECT_LE((found.point_b - found.point_a - found.distance * n).norm(), 16.0 * kEps * far);
  // each point is in its shape: it is outside along no direction, in particular not along the
  // normal
  for (const Vector3& direction : {n, Vector3(-n), Vector3(Vector3::UnitX()),
                                   Vector3(Vector3::UnitY()), Vector3(-Vector3::UnitZ())}) {
    EXPECT_LE(direction.dot(found.point_a - support(q.a, q.X_WA, direction)), 32.0 * kEps * far);
    EXPECT_LE(direction.dot(found.point_b - support(q.b, q.X_WB, direction)), 32.0 * kEps * far);
  }
  EXPECT_LE((q.X_WA.rotation * found.warm_start.direction_A - n).norm(), 16.0 * kEps);
  EXPECT_FALSE(found.pose_corrected);
}

TEST(PairTable, EveryPairIsRightAndNearlyAlwaysAnswered) {
  for (const ShapeKind a : kinds) {
    for (const ShapeKind b : kinds) {
      Random random(311, static_cast<std::uint64_t>(a) * 8 + static_cast<std::uint64_t>(b));
      int answered = 0, expected = 0;
      for (int i = 0; i < repetitions(2000); ++i) {
        const Query q = random_query(a, b, i % 2 == 0 ? 0.7 : 0.25, random);
        SCOPED_TRACE(::testing::Message() << q.a.to_string() << " " << q.b.to_string() << " " << i);
        Distance found;
        // segments that meet the other core have no direct form
        const bool apart = truth_of_cores(q) > 0.02 * q.scale(),
                   solved = q.solve(pair_table(), found);
        expected += apart ? 1 : 0;
        answered += apart && solved ? 1 : 0;
        if (solved) expect_certified(q, found);
        if (::testing::Test::HasFailure()) return;
      }
      EXPECT_GE(answered, expected * 95 / 100);
      EXPECT_GE(expected, repetitions(500));
    }
  }
}

/// Axes along faces, planes, slants and each other: the nearest points fill an edge or a face, and
/// any of them is right.
TEST(PairTable, ParallelCapsulesAreAnswered) {
  const Shape capsule = Capsule{.radius = 0.1, .half_length = 0.3};
  const double slant = std::atan2(0.2, 0.6);
  const Pose flat = turned(Vector3::UnitY(), M_PI / 2, {0.0, 0.0, 0.0}),
             leaning = turned(Vector3::UnitY(), -slant, {0.0, 0.0, 0.0});
  for (const Shape& primitive : {Shape(Box{.half_extents = {0.2, 0.3, 0.3}}),
                                 Shape(Cylinder{.radius = 0.2, .half_length = 0.3}),
                                 Shape(Cone{.radius = 0.2, .half_length = 0.3}), capsule}) {
    for (const Pose& turn : {Pose{}, flat, leaning}) {
      for (const Vector3& t : {Vector3(0.7, 0.0, 0.0), Vector3(0.7, 0.0, 0.2),
                               Vector3(0.6, 0.125, -0.5), Vector3(0.0, 0.25, 0.9)}) {
        const Query q{capsule, {turn.rotation, t}, primitive, at(0.0, 0.0, 0.0)};
        SCOPED_TRACE(::testing::Message() << primitive.to_string() << " " << t.transpose() << " "
                                          << turn.rotation.row(0));
        Distance found;
        ASSERT_TRUE(q.solve(pair_table(), found));
        expect_certified(q, found);
      }
    }
  }
}

void expect_same_bits(const Distance& x, const Distance& y) {
  EXPECT_EQ(x.status, y.status);
  EXPECT_EQ(x.distance, y.distance);
  EXPECT_EQ(x.lower, y.lower);
  EXPECT_EQ(x.upper, y.upper);
  EXPECT_EQ(x.normal, y.normal);
  EXPECT_EQ(x.point_a, y.point_a);
  EXPECT_EQ(x.point_b, y.point_b);
  EXPECT_EQ(x.warm_start, y.warm_start);
}

TEST(PairTable, EveryLevelRefusesTheSameAndGivesTheSameBits) {
  Random random(312);
  int refused = 0, answered = 0;
  for (int i = 0; i < repetitions(20000); ++i) {
    Query q = random_query(kinds[random.below(6)], kinds[random.below(6)], 0.7, random);
    Pose& pose = random.chance(0.5) ? q.X_WA : q.X_WB;
    // rotations on both sides of the limit of exactness, and numbers out of range
    if (random.chance(0.5))
      pose.rotation.data()[random.below(9)] += random.sign() * random.log_uniform(1e-17, 1e-13);
    if (random.chance(0.1)) pose.rotation *= random.chance(0.5) ? 0.0 : 1e-200;
    if (random.chance(0.1))
      pose.rotation.data()[random.below(9)] = random.chance(0.5) ? kInfinity : 2.0;
    if (random.chance(0.1))
      pose.translation[random.below(3)] = random.chance(0.5) ? -kInfinity : 1.1e30;
    Distance base;
    const bool solved = q.solve(pair_table(SimdLevel::baseline), base);
    (solved ? answered : refused) += 1;
    for (const SimdLevel level : kSimdLevels) {
      if (level > machine_simd_level()) continue;
      Distance other;
      ASSERT_EQ(q.solve(pair_table(level), other), solved) << i;
      expect_same_bits(other, base);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(refused, repetitions(1000));
  EXPECT_GT(answered, repetitions(3000));
}

TEST(PairTable, WhatIsNotANumberIsRefusedWithoutATrap) {
  const Query good{Sphere{.radius = 0.1}, at(0.0, 0.0, 0.0),
                   Capsule{.radius = 0.1, .half_length = 0.2}, at(1.0, 0.0, 0.0)};
  Distance found;
  for (const SimdLevel level : kSimdLevels) {
    if (level > machine_simd_level()) continue;
    EXPECT_TRUE(good.solve(pair_table(level), found));
    constexpr double quiet = std::numeric_limits<double>::quiet_NaN(),
                     loud = std::numeric_limits<double>::signaling_NaN();
    for (const double bad : {quiet, loud, kInfinity, 1e300, -2.0}) {
      Query q = good;
      for (int entry = 0; entry < 9; ++entry) {
        q.X_WA = good.X_WA;
        q.X_WA.rotation.data()[entry] = bad;
        EXPECT_FALSE(q.solve(pair_table(level), found));
      }
    }
    for (const double bad : {quiet, loud, -kInfinity, 1e300, 1.1e30}) {
      Query q = good;
      for (int entry = 0; entry < 3; ++entry) {
        q.X_WB = good.X_WB;
        q.X_WB.translation[entry] = bad;
        EXPECT_FALSE(q.solve(pair_table(level), found));
      }
    }
    Query q = good;
    q.X_WA.rotation.setZero();
    EXPECT_FALSE(q.solve(pair_table(level), found));
  }
}

TEST(PairTable, WritesEveryFieldOfAnOldResult) {
  const Query apart{Sphere{.radius = 0.1}, at(0.0, 0.0, 0.0), Box{.half_extents = {0.1, 0.2, 0.3}},
                    at(1.0, 0.0, 0.0)};
  Distance fresh, old;
  old.iterations = old.support_calls = old.vertices_visited = 7;
  old.pose_corrected = true;
  old.warm_start.vertices = {3, 4};
  const std::array<WarmPolytope::VertexPair, 1> vertex = {{{1, 2}}};
  ASSERT_TRUE(old.warm_start.polytope.assign(vertex, {}));
  for (const SimdLevel level : kSimdLevels) {
    if (level > machine_simd_level()) continue;
    Distance result = old;
    ASSERT_TRUE(apart.solve(pair_table(level), fresh));
    ASSERT_TRUE(apart.solve(pair_table(level), result));
    expect_same_bits(result, fresh);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(result.support_calls, 1);
    EXPECT_EQ(result.vertices_visited, 0);
    EXPECT_FALSE(result.pose_corrected);
  }
}

TEST(PairTable, ATighterToleranceThanIsProvedGoesTheGeneralWay) {
  const Query q{Ellipsoid{.semi_axes = {0.1, 0.2, 0.3}}, at(0.0, 0.0, 0.0),
                Ellipsoid{.semi_axes = {0.3, 0.2, 0.1}}, at(0.3, 0.1, 0.0)};
  Distance found;
  EXPECT_TRUE(q.solve(pair_table(), found, {.tolerance = 1e-12}));
  EXPECT_FALSE(q.solve(pair_table(), found, {.tolerance = 3e-13}));
}

TEST(PairTable, CutoffIsProved) {
  Query q{Sphere{.radius = 0.1}, at(0.0, 0.0, 0.0), Box{.half_extents = {0.1, 0.2, 0.3}},
          at(1.0, 0.0, 0.0)};
  Distance found;
  ASSERT_TRUE(q.solve(pair_table(), found, {.cutoff = 0.7}));
  EXPECT_EQ(found.status, Status::beyond_cutoff);
  EXPECT_EQ(found.distance, found.lower);
  EXPECT_EQ(found.upper, kInfinity);
  EXPECT_NEAR(found.lower, 0.8, 16.0 * kEps);
  ASSERT_TRUE(q.solve(pair_table(), found, {.cutoff = 0.9}));
  EXPECT_EQ(found.status, Status::separated);
}

TEST(PairTable, PointsOnTheAxisAndAtTheSurfaceGoTheGeneralWay) {
  const double r = 0.2, l = 0.3;
  const auto depth = [&](const Shape& primitive, const Vector3& p) {
    const Distance found = distance(primitive, {}, Sphere{.radius = 0.0}, {Matrix3::Identity(), p});
    EXPECT_NE(found.status, Status::not_converged);
    EXPECT_NEAR(found.normal.norm(), 1.0, 8.0 * kEps);
    return found.distance;
  };
  const Shape cylinder = Cylinder{.radius = r, .half_length = l},
              cone = Cone{.radius = r, .half_length = l}, box = Box{.half_extents = {r, r, l}};
  EXPECT_NEAR(depth(cylinder, {0.0, 0.0, 0.0}), -r, 1e-15);
  EXPECT_NEAR(depth(cylinder, {0.0, 0.0, 0.5}), 0.2, 1e-15);
  EXPECT_NEAR(depth(cone, {0.0, 0.0, 0.5}), 0.2, 1e-15);
  EXPECT_NEAR(depth(cone, {0.0, 0.0, -0.4}), 0.1, 1e-15);
  EXPECT_NEAR(depth(box, {0.0, 0.0, 0.0}), -r, 1e-15);
  EXPECT_NEAR(depth(box, {r, 0.0, 0.0}), 0.0, 1e-15);
  EXPECT_NEAR(depth(cylinder, {r, 0.0, 0.0}), 0.0, 1e-15);
  EXPECT_NEAR(depth(cylinder, {r, 0.0, l}), 0.0, 1e-15);
}

/// Below the base and beyond the rim a point may be behind the plane of the slant; the rim is still
/// nearest.
TEST(PairTable, EveryRegionAroundACone) {
  const Shape cone = Cone{.radius = 0.2, .half_length = 0.3};
  for (double x = -0.6; x <= 0.6; x += 0.03125) {
    for (double z = -0.9; z <= 0.9; z += 0.03125) {
      const Query q{cone, at(0.0, 0.0, 0.0), Sphere{.radius = 0.05}, at(x, 0.01, z)};
      SCOPED_TRACE(::testing::Message() << x << " " << z);
      Distance found;
      ASSERT_TRUE(q.solve(pair_table(), found));
      if (std::abs(found.distance) > 1e-12) expect_certified(q, found);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tactum::pair_table_test
