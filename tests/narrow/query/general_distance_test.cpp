// SPDX-License-Identifier: BSD-2-Clause
// The general solution against the oracle for every pair that also has a direct form: poses that
// need a correction, results that are written over old ones, refusals.
#include "narrow/query/general_distance.hpp"

#include "narrow/narrow_fixtures.hpp"
#include "narrow/query/pair_table.hpp"

namespace tactum::general_distance_test {
namespace {

using namespace tactum::testing;

constexpr std::array kKinds = {ShapeKind::sphere,    ShapeKind::capsule, ShapeKind::box,
                               ShapeKind::cylinder,  ShapeKind::cone,    ShapeKind::ellipsoid,
                               ShapeKind::half_space};

const PairSolvers& solvers_of(const Shape& a, const Shape& b) {
  return pair_entry(pair_table(), a.core(), b.core()).solvers;
}

TEST(GeneralDistance, AgreesWithTheOracleWhereADirectFormAnswersFirst) {
  for (const ShapeKind kind_a : kKinds) {
    for (const ShapeKind kind_b : kKinds) {
      if (kind_a == ShapeKind::half_space && kind_b == ShapeKind::half_space) continue;
      Random random(171,
                    16 * static_cast<std::uint64_t>(kind_a) + static_cast<std::uint64_t>(kind_b));
      for (int k = 0; k < repetitions(12); ++k) {
        const Shape a = random_shape_of(kind_a, random), b = random_shape_of(kind_b, random);
        const Pose X_WA = random_pose(random, 0.4),
                   X_WB = random_pose(random, k % 2 == 0 ? 0.4 : 1.5);
        SCOPED_TRACE(::testing::Message() << k << " " << a.to_string() << " " << b.to_string());
        const Truth truth = oracle_distance(a, b, pose_in_frame_of_a(X_WA, X_WB));
        const double scale = pair_scale(a, X_WA, b, X_WB);
        Distance r;
        ASSERT_TRUE(try_general_distance(solvers_of(a, b), a.core(), X_WA, b.core(), X_WB, {}, r));
        EXPECT_NEAR(r.distance, static_cast<double>(truth.distance),
                    static_cast<double>(truth.error) + 1e-12 * scale);
        EXPECT_LE(r.lower, static_cast<double>(truth.distance + truth.error));
        EXPECT_GE(r.upper, static_cast<double>(truth.distance));
        // without its closed form a pair takes the iterations, and the answer is the same
        Distance iterated;
        if (kind_a == ShapeKind::half_space || kind_b == ShapeKind::half_space) continue;
        ASSERT_TRUE(try_general_distance({}, a.core(), X_WA, b.core(), X_WB, {}, iterated));
        if (iterated.status != Status::not_converged) {
          EXPECT_NEAR(iterated.distance, r.distance, 1e-10 * scale);
        }
      }
    }
  }
}

TEST(GeneralDistance, CorrectsPosesAndSaysSo) {
  const Shape a = Box{.half_extents = {0.1, 0.2, 0.3}}, b = Sphere{.radius = 0.1};
  Pose X_WB = at(1.0, 0.0, 0.0);
  X_WB.rotation *= 1.0 + 1e-9;
  Distance r;
  ASSERT_TRUE(try_general_distance(solvers_of(a, b), a.core(), {}, b.core(), X_WB, {}, r));
  EXPECT_TRUE(r.pose_corrected);
  EXPECT_NEAR(r.distance, 0.8, 1e-14);
}

TEST(GeneralDistance, WritesEveryFieldOverAnOldResult) {
  Random random(172);
  const Shape hull = random_hull(random, 12), ball = Sphere{.radius = 0.1};
  const WarmStart none;
  Distance fresh, old;
  // a tracked query of hulls leaves a polytope, vertices and counters
  ASSERT_TRUE(try_general_distance(solvers_of(hull, hull), hull.core(), {}, hull.core(),
                                   at(2.0, 0.1, 0.2), {.warm_start = &none}, old));
  ASSERT_FALSE(old.warm_start.polytope.vertices().empty());
  const auto query = [&](Distance& r) {
    return try_general_distance(solvers_of(ball, ball), ball.core(), {}, ball.core(),
                                at(0.5, 0.0, 0.0), {}, r);
  };
  ASSERT_TRUE(query(fresh) && query(old));
  EXPECT_EQ(old.warm_start, fresh.warm_start);
  EXPECT_EQ(old.distance, fresh.distance);
  EXPECT_EQ(old.support_calls, fresh.support_calls);
  EXPECT_EQ(old.vertices_visited, fresh.vertices_visited);
  EXPECT_EQ(old.iterations, fresh.iterations);
  EXPECT_FALSE(old.pose_corrected);
}

TEST(GeneralDistance, RefusesWhatDistanceRefuses) {
  const Shape ball = Sphere{.radius = 0.1}, plane = HalfSpace{};
  Pose bad;
  bad.rotation *= 2.0;
  Distance r;
  EXPECT_FALSE(
      try_general_distance(solvers_of(ball, ball), ball.core(), bad, ball.core(), {}, {}, r));
  EXPECT_FALSE(
      try_general_distance(solvers_of(plane, plane), plane.core(), {}, plane.core(), {}, {}, r));
  EXPECT_THROW(general_distance(solvers_of(ball, ball), ball, bad, ball, {}, {}, r), InvalidInput);
  EXPECT_THROW(general_distance(solvers_of(plane, plane), plane, {}, plane, {}, {}, r),
               InvalidInput);
}

}  // namespace
}  // namespace tactum::general_distance_test
