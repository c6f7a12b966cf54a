// SPDX-License-Identifier: BSD-2-Clause
// The boolean query: agreement with the distance, a separating plane that holds, every status, errors by field.
#include "narrow/narrow_fixtures.hpp"

namespace tactum {
namespace {

using namespace tactum::testing;

/// Gap along the normal in extended precision.
Real gap_along(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const Vector3& normal_W) {
  const Vec3 n = widen(X_WA.rotation).transpose() * widen(normal_W);
  return separation(ConvexBody(a, Pose{}), ConvexBody(b, relative_pose(X_WA, X_WB)), n.normalized());
}

TEST(Collide, AgreesWithTheDistanceForEveryPair) {
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i == 6 && j == 6) continue;
      Random random(171, static_cast<std::uint64_t>(8 * i + j));
      int hits = 0;
      const int count = 40;
      for (int k = 0; k < count; ++k) {
        const Shape a = random_shape_of(static_cast<ShapeKind>(i), random),
                    b = random_shape_of(static_cast<ShapeKind>(j), random);
        const Pose X_WA = random_pose(random, 0.4), X_WB = random_pose(random, 0.4);
        const Truth truth = oracle_distance(a, b, relative_pose(X_WA, X_WB));
        const Collision c = collide(a, X_WA, b, X_WB);
        SCOPED_TRACE(::testing::Message() << k << " " << a.to_string() << " " << b.to_string());
        EXPECT_EQ(c.colliding, truth.distance < 0);
        EXPECT_EQ(static_cast<bool>(c), c.colliding);
        EXPECT_EQ(c.status, truth.distance < 0 ? Status::penetrating : Status::separated);
        EXPECT_EQ(c.status, distance(a, X_WA, b, X_WB).status);
        EXPECT_NEAR(c.normal.norm(), 1.0, 4.0 * kEps);
        // the proved gap: never more than the truth, and attained along the normal
        EXPECT_LE(c.lower, static_cast<double>(truth.distance + truth.error));
        EXPECT_GE(static_cast<double>(gap_along(a, X_WA, b, X_WB, c.normal)), c.lower - 16.0 * kEps);
        EXPECT_EQ(c.lower > 0.0, !c.colliding);
        hits += c.colliding ? 1 : 0;
        if (::testing::Test::HasFailure()) return;
      }
      EXPECT_GT(hits, 0);
    }
  }
}

TEST(Collide, TouchingCounts) {
  const Shape box = Box{.half_extents = {0.5, 0.5, 0.5}}, ball = Sphere{.radius = 0.25};
  struct Case {
    Shape a, b;
    Pose X;
  };
  for (const Case& c : {Case{box, ball, at(0.75, 0, 0)}, Case{ball, ball, at(0.5, 0, 0)}, Case{box, box, at(1.0, 0.2, 0.1)},
                        Case{box, box, at(1.0, 1.0, 1.0)}, Case{HalfSpace{}, ball, at(0, 0, 0.25)},
                        Case{box, Cylinder{.radius = 0.3, .half_length = 0.5}, at(0, 0, 1.0)}}) {
    const Collision result = collide(c.a, {}, c.b, c.X);
    SCOPED_TRACE(c.a.to_string() + " " + c.b.to_string());
    EXPECT_EQ(result.status, Status::touching);
    EXPECT_TRUE(result.colliding);
    EXPECT_LE(result.lower, 0.0);
  }
}

TEST(Collide, BandsAroundContact) {
  const Shape ball = Sphere{.radius = 0.5};
  EXPECT_EQ(collide(ball, {}, ball, at(1.0 + 200.0 * kEps, 0, 0)).status, Status::separated);
  EXPECT_EQ(collide(ball, {}, ball, at(1.0 + 20.0 * kEps, 0, 0)).status, Status::touching);
  EXPECT_EQ(collide(ball, {}, ball, at(1.0 - 20.0 * kEps, 0, 0)).status, Status::touching);
  EXPECT_EQ(collide(ball, {}, ball, at(1.0 - 200.0 * kEps, 0, 0)).status, Status::penetrating);
}

TEST(Collide, StopsAtTheFirstPlane) {
  Random random(172);
  int boolean = 0, full = 0;
  for (int i = 0; i < 50; ++i) {
    const Shape a = random_hull(random, 200), b = random_hull(random, 200);
    const Pose X{random.rotation(), Vector3(1.5, 0.1, 0.2)};
    const Collision c = collide(a, {}, b, X);
    EXPECT_FALSE(c.colliding);
    EXPECT_GT(c.lower, 0.0);
    boolean += c.iterations;
    full += distance(a, {}, b, X).iterations;
  }
  EXPECT_LE(boolean, 50);  // the first direction separates shapes this far apart
  EXPECT_GT(full, 2 * boolean);
}

TEST(Collide, TheWarmStartIsASeparatingPlane) {
  Random random(173);
  for (int i = 0; i < 100; ++i) {
    const Shape a = random_hull(random, 40), b = random_solid(random);
    Pose X = random_pose(random, 0.9);
    const Collision first = collide(a, {}, b, X);
    if (first.colliding) continue;
    const Collision again = collide(a, {}, b, X, {.warm_start = &first.warm_start});
    EXPECT_FALSE(again.colliding);
    EXPECT_LE(again.iterations, 1);
  }
}

TEST(Collide, OneIterationIsNeverWrong) {
  Random random(174);
  for (int i = 0; i < 200; ++i) {
    const Shape a = random_shape_of(static_cast<ShapeKind>(random.below(8)), random), b = random_solid(random);
    const Pose X_WA = random_pose(random, 0.4), X_WB = random_pose(random, 0.4);
    const Truth truth = oracle_distance(a, b, relative_pose(X_WA, X_WB));
    const Collision c = collide(a, X_WA, b, X_WB, {.tolerance = 64.0 * kEps, .max_iterations = 1});
    SCOPED_TRACE(::testing::Message() << i << " " << a.to_string() << " " << b.to_string());
    EXPECT_LE(c.lower, static_cast<double>(truth.distance + truth.error));
    if (c.status != Status::not_converged) {
      EXPECT_EQ(c.colliding, truth.distance < 0);
    } else if (c.colliding) {
      EXPECT_LT(truth.distance, 0);
    }
  }
}

TEST(Collide, ErrorsByField) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Shape ball = Sphere{.radius = 0.1};
  const auto with = [&](const CollideOptions& options) {
    return rejected_field([&] { collide(ball, {}, ball, at(1, 0, 0), options); });
  };
  EXPECT_EQ(with({}), "");
  EXPECT_EQ(with({.tolerance = nan}), "tolerance");
  EXPECT_EQ(with({.max_iterations = -5}), "max_iterations");
  EXPECT_EQ(with({.initial_direction = {0, 0, nan}}), "initial_direction[2]");
  EXPECT_EQ(rejected_field([] { collide(HalfSpace{}, {}, HalfSpace{}, {}); }), "b");
  Pose bad;
  bad.translation.x() = kInfinity;
  EXPECT_EQ(rejected_field([&] { collide(ball, bad, ball, {}); }).find("X_WA"), 0U);
  EXPECT_EQ(rejected_field([&] { collide(ball, {}, ball, bad); }).find("X_WB"), 0U);
}

TEST(Collide, CorrectedPosesAreFlagged) {
  Pose off = at(2, 0, 0);
  off.rotation(0, 1) = 1e-8;
  EXPECT_TRUE(collide(Sphere{.radius = 0.1}, {}, Box{.half_extents = {0.5, 0.4, 0.3}}, off).pose_corrected);
  EXPECT_TRUE(collide(HalfSpace{}, off, Box{.half_extents = {0.5, 0.4, 0.3}}, {}).pose_corrected);
  EXPECT_FALSE(collide(Sphere{.radius = 0.1}, {}, Sphere{.radius = 0.1}, at(1, 0, 0)).pose_corrected);
}

}  // namespace
}  // namespace tactum
