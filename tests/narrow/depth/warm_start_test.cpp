// SPDX-License-Identifier: BSD-2-Clause
// Warm starts give the answers of cold queries, with less work, through small motions, jumps,
// swapped shapes and records of other pairs.
#include "narrow/depth/warm_start.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::warm_start_test {
namespace {

using namespace tactum::testing;
using VertexPair = WarmPolytope::VertexPair;
using Triangle = WarmPolytope::Triangle;

const std::vector<Triangle> tetrahedron = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
const std::vector<VertexPair> four = {{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 3}}};

Pose moved(const Pose& X, Random& random, double length, double angle) {
  return {Random::turn(random.direction(), angle) * X.rotation,
          X.translation + length * random.direction()};
}

/// The pose of B moved along the normal until the signed distance is `gap`.
Pose placed(const Shape& a, const Shape& b, Pose X, double gap) {
  for (int i = 0; i < 40; ++i) {
    const Distance r = distance(a, {}, b, X);
    X.translation += (gap - r.distance) * r.normal;
    if (std::abs(gap - r.distance) < 1e-9) break;
  }
  return X;
}

Shape polyhedron(Random& random, int kind) {
  if (kind == 0)
    return Box{.half_extents = {random.uniform(0.05, 0.25), random.uniform(0.05, 0.25),
                                random.uniform(0.05, 0.25)}};
  constexpr std::array<int, 4> sizes = {4, 12, 60, 400};
  return random_hull(random, sizes[static_cast<std::size_t>(kind - 1)]);
}

/// Checks a warm answer against a cold one of the same pair: distance within rounding, status, and
/// bounds that both prove.
void expect_same(const Distance& cold, const Distance& warm, double scale) {
  EXPECT_NEAR(warm.distance, cold.distance, 64.0 * kEps * scale);
  EXPECT_EQ(warm.status, cold.status);
  EXPECT_LE(warm.lower, cold.upper);
  EXPECT_LE(cold.lower, warm.upper);
  EXPECT_LE(warm.upper - warm.lower, 1e-10 * scale);
  EXPECT_LE((warm.point_b - warm.point_a - warm.distance * warm.normal).norm(), 1e-10 * scale);
}

TEST(WarmStart, TrackedPairsAnswerAsColdOnes) {
  Random random(901);
  for (int i = 0; i < 60; ++i) {
    const Shape a = polyhedron(random, i % 5), b = polyhedron(random, 1 + i / 5 % 4);
    constexpr std::array<double, 5> gaps = {0.01, 1e-4, -1e-5, -0.01, -0.05};
    const double gap = gaps[static_cast<std::size_t>(random.below(5))];
    Pose X = placed(a, b, {random.rotation(), random.direction()}, gap);
    WarmStart warm;
    for (int step = 0; step < 40; ++step) {
      // one step in ten is a jump
      X = step % 10 == 9 ? Pose{random.rotation(), 0.3 * random.direction()}
                         : moved(X, random, 1e-3, 0.01);
      if (step % 4 != 3) X = placed(a, b, X, gap);
      SCOPED_TRACE(::testing::Message() << i << " " << step << " gap " << gap);
      const Distance cold = distance(a, {}, b, X),
                     tracked = distance(a, {}, b, X, {.warm_start = &warm});
      expect_same(cold, tracked, pair_scale(a, {}, b, X));
      warm = tracked.warm_start;
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(WarmStart, TrackedDepthsAreThoseOfTheOracle) {
  Random random(902);
  for (int i = 0; i < 12; ++i) {
    const Shape a = polyhedron(random, 1 + i % 2), b = polyhedron(random, 2);
    Pose X = placed(a, b, {random.rotation(), random.direction()}, -0.02);
    WarmStart warm;
    for (int step = 0; step < 6; ++step) {
      const Distance r = distance(a, {}, b, X, {.warm_start = &warm});
      const Truth truth = oracle_distance(a, b, X);
      const double error = static_cast<double>(truth.error) + 1e-14;
      EXPECT_NEAR(r.distance, static_cast<double>(truth.distance), error) << i << " " << step;
      warm = r.warm_start;
      X = moved(X, random, 2e-3, 0.01);
    }
  }
}

TEST(WarmStart, AProofIsTakenUpWhereItHolds) {
  Random random(903);
  int proved = 0, steps = 0;
  for (int i = 0; i < 10; ++i) {
    const Shape a = random_hull(random, 300), b = random_hull(random, 300);
    Pose X = placed(a, b, {random.rotation(), random.direction()}, -0.01);
    WarmStart warm;
    warm = distance(a, {}, b, X, {.warm_start = &warm}).warm_start;
    ASSERT_FALSE(warm.polytope.triangles().empty());
    for (int step = 0; step < 20; ++step) {
      X = moved(X, random, 1e-4, 1e-3);
      const Distance r = distance(a, {}, b, X, {.warm_start = &warm});
      ++steps;
      proved += r.iterations == 1 && r.support_calls == 1 ? 1 : 0;
      warm = r.warm_start;
    }
  }
  EXPECT_GT(proved, steps / 2);
}

TEST(WarmStart, ASimplexIsTakenUpWhereItHolds) {
  Random random(904);
  int warm_steps = 0, cold_steps = 0;
  for (int i = 0; i < 20; ++i) {
    const Shape a = random_hull(random, 300), b = random_hull(random, 300);
    Pose X = placed(a, b, {random.rotation(), random.direction()}, 0.01);
    WarmStart warm;
    warm = distance(a, {}, b, X, {.warm_start = &warm}).warm_start;
    ASSERT_FALSE(warm.polytope.vertices().empty());
    EXPECT_TRUE(warm.polytope.triangles().empty());
    for (int step = 0; step < 10; ++step) {
      X = moved(X, random, 1e-4, 1e-3);
      const Distance r = distance(a, {}, b, X, {.warm_start = &warm});
      warm_steps += r.iterations;
      cold_steps += distance(a, {}, b, X).iterations;
      warm = r.warm_start;
    }
  }
  EXPECT_LT(2 * warm_steps, cold_steps);
}

TEST(WarmStart, ProofsOfStrangersDoNoHarm) {
  Random random(905);
  WarmStart stranger;
  for (int i = 0; i < 200; ++i) {
    const Shape a = polyhedron(random, random.below(5)), b = polyhedron(random, random.below(5));
    Pose X = placed(a, b, {random.rotation(), random.direction()},
                    random.chance(0.7) ? -random.uniform(1e-9, 0.05) : 0.02);
    const Distance cold = distance(a, {}, b, X),
                   warm = distance(a, {}, b, X, {.warm_start = &stranger});
    SCOPED_TRACE(i);
    expect_same(cold, warm, pair_scale(a, {}, b, X));
    // the shapes are exchanged, so that the indices mean other points
    stranger = warm.warm_start;
    expect_same(distance(b, X, a, {}), distance(b, X, a, {}, {.warm_start = &stranger}),
                pair_scale(a, {}, b, X));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(WarmStart, RandomProofsDoNoHarm) {
  Random random(906);
  for (int i = 0; i < 300; ++i) {
    const Shape a = polyhedron(random, random.below(4)), b = polyhedron(random, random.below(4));
    const Pose X{random.rotation(), random.uniform(0.0, 0.3) * random.direction()};
    // random vertices, out of range now and then, on a tetrahedron of either orientation
    std::vector<VertexPair> vertices = four;
    for (VertexPair& pair : vertices) {
      for (std::uint16_t& vertex : pair)
        vertex = static_cast<std::uint16_t>(random.below(random.chance(0.05) ? 65536 : 4));
    }
    WarmStart warm;
    ASSERT_TRUE(
        warm.polytope.assign(vertices, random.chance(0.8) ? tetrahedron : std::vector<Triangle>{}));
    const Distance cold = distance(a, {}, b, X),
                   tried = distance(a, {}, b, X, {.warm_start = &warm});
    SCOPED_TRACE(i);
    expect_same(cold, tried, pair_scale(a, {}, b, X));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(WarmStart, ATetrahedronThatHoldsLessThanTheDepthIsNoProof) {
  // a cube in a cube, its center inside a tetrahedron of corners that is nearer to the origin than
  // the facets are
  const Shape cube = Convex::from_points(
      Shape{Box{.half_extents = {1, 1, 1}}}.core().size.replicate(1, 8).cwiseProduct(
          (Eigen::Matrix<double, 3, 8>() << 1, -1, 1, -1, 1, -1, 1, -1, 1, 1, -1, -1, 1, 1, -1, -1,
           1, 1, 1, 1, -1, -1, -1, -1)
              .finished()));
  const Pose X{Matrix3::Identity(), {0.1, 0.2, 0.3}};
  const Distance cold = distance(cube, {}, cube, X);
  EXPECT_NEAR(cold.distance, -1.7, 1e-14);
  WarmStart warm;
  for (std::uint16_t i = 0; i < 8; ++i) {
    for (std::uint16_t j = 0; j < 8; ++j) {
      ASSERT_TRUE(warm.polytope.assign(
          std::array<VertexPair, 4>{{{{0, 3}}, {{i, j}}, {{5, 6}}, {{j, i}}}}, tetrahedron));
      EXPECT_NEAR(distance(cube, {}, cube, X, {.warm_start = &warm}).distance, -1.7, 1e-14);
    }
  }
}

}  // namespace
}  // namespace tactum::warm_start_test
