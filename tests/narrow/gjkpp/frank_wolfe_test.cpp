// SPDX-License-Identifier: BSD-2-Clause
// Frank-Wolfe without a simplex: pass by pass against a second implementation of Alg. 1, eq. 12 and
// Alg. 5, and bounds against the oracle.
#include "narrow/gjkpp/frank_wolfe.hpp"

#include "narrow/method_reference.hpp"

namespace tactum::frank_wolfe_test {
namespace {

using namespace tactum::testing;

constexpr std::array<FrankWolfeStep, 4> kSteps = {FrankWolfeStep::line_search,
                                                  FrankWolfeStep::open_loop, FrankWolfeStep::polyak,
                                                  FrankWolfeStep::nesterov};

/// The point x after a number of passes of the algorithm as printed.
Vec3 reference_iterate(const std::vector<Vec3>& M, FrankWolfeStep step, Vec3 x, Real epsilon,
                       int passes) {
  Vec3 s = x, d = x;
  const bool momentum = step == FrankWolfeStep::polyak || step == FrankWolfeStep::nesterov;
  for (int k = 0; k < passes; ++k) {
    const Real delta = Real(k + 1) / (k + 3);
    const Vec3 y = step == FrankWolfeStep::nesterov ? Vec3(delta * x + (1 - delta) * s) : x;
    d = momentum ? Vec3(delta * d + (1 - delta) * 2 * y) : x;
    s = lowest(M, d);
    if (2 * x.dot(x - s) <= epsilon) s = lowest(M, x);
    if (2 * x.dot(x - s) <= epsilon) return x;
    Real gamma = Real(k + 1) / (k + 2);
    if (step != FrankWolfeStep::open_loop) {
      std::vector<Vec3> ends = {x, s};
      const Vec3 nearest = nearest_on(ends);
      gamma = (nearest - s).norm() / (x - s).norm();
    }
    x = gamma * x + (1 - gamma) * s;
  }
  return x;
}

TEST(FrankWolfe, IteratesAsTheAlgorithmsOfThePaper) {
  Random random(521);
  for (int i = 0; i < 40; ++i) {
    const Convex a = random_hull(random, 4 + random.below(12)),
                 b = random_hull(random, 4 + random.below(12));
    const TestPair test{a, b, random_pose(random, 0.8)};
    const std::vector<Vec3> M = all_differences(a, b, test.X_AB);
    const MinkowskiPoint x0 = test.cores().support(random.direction());
    for (const FrankWolfeStep step : kSteps) {
      for (const int passes : {1, 2, 5, 30}) {
        ClimbingPair pair(test.cores());
        GjkState state;
        run_frank_wolfe(pair, step, x0, {.epsilon = 1e-6, .max_iterations = passes}, state);
        const Vec3 expected = reference_iterate(M, step, widen(x0.w), 1e-6L, passes);
        SCOPED_TRACE(::testing::Message()
                     << "pair " << i << " step " << static_cast<int>(step) << " passes " << passes);
        EXPECT_LE(static_cast<double>((widen(state.simplex.points[0].w) - expected).norm()), 1e-11);
        EXPECT_LE(state.iterations, passes);
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(FrankWolfe, ConvergesAndBoundsHoldForEveryKind) {
  Random random(522);
  int converged = 0;
  for (int i = 0; i < 60; ++i) {
    const TestPair test = random_solids(random, 1.2);
    const CorePair cores = test.cores();
    const double taken = cores.a().inner_radius + cores.b().inner_radius,
                 slack = 16.0 * kEps * test.scale();
    const double truth = static_cast<double>(test.core_truth()) - taken, epsilon = 1e-4;
    for (const FrankWolfeStep step : kSteps) {
      ClimbingPair pair(cores);
      GjkState state;
      const MinkowskiPoint x0 = pair.support(random.direction());
      const GjkOutcome outcome = run_frank_wolfe(
          pair, step, x0, {.epsilon = epsilon, .max_iterations = 20000}, state);
      SCOPED_TRACE(::testing::Message() << i << " " << test.a.to_string() << " "
                                        << test.b.to_string() << static_cast<int>(step));
      EXPECT_LE(state.lower, truth + slack);
      EXPECT_GE(state.upper, std::max(truth, 0.0) - slack);
      EXPECT_LE(
          static_cast<double>(
              ConvexBody(test.b, test.X_AB).distance_to_core(widen(state.simplex.points[0].b()))),
          slack);
      if (outcome != GjkOutcome::converged) continue;
      ++converged;
      const double reached = state.simplex.points[0].w.norm();
      // eq. 18
      EXPECT_LE(reached * reached - std::max(truth, 0.0) * std::max(truth, 0.0), epsilon + slack);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(converged, 200);
}

TEST(FrankWolfe, LimitsAreHonored) {
  const TestPair test{Box{.half_extents = {0.5, 0.4, 0.3}}, Ellipsoid{.semi_axes = {0.3, 0.2, 0.1}},
                      at(1.5, 0.7, 0.4)};
  const CorePair cores = test.cores();
  const double truth = static_cast<double>(test.core_truth()) - cores.b().inner_radius;
  for (const FrankWolfeStep step : kSteps) {
    const auto run = [&](const MethodLimits& limits, GjkState& state) {
      ClimbingPair pair(cores);
      return run_frank_wolfe(pair, step, pair.support(Vector3::UnitY()), limits, state);
    };
    GjkState state, above, below;
    EXPECT_EQ(run({.epsilon = 1e-12, .max_iterations = 3}, state), GjkOutcome::iteration_limit);
    EXPECT_EQ(state.iterations, 3);
    EXPECT_EQ(run({.epsilon = 1e-12, .max_iterations = 10000, .stop_above = 0.5 * truth}, above),
              GjkOutcome::above_limit);
    EXPECT_GT(above.lower, 0.5 * truth);
    EXPECT_EQ(run({.epsilon = 1e-12, .max_iterations = 10000, .stop_below = 1.5 * truth}, below),
              GjkOutcome::below_limit);
    EXPECT_LT(below.upper, 1.5 * truth);
  }
}

TEST(FrankWolfe, ReachesTheOriginOfOverlappingCores) {
  const TestPair test{Sphere{.radius = 0.5}, Box{.half_extents = {0.5, 0.5, 0.5}},
                      at(0.0, 0.0, 0.0)};
  for (const FrankWolfeStep step : kSteps) {
    ClimbingPair pair(test.cores());
    GjkState state;
    const GjkOutcome outcome = run_frank_wolfe(
        pair, step, pair.point(Vector3::Zero(), Vector3::Zero()), {.epsilon = 1e-12}, state);
    EXPECT_EQ(outcome, GjkOutcome::overlapping);
    EXPECT_EQ(state.upper, 0.0);
  }
}

}  // namespace
}  // namespace tactum::frank_wolfe_test
