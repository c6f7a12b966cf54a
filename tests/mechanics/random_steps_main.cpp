// SPDX-License-Identifier: BSD-2-Clause
// tactum_random_steps N [SEED]: N steps over random scenes of bodies and robots, some of which have
// restitution, compliance, compounds, closures or controls. Fails where a number is not finite or
// energy grows without a reason.
#include <cstdio>
#include <cstdlib>

#include "mechanics/random_scenes.hpp"

int main(int count, char** words) {
  const long wanted = count > 1 ? std::atol(words[1]) : 1'000'000;
  std::uint64_t seed = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1000;
  tactum::sim::random_scenes::Outcome sum;
  long scenes = 0, failures = 0;
  for (; sum.steps < wanted; ++seed, ++scenes) {
    const auto outcome = tactum::sim::random_scenes::run_scene(seed, 200);
    sum.steps += outcome.steps;
    sum.not_converged += outcome.not_converged;
    sum.largest_growth = std::max(sum.largest_growth, outcome.largest_growth);
    if (outcome.broken == 0 && outcome.largest_growth < 1e-9) continue;
    ++failures;
    std::printf("seed %llu: %ld broken, energy grows by %.2e\n",
                static_cast<unsigned long long>(seed), outcome.broken, outcome.largest_growth);
  }
  std::printf(
      "%ld steps of %ld scenes: %ld not converged (%.2f %%), largest growth of energy %.1e\n",
      sum.steps, scenes, sum.not_converged,
      100.0 * static_cast<double>(sum.not_converged) / static_cast<double>(sum.steps),
      sum.largest_growth);
  return failures == 0 ? 0 : 1;
}
