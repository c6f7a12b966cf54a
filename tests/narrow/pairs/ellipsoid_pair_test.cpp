// SPDX-License-Identifier: BSD-2-Clause
// Ellipsoid pairs against the iterations for every pair, against plain ascent from all over the
// sphere, and against the oracle.
#include "narrow/pairs/ellipsoid_pair.hpp"

#include "narrow/depth/core_distance.hpp"
#include "narrow/ellipsoid_oracle.hpp"
#include "narrow/narrow_fixtures.hpp"
#include "support/allocation_guard.hpp"

namespace tactum::ellipsoid_pair_test {
namespace {

using namespace tactum::testing;

struct Result {
  bool proved;
  CoreDistance answer;
};

Result solve(const TestPair& test) {
  CorePair pair = test.cores();
  Result result;
  result.proved = solve_ellipsoids(pair, result.answer);
  return result;
}

/// Checks everything that a proved answer promises about itself.
void expect_consistent(const TestPair& test, const CoreDistance& answer) {
  const double scale = test.scale();
  EXPECT_NEAR(answer.optimum.normal.norm(), 1.0, 4.0 * kEps);
  EXPECT_GE(answer.upper, answer.optimum.lower);
  EXPECT_LE(answer.upper - answer.optimum.lower, 2e-13 * scale);
  EXPECT_LE(answer.optimum.residual, 16.0 * kEps * scale);
  EXPECT_LE((answer.optimum.point_b - answer.optimum.point_a -
             answer.optimum.lower * answer.optimum.normal)
                .norm(),
            18.0 * kEps * scale);
}

Vector3 log_sizes(Random& random, double ratio) {
  return {random.log_uniform(0.5 / ratio, 0.5), random.log_uniform(0.5 / ratio, 0.5),
          random.log_uniform(0.5 / ratio, 0.5)};
}

enum class Place { apart, near, shallow, deep, contained, concentric, nearly_concentric };
constexpr std::array<Place, 7> places = {
    Place::apart,     Place::near,       Place::shallow,          Place::deep,
    Place::contained, Place::concentric, Place::nearly_concentric};

/// Moves B along the normal of the pair until the shapes are `distance` apart.
Pose placed(const Shape& a, const Shape& b, Random& random, double distance) {
  const double reach = a.core().bounding_radius + b.core().bounding_radius;
  Pose X{random.rotation(), 2.0 * reach * random.direction()};
  const Distance far = tactum::distance(a, {}, b, X, {.method = Method::gjk});
  X.translation += (distance - far.distance) * far.normal;
  return X;
}

Pose placed(Place place, const Shape& a, const Shape& b, Random& random) {
  const double reach = a.core().bounding_radius + b.core().bounding_radius;
  const double thickness = a.core().size.minCoeff() + b.core().size.minCoeff();
  switch (place) {
    case Place::apart: return placed(a, b, random, random.uniform(0.0, 2.0) * reach);
    case Place::near:
      return placed(a, b, random, random.sign() * random.log_uniform(1e-15, 1e-2) * reach);
    case Place::shallow: return placed(a, b, random, -random.uniform(0.0, 0.3) * thickness);
    case Place::deep:
      return {random.rotation(), random.uniform(0.0, 1.0) * reach * random.direction()};
    case Place::contained: {
      const double room = std::abs(a.core().bounding_radius - b.core().bounding_radius);
      return {random.rotation(), random.uniform(0.0, 1.0) * room * random.direction()};
    }
    case Place::concentric:
      return {random.chance(0.3) ? Matrix3(Matrix3::Identity()) : random.rotation(),
              Vector3::Zero()};
    case Place::nearly_concentric: break;
  }
  return {random.rotation(), random.log_uniform(1e-18, 1e-3) * reach * random.direction()};
}

/// A pair of ellipsoids, or of an ellipsoid and a point, of any proportions, some with equal axes.
TestPair random_pair(Random& random, Place place, double ratio, bool with_point) {
  Vector3 a = log_sizes(random, ratio), b = log_sizes(random, ratio);
  if (random.chance(0.2)) a.y() = a.x();
  if (random.chance(0.1)) b.y() = b.z();
  if (random.chance(0.3)) a *= random.log_uniform(1e-3, 1e3);
  if (random.chance(0.02)) {
    const double unit = random.log_uniform(1e-19, 1e19);
    a *= unit;
    b *= unit;
  }
  Shape first = Ellipsoid{.semi_axes = a};
  Shape second = with_point ? Shape(Sphere{.radius = random.chance(0.5) ? 0.1 * a.minCoeff() : 0.0})
                            : Ellipsoid{.semi_axes = b};
  if (random.chance(0.5)) std::swap(first, second);
  const Pose X = placed(place, first, second, random);
  return {std::move(first), std::move(second), X};
}

TEST(EllipsoidPair, ProvedAnswersAgreeWithTheGeneralLadder) {
  for (const double ratio : {5.0, 100.0, 1e4, 1e6}) {
    for (const Place place : places) {
      Random random(311, static_cast<std::uint64_t>(place) * 16 +
                             static_cast<std::uint64_t>(std::log10(ratio)));
      int proved = 0;
      constexpr int count = 120;
      for (int i = 0; i < count; ++i) {
        const TestPair test = random_pair(random, place, ratio, i % 4 == 0);
        const auto [ok, answer] = solve(test);
        if (!ok) continue;
        ++proved;
        SCOPED_TRACE(::testing::Message()
                     << ratio << " " << static_cast<int>(place) << " " << i << " "
                     << test.a.to_string() << " " << test.b.to_string());
        expect_consistent(test, answer);
        CorePair other = test.cores();
        const Vector3& c = test.X_AB.translation;
        const Vector3 start = c.norm() > 0.0 ? Vector3(c.stableNormalized())
                                             : Vector3(Vector3::UnitX());
        const CoreDistance iterated = solve_iteratively(other, start,
                                                        {.gap = 1e-12 * test.scale(),
                                                         .max_iterations = 128,
                                                         .stop_above = kInfinity,
                                                         .second_order = true});
        // the two intervals contain the same number, so they must overlap
        EXPECT_LE(answer.optimum.lower, iterated.upper + 16.0 * kEps * test.scale());
        EXPECT_LE(iterated.optimum.lower, answer.upper + 16.0 * kEps * test.scale());
        if (::testing::Test::HasFailure()) return;
      }
      EXPECT_GE(proved, count / 2) << ratio << " " << static_cast<int>(place);
    }
  }
}

TEST(EllipsoidPair, NoDirectionOnTheSphereIsBetter) {
  Random random(312);
  for (int i = 0; i < 200; ++i) {
    const TestPair test = random_pair(random, places[static_cast<std::size_t>(i) % places.size()],
                                      i % 2 == 0 ? 5.0 : 50.0, false);
    const auto [ok, answer] = solve(test);
    if (!ok) continue;
    const double best = local_peaks(test, 40).front().separation + test.cores().radius();
    EXPECT_LE(best, answer.upper + 16.0 * kEps * test.scale())
        << i << " " << test.a.to_string() << " " << test.b.to_string();
  }
}

TEST(EllipsoidPair, OracleAgreesAndThePointsAreOnTheCores) {
  Random random(313);
  int solved = 0;
  for (int i = 0; i < 84; ++i) {
    const TestPair test = random_pair(random, places[static_cast<std::size_t>(i) % places.size()],
                                      10.0, i % 3 == 0);
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    const auto [ok, answer] = solve(test);
    if (!ok) continue;
    ++solved;
    expect_valid_optimum(test, answer.optimum);
    Real error = 0;
    const Real truth = test.core_truth(&error);
    EXPECT_LE(static_cast<double>(truth - answer.upper), 16.0 * kEps * test.scale());
    EXPECT_LE(static_cast<double>(answer.optimum.lower - truth - error),
              16.0 * kEps * test.scale());
  }
  EXPECT_GE(solved, 75);
}

/// A direction that is off by 1e-11 rad is off by nanometres at 200 m, where a rim is nanometres
/// thin: points may not make up for that by leaving the rim.
TEST(EllipsoidPair, PointsOfThinDiscsFarAwayAreOnTheDiscs) {
  Random random(316);
  int solved = 0;
  for (int i = 0; i < testing::repetitions(300); ++i) {
    const Shape disc = Ellipsoid{.semi_axes = {random.uniform(0.1, 0.5), random.uniform(0.1, 0.5),
                                               random.log_uniform(1e-7, 1e-2)}};
    const Shape other = random.chance(0.5) ? Shape(Sphere{.radius = random.log_uniform(1e-6, 0.1)})
                                           : Shape(Ellipsoid{.semi_axes = log_sizes(random, 1e4)});
    const Pose X{random.rotation(), random.log_uniform(1.0, 1e4) * random.direction()};
    const TestPair test = random.chance(0.5) ? TestPair{disc, other, X} : TestPair{other, disc, X};
    SCOPED_TRACE(::testing::Message() << test.a.to_string() << " " << test.b.to_string());
    const auto [ok, answer] = solve(test);
    if (!ok) continue;
    ++solved;
    expect_valid_optimum(test, answer.optimum);
  }
  EXPECT_GE(solved, testing::repetitions(280));
}

/// Semi axes of 0.1 to 0.5 m: the fraction that is proved without the iterations for every pair.
TEST(EllipsoidPair, OrdinaryPairsAreProved) {
  struct Goal {
    double distance;
    double share;
  };
  for (const Goal& goal : {Goal{1.0, 1.0}, Goal{0.1, 1.0}, Goal{0.001, 1.0}, Goal{-0.001, 1.0},
                           Goal{-0.01, 1.0}, Goal{-0.1, 0.98}}) {
    Random random(314);
    int proved = 0;
    constexpr int count = 500;
    for (int i = 0; i < count; ++i) {
      const Shape a = Ellipsoid{.semi_axes = random_sizes(random)},
                  b = Ellipsoid{.semi_axes = random_sizes(random)};
      const TestPair test{a, b, placed(a, b, random, goal.distance)};
      const auto [ok, answer] = solve(test);
      if (!ok) continue;
      ++proved;
      // B moved along the normal of contact has the depth asked for, unless a shorter translation
      // separates the shapes
      EXPECT_GE(answer.optimum.lower - test.cores().radius(), goal.distance - 1e-11);
      if (goal.distance > 0.0) {
        EXPECT_NEAR(answer.optimum.lower - test.cores().radius(), goal.distance, 1e-11);
      }
    }
    EXPECT_GE(proved, goal.share * count) << goal.distance;
  }
}

TEST(EllipsoidPair, KnownAnswers) {
  struct Known {
    TestPair test;
    double distance;  // distance of the shapes
    Vector3 normal;
  };
  const Shape flat = Ellipsoid{.semi_axes = {1, 2, 3}};
  const std::vector<Known> known = {
      {{flat, flat, at(10, 0, 0)}, 8.0, {1, 0, 0}},
      {{flat, flat, at(0, -10, 0)}, 6.0, {0, -1, 0}},
      {{flat, flat, at(2, 0, 0)}, 0.0, {1, 0, 0}},
      {{flat, flat, at(1.5, 0, 0)}, -0.5, {1, 0, 0}},
      {{flat, flat, at(0.25, 0, 0)}, -1.75, {1, 0, 0}},
      {{flat, Ellipsoid{.semi_axes = {3, 2, 1}}, turned({0, 1, 0}, M_PI / 2, {-4, 0, 0})},
       2.0,
       {-1, 0, 0}},
      {{flat, Sphere{.radius = 0.5}, at(0, 0, 5)}, 1.5, {0, 0, 1}},
      {{flat, Sphere{.radius = 0.5}, at(0.25, 0, 0)}, -1.25, {1, 0, 0}},
      {{Sphere{.radius = 0.5}, flat, at(0, 4, 0)}, 1.5, {0, 1, 0}},
      {{flat, hull_of({{0.0, 0.0, 3.0}}), at(0, 0, 2)}, 2.0, {0, 0, 1}},
      {{hull_of({{0.0, 0.0, 3.0}}), flat, at(0, 0, -2)}, 2.0, {0, 0, -1}},
  };
  for (const Known& k : known) {
    SCOPED_TRACE(::testing::Message()
                 << k.test.a.to_string() << " " << k.test.b.to_string() << " " << k.distance);
    const auto [ok, answer] = solve(k.test);
    ASSERT_TRUE(ok);
    EXPECT_NEAR(answer.optimum.lower - k.test.cores().radius(), k.distance,
                8.0 * kEps * k.test.scale());
    EXPECT_LE((answer.optimum.normal - k.normal).norm(), 1e-14);
    expect_consistent(k.test, answer);
    expect_valid_optimum(k.test, answer.optimum);
  }
}

/// Thin discs, almost flat on each other: the first start may end in the wrong basin.
TEST(EllipsoidPair, OtherStartsFindTheRightBasin) {
  Random random(315);
  int second_starts = 0;
  for (int i = 0; i < 300; ++i) {
    const Shape a = Ellipsoid{.semi_axes = {0.5, 0.3, 0.05}},
                b = Ellipsoid{.semi_axes = {0.4, 0.2, 0.06}};
    const TestPair test{a, b, {random.rotation(), random.in_box(0.15)}};
    CorePair pair = test.cores();
    CoreDistance answer;
    const bool ok = solve_ellipsoids(pair, answer);
    if (pair.support_calls > 1) ++second_starts;
    if (!ok) continue;
    EXPECT_LE(local_peaks(test, 24).front().separation + pair.radius(), answer.upper + 16.0 * kEps);
  }
  EXPECT_GT(second_starts, 10);
}

TEST(EllipsoidPair, LeavesToTheLadderWhatItCannotCarry) {
  const Shape huge = Ellipsoid{.semi_axes = {1e25, 2e25, 3e25}},
              tiny = Ellipsoid{.semi_axes = {1e-25, 2e-25, 3e-25}};
  const Shape leaf = Ellipsoid{.semi_axes = {1.0, 1.0, 1e-8}},
              ball = Ellipsoid{.semi_axes = {1.0, 1.0, 1.1}};
  EXPECT_FALSE(solve({huge, huge, at(1e26, 0, 0)}).proved);
  EXPECT_FALSE(solve({tiny, tiny, at(1e-24, 0, 0)}).proved);
  EXPECT_FALSE(solve({leaf, ball, at(3, 0, 0)}).proved);
  EXPECT_FALSE(solve({ball, leaf, at(3, 0, 0)}).proved);
  // the public query still answers them
  EXPECT_NEAR(tactum::distance(leaf, {}, ball, at(3, 0, 0)).distance, 1.0, 1e-9);
}

TEST(EllipsoidPair, SameBitsAgainAndNoAllocation) {
  Random random(316);
  for (int i = 0; i < 50; ++i) {
    const TestPair test = random_pair(random, places[static_cast<std::size_t>(i) % places.size()],
                                      10.0, i % 3 == 0);
    CorePair first_pair = test.cores(), second_pair = test.cores();
    CoreDistance first, second;
    const AllocationGuard guard;
    const bool first_ok = solve_ellipsoids(first_pair, first),
               second_ok = solve_ellipsoids(second_pair, second);
    EXPECT_EQ(guard.count(), 0U);
    EXPECT_EQ(first_ok, second_ok);
    if (!first_ok) continue;
    EXPECT_EQ(first.optimum.lower, second.optimum.lower);
    EXPECT_EQ(first.optimum.normal, second.optimum.normal);
    EXPECT_EQ(first.upper, second.upper);
  }
}

}  // namespace
}  // namespace tactum::ellipsoid_pair_test
