// SPDX-License-Identifier: BSD-2-Clause
// A small share of what tactum_random_steps does: no NaN, no growth of energy in random scenes.
#include <gtest/gtest.h>

#include "mechanics/random_scenes.hpp"

namespace tactum::sim::random_steps_test {
namespace {

TEST(RandomSteps, StayFiniteAndNeverGainEnergy) {
#ifdef TACTUM_INSTRUMENTED
  const std::uint64_t scenes = 10;
#else
  const std::uint64_t scenes = 60;
#endif
  long not_converged = 0, steps = 0;
  for (std::uint64_t seed = 0; seed < scenes; ++seed) {
    const random_scenes::Outcome outcome = random_scenes::run_scene(seed, 60);
    EXPECT_EQ(outcome.broken, 0) << seed;
    EXPECT_LT(outcome.largest_growth, 1e-9) << seed;
    not_converged += outcome.not_converged;
    steps += outcome.steps;
  }
  EXPECT_LT(static_cast<double>(not_converged), 0.05 * static_cast<double>(steps));
}

}  // namespace
}  // namespace tactum::sim::random_steps_test
