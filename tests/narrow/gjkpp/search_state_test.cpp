// SPDX-License-Identifier: BSD-2-Clause
// What the methods of the GJK++ paper share, against its equations.
#include "narrow/gjkpp/search_state.hpp"

#include <gtest/gtest.h>

#include "narrow/narrow_fixtures.hpp"

namespace tactum::search_state_test {
namespace {

using namespace tactum::testing;

TEST(SearchState, TheGapBoundsTheSquaredDistanceFromTheOptimum) {
  Random random(12);
  for (int i = 0; i < 40; ++i) {
    const TestPair test{random_hull(random, 12),
                        random_hull(random, 12),
                        {random.rotation(), 1.5 * random.direction()}};
    const double truth = static_cast<double>(test.core_truth());
    if (truth <= 0.0) continue;
    CorePair cores = test.cores();
    const Vector3 x = cores.support(random.direction()).w;
    const Vector3 s = cores.support(Vector3(x.normalized())).w;
    EXPECT_GE(gap(x, s) + 1e-14, x.squaredNorm() - truth * truth);
  }
  EXPECT_EQ(gap({1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}), 0.0);
}

TEST(SearchState, AProvingSupportKeepsTheBestDirection) {
  Random random(13);
  const TestPair test{random_hull(random, 12), random_hull(random, 12), at(1.5, 0.2, 0.1)};
  const CorePair cores = test.cores();
  ClimbingPair pair(cores);
  GjkState state;
  double best = -kInfinity;
  for (int i = 0; i < 30; ++i) {
    const Vector3 d = random.log_uniform(1e-3, 1e3) * random.direction();
    const MinkowskiPoint s = proving_support(pair, d, state);
    const double separation = static_cast<double>(test.separation_of_cores(d.normalized()));
    EXPECT_NEAR(d.normalized().dot(s.w), separation, 1e-14);
    best = std::max(best, separation);
    EXPECT_NEAR(state.lower, best, 1e-14);
    EXPECT_NEAR(static_cast<double>(test.separation_of_cores(state.normal)), best, 1e-14);
  }
}

TEST(SearchState, SmallThings) {
  EXPECT_EQ(momentum_weight(0), 1.0 / 3.0);
  EXPECT_EQ(momentum_weight(2), 0.6);
  EXPECT_TRUE(vanishes(Vector3::Zero(), 1.0));
  EXPECT_TRUE(vanishes(Vector3(1e-31, 0.0, 0.0), 1.0));
  EXPECT_FALSE(vanishes(Vector3(1e-29, 0.0, 0.0), 1.0));
  GjkState state;
  const MinkowskiPoint x{{1, 2, 3}, {0, 0, 0}, {4, 5}, {1, 2, 3}};
  EXPECT_EQ(leave_point(x, GjkOutcome::converged, state), GjkOutcome::converged);
  EXPECT_EQ(state.simplex.size, 1);
  EXPECT_EQ(state.simplex.points[0].w, x.w);
  EXPECT_EQ(state.simplex.weights[0], 1.0);
}

}  // namespace
}  // namespace tactum::search_state_test
