// SPDX-License-Identifier: BSD-2-Clause
// GJK and its accelerations: pass by pass against a second implementation of Alg. 4, 6 and 7, and
// bounds against the oracle.
#include "narrow/gjkpp/momentum_gjk.hpp"

#include "narrow/method_reference.hpp"

namespace tactum::momentum_gjk_test {
namespace {

using namespace tactum::testing;

constexpr std::array<MomentumRule, 7> kRules = {
    {{MomentumKind::none, false},
     {MomentumKind::polyak, false},
     {MomentumKind::polyak, true},
     {MomentumKind::nesterov, false},
     {MomentumKind::nesterov, true},
     {MomentumKind::polyak, false, MomentumWeight::printed},
     {MomentumKind::nesterov, true, MomentumWeight::authors}}};

struct Reference {
  int passes = 0;
  int supports = 0;
  Real distance = 0;
  Real margin = infinite;  ///< smallest margin by which the choices of support and the tests were
                           ///< decided
};

/// Alg. 6, with Alg. 4 and 7 as its special cases. Without a choice Polyak's weight is 1 / (k + 1),
/// which is not the printed one.
Reference reference_run(const std::vector<Vec3>& M, MomentumRule rule, Vec3 x, Real epsilon,
                        int max_passes) {
  Reference result;
  std::vector<Vec3> W;
  Vec3 s = x, d = x;
  for (int k = 0; k < max_passes; ++k) {
    result.passes = k + 1;
    if (rule.kind == MomentumKind::none) {
      d = x;
    } else {
      Real delta = Real(k + 1) / (k + 3);
      if (rule.kind == MomentumKind::polyak && rule.weight != MomentumWeight::printed)
        delta = Real(1) / (k + 1);
      else if (rule.normalized && rule.weight == MomentumWeight::authors)
        delta = Real(k + 2) / (k + 3);
      const Vec3 y = rule.kind == MomentumKind::polyak ? x : Vec3(delta * x + (1 - delta) * s);
      d = rule.normalized ? Vec3(delta * d.normalized() + (1 - delta) * y.normalized())
                          : Vec3(delta * d + (1 - delta) * 2 * y);
    }
    s = lowest(M, d);
    ++result.supports;
    if (k > 0) {
      Real g = 2 * x.dot(x - s);
      result.margin = std::min(result.margin, std::abs(g - epsilon));
      if (g <= epsilon) {
        if (rule.kind == MomentumKind::none) break;
        rule.kind = MomentumKind::none;
        d = x;
        s = lowest(M, d);
        ++result.supports;
        g = 2 * x.dot(x - s);
        result.margin = std::min(result.margin, std::abs(g - epsilon));
        if (g <= epsilon) break;
      }
    }
    result.margin = std::min(result.margin, lead(M, d));
    W.push_back(s);
    x = nearest_on(W);
    if (W.size() == 4 || x.norm() < 1e-14L) {
      result.distance = 0;
      return result;
    }
  }
  result.distance = x.norm();
  return result;
}

TEST(MomentumGjk, CountsAsTheAlgorithmsOfThePaper) {
  Random random(511);
  std::array<int, kRules.size()> passes{};
  int compared = 0, overlapping = 0;
  for (int i = 0; i < 120; ++i) {
    const Convex a = random_hull(random, 4 + random.below(16)),
                 b = random_hull(random, 4 + random.below(16));
    const TestPair test{a, b, random_pose(random, 0.6)};
    const std::vector<Vec3> M = all_differences(a, b, test.X_AB);
    const Vector3 x0 = random.chance(0.5) ? test.X_AB.translation : random.direction();
    for (std::size_t r = 0; r < kRules.size(); ++r) {
      const Reference expected = reference_run(M, kRules[r], widen(x0), 1e-8L, 100);
      if (expected.margin < 1e-13L) continue;  // a tie that rounding decides
      ClimbingPair pair(test.cores());
      GjkState state;
      const GjkOutcome outcome = run_momentum_gjk(pair, kRules[r], x0,
                                                  {.epsilon = 1e-8, .max_iterations = 100}, state);
      SCOPED_TRACE(::testing::Message() << "pair " << i << " rule " << r << " distance "
                                        << static_cast<double>(expected.distance) << " margin "
                                        << static_cast<double>(expected.margin));
      EXPECT_EQ(state.iterations, expected.passes);
      EXPECT_EQ(pair.support_calls, expected.supports);
      EXPECT_NEAR(state.upper, static_cast<double>(expected.distance), 1e-13);
      EXPECT_EQ(outcome, expected.distance > 0 ? GjkOutcome::converged : GjkOutcome::overlapping);
      passes[r] += state.iterations;
      overlapping += outcome == GjkOutcome::overlapping ? 1 : 0;
      ++compared;
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(compared, 500);
  EXPECT_GT(overlapping, 50);
  // every rule takes another number of passes
  for (std::size_t r = 1; r < kRules.size(); ++r) EXPECT_NE(passes[r], passes[0]);
}

TEST(MomentumGjk, BoundsHoldForEveryKind) {
  Random random(512);
  int apart = 0;
  for (int i = 0; i < 150; ++i) {
    const TestPair test = random_solids(random, 1.2);
    const CorePair cores = test.cores();
    const double taken = cores.a().inner_radius + cores.b().inner_radius,
                 slack = 16.0 * kEps * test.scale();
    const double truth = static_cast<double>(test.core_truth()) - taken, epsilon = 1e-9;
    for (const MomentumRule rule : kRules) {
      ClimbingPair pair(cores);
      GjkState state;
      const GjkOutcome outcome = run_momentum_gjk(
          pair, rule, random.direction(), {.epsilon = epsilon, .max_iterations = 1000}, state);
      SCOPED_TRACE(::testing::Message()
                   << i << " " << test.a.to_string() << " " << test.b.to_string());
      EXPECT_LE(state.lower, truth + slack);
      EXPECT_GE(state.upper, std::max(truth, 0.0) - slack);
      EXPECT_NEAR(state.normal.norm(), 1.0, 8.0 * kEps);
      // the other weights are for experiments alone, and may take more passes than a query allows
      if (rule.weight != MomentumWeight::chosen) continue;
      if (truth > 1e-4) {
        ++apart;
        EXPECT_EQ(outcome, GjkOutcome::converged);
        EXPECT_LE(state.upper * state.upper - truth * truth, epsilon + slack);  // eq. 18
      } else if (truth < -1e-4) {
        EXPECT_EQ(outcome, GjkOutcome::overlapping);
      }
      EXPECT_LE(std::abs(pair.support_calls - state.iterations), 1);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(apart, 300);
}

TEST(MomentumGjk, LimitsAreHonored) {
  const TestPair test{Box{.half_extents = {0.5, 0.4, 0.3}}, Ellipsoid{.semi_axes = {0.3, 0.2, 0.1}},
                      at(1.5, 0.7, 0.4)};
  const CorePair cores = test.cores();
  const double truth = static_cast<double>(test.core_truth()) - cores.b().inner_radius;
  for (const MomentumRule rule : kRules) {
    const auto run = [&](const MethodLimits& limits, GjkState& state) {
      ClimbingPair pair(cores);
      return run_momentum_gjk(pair, rule, Vector3::UnitY(), limits, state);
    };
    GjkState state;
    EXPECT_EQ(run({.epsilon = 1e-12, .max_iterations = 1}, state), GjkOutcome::iteration_limit);
    EXPECT_EQ(state.iterations, 1);
    GjkState above;
    EXPECT_EQ(run({.epsilon = 1e-12, .stop_above = 0.5 * truth}, above), GjkOutcome::above_limit);
    EXPECT_GT(above.lower, 0.5 * truth);
    GjkState below;
    EXPECT_EQ(run({.epsilon = 1e-12, .stop_below = 1.5 * truth}, below), GjkOutcome::below_limit);
    EXPECT_LT(below.upper, 1.5 * truth);
  }
}

}  // namespace
}  // namespace tactum::momentum_gjk_test
