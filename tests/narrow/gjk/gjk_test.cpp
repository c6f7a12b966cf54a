// SPDX-License-Identifier: BSD-2-Clause
// GJK against closed forms and the certified oracle: bounds on both sides at every step, limits,
// resuming.
#include "narrow/gjk/gjk.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::gjk_test {
namespace {

using namespace tactum::testing;

GjkOutcome run(CorePair& pair, GjkState& state, const GjkLimits& limits = {}) {
  const Vector3 t = pair.X_AB().translation;
  state = start_gjk(pair, t.norm() > 0.0 ? Vector3(t.normalized()) : Vector3(Vector3::UnitX()));
  return run_gjk(pair, limits, state);
}

void expect_state_consistent(const TestPair& test, const GjkState& state) {
  double sum = 0.0;
  Vector3 point = Vector3::Zero();
  for (std::size_t i = 0; i < static_cast<std::size_t>(state.simplex.size); ++i) {
    EXPECT_GE(state.simplex.weights[i], 0.0);
    sum += state.simplex.weights[i];
    point += state.simplex.weights[i] * state.simplex.points[i].w;
    EXPECT_LE((test.X_AB * state.simplex.points[i].b_B - state.simplex.points[i].a -
               state.simplex.points[i].w)
                  .norm(),
              4.0 * kEps * test.scale());
  }
  EXPECT_NEAR(sum, 1.0, 4.0 * kEps);
  EXPECT_LE(point.norm(), state.upper + 32.0 * kEps * test.scale());
  EXPECT_NEAR(state.normal.norm(), 1.0, 8.0 * kEps);
  EXPECT_NEAR(state.lower, static_cast<double>(test.separation_of_cores(state.normal)),
              16.0 * kEps * test.scale());
}

TEST(Gjk, KnownDistances) {
  struct Known {
    TestPair pair;
    double distance;  // distance of the cores
    Vector3 normal;
  };
  const double r2 = std::sqrt(2.0), r3 = std::sqrt(3.0);
  const std::vector<Known> known = {
      {{Sphere{.radius = 0.3}, Sphere{.radius = 0.2}, at(3.0, 0.0, 4.0)}, 5.0, {0.6, 0.0, 0.8}},
      {{Box{.half_extents = {1, 1, 1}}, Sphere{}, at(0.25, 0.5, 3.0)}, 2.0, {0, 0, 1}},
      {{Box{.half_extents = {1, 1, 1}}, Sphere{}, at(2.0, 2.0, 0.5)}, r2, {1 / r2, 1 / r2, 0}},
      {{Box{.half_extents = {1, 1, 1}}, Box{.half_extents = {0.5, 0.5, 0.5}}, at(2.5, -2.5, 2.5)},
       r3,
       {1 / r3, -1 / r3, 1 / r3}},
      {{Capsule{.radius = 0.1, .half_length = 1.0}, Capsule{.radius = 0.1, .half_length = 1.0},
        turned({1, 0, 0}, M_PI / 2, {2, 0, 0.5})},
       2.0,
       {1, 0, 0}},
      {{Cylinder{.radius = 1.0, .half_length = 2.0}, Sphere{}, at(3.0, 4.0, 1.0)},
       4.0,
       {0.6, 0.8, 0}},
      {{Cylinder{.radius = 1.0, .half_length = 2.0}, Sphere{}, at(0.3, 0.1, 2.75)},
       0.75,
       {0, 0, 1}},
      {{Cone{.radius = 1.0, .half_length = 1.0}, Sphere{}, at(0.0, 0.0, 2.5)}, 1.5, {0, 0, 1}},
      {{Cone{.radius = 1.0, .half_length = 1.0}, Sphere{}, at(0.2, 0.3, -4.0)}, 3.0, {0, 0, -1}},
  };
  for (const Known& k : known) {
    SCOPED_TRACE(k.pair.a.to_string() + " " + k.pair.b.to_string());
    CorePair pair = k.pair.cores();
    GjkState state;
    run(pair, state);
    EXPECT_NEAR(state.upper, k.distance, 8.0 * kEps * k.pair.scale());
    EXPECT_NEAR(state.lower, k.distance, 8.0 * kEps * k.pair.scale());
    EXPECT_LE((state.normal - k.normal).norm(), 1e-7);
    expect_state_consistent(k.pair, state);
  }
}

TEST(Gjk, EllipsoidsOnACommonAxis) {
  const TestPair test{Ellipsoid{.semi_axes = {0.5, 0.2, 0.3}},
                      Ellipsoid{.semi_axes = {0.25, 0.4, 0.1}}, at(2.0, 0.0, 0.0)};
  CorePair pair = test.cores();
  GjkState state;
  run(pair, state, {.gap = 1e-12});
  EXPECT_NEAR(state.lower - pair.radius(), 2.0 - 0.75, 4.0 * kEps);
  EXPECT_NEAR(state.upper - pair.radius(), 2.0 - 0.75, 4.0 * kEps);
}

TEST(Gjk, PolytopesAgreeWithFeatureEnumeration) {
  Random random(31);
  int apart = 0;
  for (int i = 0; i < 300; ++i) {
    const TestPair test{random_hull(random, 4 + random.below(20)),
                        random_hull(random, 4 + random.below(20)), random_pose(random, 0.5)};
    CorePair pair = test.cores();
    GjkState state;
    const GjkOutcome outcome = run(pair, state);
    const double truth = static_cast<double>(enumerated(test));
    SCOPED_TRACE(i);
    if (truth > 64.0 * kEps) {
      ++apart;
      EXPECT_TRUE(outcome == GjkOutcome::stalled || outcome == GjkOutcome::converged)
          << static_cast<int>(outcome);
      EXPECT_NEAR(state.upper, truth, 16.0 * kEps * test.scale());
      EXPECT_NEAR(state.lower, truth, 16.0 * kEps * test.scale());
    } else if (truth < -64.0 * kEps) {
      EXPECT_EQ(outcome, GjkOutcome::overlapping);
      EXPECT_LE(state.lower, truth + 16.0 * kEps * test.scale());
    }
    expect_state_consistent(test, state);
  }
  EXPECT_GT(apart, 100);
  EXPECT_LT(apart, 280);
}

TEST(Gjk, BoundsHoldAndCloseAtEveryStep) {
  Random random(32);
  for (int i = 0; i < 120; ++i) {
    const TestPair test = random_solids(random, 1.2);
    Real error = 0;
    const double truth = static_cast<double>(test.core_truth(&error));
    const double slack = 8.0 * kEps * test.scale();
    CorePair pair = test.cores();
    GjkState state = start_gjk(pair, random.direction());
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    double lower = -kInfinity, upper = kInfinity;
    for (int steps = 1; steps <= 200; ++steps) {
      const GjkOutcome outcome = run_gjk(pair, {.max_iterations = steps}, state);
      EXPECT_GE(state.lower, lower);
      EXPECT_LE(state.upper, upper);
      lower = state.lower;
      upper = state.upper;
      EXPECT_LE(lower, truth + static_cast<double>(error) + slack);
      EXPECT_GE(upper, std::max(0.0, truth) - slack);
      if (outcome != GjkOutcome::iteration_limit) break;
      EXPECT_EQ(state.iterations, steps);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Gjk, ResumingGivesTheSameAnswer) {
  Random random(33);
  for (int i = 0; i < 200; ++i) {
    const TestPair test = random_solids(random, 1.5);
    const Vector3 direction = random.direction();
    CorePair pair_once = test.cores(), pair_often = test.cores();
    GjkState once = start_gjk(pair_once, direction), often = start_gjk(pair_often, direction);
    const GjkOutcome outcome = run_gjk(pair_once, {.gap = 1e-9, .max_iterations = 300}, once);
    GjkOutcome last = GjkOutcome::iteration_limit;
    for (int steps = 0; steps <= 300 && last == GjkOutcome::iteration_limit; ++steps) {
      last = run_gjk(pair_often, {.gap = 1e-9, .max_iterations = steps}, often);
    }
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    // a kept face is projected on again, by a formula that may round differently
    const double rounding = 16.0 * kEps * test.scale();
    EXPECT_EQ(outcome == GjkOutcome::overlapping, last == GjkOutcome::overlapping);
    EXPECT_NEAR(once.iterations, often.iterations, 2);
    EXPECT_NEAR(once.lower, often.lower, 1e-9 + rounding);
    EXPECT_NEAR(once.upper, often.upper, 1e-9 + rounding);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Gjk, ResumingAfterAConvergedGapGoesOn) {
  const TestPair test{Ellipsoid{.semi_axes = {0.5, 0.2, 0.3}},
                      Ellipsoid{.semi_axes = {0.25, 0.4, 0.1}}, at(0.9, 0.5, 0.3)};
  const double truth = static_cast<double>(test.core_truth());
  CorePair pair = test.cores();
  GjkState state = start_gjk(pair, Vector3::UnitX());
  double width = kInfinity;
  for (const double gap : {1e-2, 1e-4, 1e-6, 1e-8}) {
    ASSERT_EQ(run_gjk(pair, {.gap = gap}, state), GjkOutcome::converged);
    EXPECT_LE(state.upper - state.lower, gap);
    EXPECT_LE(state.upper - state.lower, width);
    EXPECT_LE(state.lower, truth + 1e-15);
    EXPECT_GE(state.upper, truth - 1e-15);
    width = state.upper - state.lower;
  }
}

TEST(Gjk, LimitsAreHonored) {
  Random random(34);
  const TestPair test{Box{.half_extents = {0.5, 0.4, 0.3}}, random_hull(random, 60),
                      at(1.5, 0.7, 0.4)};
  const double truth = static_cast<double>(enumerated(test));
  ASSERT_GT(truth, 0.1);
  CorePair pair = test.cores();

  GjkState state;
  EXPECT_EQ(run(pair, state, {.stop_above = 0.0}), GjkOutcome::above_limit);
  EXPECT_GT(state.lower, 0.0);
  EXPECT_LE(state.lower, truth + 4.0 * kEps);
  const int early = state.iterations;

  EXPECT_EQ(run(pair, state, {.stop_above = 0.999 * truth}), GjkOutcome::above_limit);
  EXPECT_GT(state.lower, 0.999 * truth);
  EXPECT_GE(state.iterations, early);
  EXPECT_NE(run(pair, state, {.stop_above = 1.001 * truth}), GjkOutcome::above_limit);

  EXPECT_EQ(run(pair, state, {.stop_below = 10.0}), GjkOutcome::below_limit);
  EXPECT_LT(state.upper, 10.0);
  EXPECT_EQ(run(pair, state, {.stop_below = 1.001 * truth}), GjkOutcome::below_limit);
  EXPECT_LT(state.upper, 1.001 * truth);
  EXPECT_NE(run(pair, state, {.stop_below = 0.999 * truth}), GjkOutcome::below_limit);

  EXPECT_EQ(run(pair, state, {.max_iterations = 1}), GjkOutcome::iteration_limit);
  EXPECT_EQ(state.iterations, 1);
  EXPECT_LE(state.lower, truth + 4.0 * kEps);
  EXPECT_GE(state.upper, truth - 4.0 * kEps);
}

TEST(Gjk, OverlapIsFoundForEveryKind) {
  Random random(35);
  int overlapping = 0;
  for (int i = 0; i < 300; ++i) {
    TestPair test = random_solids(random, 0.05);
    CorePair pair = test.cores();
    GjkState state;
    const GjkOutcome outcome = run(pair, state, {.max_iterations = 500});
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    if (static_cast<double>(test.core_truth()) < -64.0 * kEps) {
      EXPECT_EQ(outcome, GjkOutcome::overlapping);
      ++overlapping;
    }
  }
  EXPECT_GT(overlapping, 200);
}

TEST(Gjk, CountsItsSupportCalls) {
  const TestPair test{Box{.half_extents = {0.5, 0.4, 0.3}}, Box{.half_extents = {0.1, 0.2, 0.3}},
                      turned({1, 2, 3}, 0.7, {2.0, 0.3, 0.1})};
  CorePair pair = test.cores();
  GjkState state;
  run(pair, state);
  EXPECT_EQ(pair.support_calls, state.iterations + 1);  // one support call to start with
}

TEST(GjkWithMomentum, GivesTheSameAnswerForEveryKind) {
  int apart = 0, overlapping = 0;
  for (const KindPair& kinds : kAllPairs) {
    if (kinds.has(ShapeKind::half_space)) continue;
    Random random(36, stream_of(kinds.a, kinds.b));
    for (int i = 0; i < 60; ++i) {
      const TestPair test{random_shape_of(kinds.a, random), random_shape_of(kinds.b, random),
                          random_pose(random, 0.7)};
      const Vector3 direction = random.chance(0.5) ? random.direction()
                                                   : Vector3(test.X_AB.translation.normalized());
      CorePair pair_plain = test.cores(), pair_momentum = test.cores();
      GjkState plain = start_gjk(pair_plain, direction),
               momentum = start_gjk(pair_momentum, direction);
      const double gap = 1e-9 * test.scale(), rounding = 16.0 * kEps * test.scale();
      const GjkOutcome expected = run_gjk(pair_plain, {.gap = gap, .max_iterations = 500}, plain);
      const GjkOutcome outcome = run_gjk(
          pair_momentum, {.gap = gap, .max_iterations = 500, .momentum = true}, momentum);
      SCOPED_TRACE(::testing::Message()
                   << i << " " << test.a.to_string() << " " << test.b.to_string());
      EXPECT_EQ(outcome == GjkOutcome::overlapping, expected == GjkOutcome::overlapping);
      expect_state_consistent(test, momentum);
      // twice at most in one step: the one that gives momentum up
      EXPECT_LE(pair_momentum.support_calls, momentum.iterations + 2);
      EXPECT_LE(pair_momentum.support_calls, 100);
      if (outcome == GjkOutcome::overlapping) {
        ++overlapping;
      } else {
        ++apart;
        EXPECT_NEAR(momentum.lower, plain.lower, gap + rounding);
        EXPECT_NEAR(momentum.upper, plain.upper, gap + rounding);
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(overlapping, 300);
}

TEST(GjkWithMomentum, HullsAgreeWithFeatureEnumeration) {
  Random random(37);
  int apart = 0;
  for (int i = 0; i < 200; ++i) {
    const TestPair test{random_hull(random, 4 + random.below(20)),
                        random_hull(random, 4 + random.below(20)), random_pose(random, 0.6)};
    const double truth = static_cast<double>(enumerated(test));
    CorePair pair = test.cores();
    GjkState state;
    const GjkOutcome outcome = run(pair, state, {.momentum = true});
    SCOPED_TRACE(i);
    if (truth > 64.0 * kEps) {
      ++apart;
      EXPECT_NEAR(state.upper, truth, 16.0 * kEps * test.scale());
      EXPECT_NEAR(state.lower, truth, 16.0 * kEps * test.scale());
    } else if (truth < -64.0 * kEps) {
      EXPECT_EQ(outcome, GjkOutcome::overlapping);
    }
    EXPECT_LE(pair.support_calls, 64);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(apart, 80);
  EXPECT_LT(apart, 190);
}

TEST(GjkWithMomentum, BoundsHoldAfterAnyNumberOfSteps) {
  // momentum exists within one call, so every length is run from the start
  Random random(38);
  for (int i = 0; i < 80; ++i) {
    const TestPair test = random_solids(random, 1.2);
    Real error = 0;
    const double truth = static_cast<double>(test.core_truth(&error));
    const double slack = 8.0 * kEps * test.scale();
    const Vector3 direction = random.direction();
    SCOPED_TRACE(::testing::Message()
                 << i << " " << test.a.to_string() << " " << test.b.to_string());
    double lower = -kInfinity, upper = kInfinity;
    for (int steps = 1; steps <= 200; ++steps) {
      CorePair pair = test.cores();
      GjkState state = start_gjk(pair, direction);
      const GjkOutcome outcome = run_gjk(pair, {.max_iterations = steps, .momentum = true}, state);
      EXPECT_GE(state.lower, lower);
      EXPECT_LE(state.upper, upper);
      lower = state.lower;
      upper = state.upper;
      EXPECT_LE(lower, truth + static_cast<double>(error) + slack);
      EXPECT_GE(upper, std::max(0.0, truth) - slack);
      if (outcome != GjkOutcome::iteration_limit) break;
      EXPECT_EQ(state.iterations, steps);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace tactum::gjk_test
