// SPDX-License-Identifier: BSD-2-Clause
// tactum_step_differences N [SEED]: the derivative of a step against differences of the step in N
// random states of each kind. Fails where a state is off and not flagged.
#include "mechanics/step_differences.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

using namespace tactum::sim::step_differences;

int failures = 0;

void print(const std::string& name, const Tally& tally) {
  failures += tally.unflagged_failures;
  std::printf("%-26s%9d%9d%9d%10d%11.1e\n", name.c_str(), tally.states, tally.failed, tally.flagged,
              tally.unflagged_failures, tally.worst);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  const int states = count > 1 ? std::atoi(words[1]) : 1000;
  const auto seed = static_cast<std::uint32_t>(count > 2 ? std::strtoul(words[2], nullptr, 10) : 1);
  std::printf("%-26s%9s%9s%9s%10s%11s\n", "kind", "states", "off", "flagged", "wrong", "worst");
  const std::pair<Partner, const char*> partners[] = {{Partner::plane, " on a plane"},
                                                      {Partner::body, " on another"},
                                                      {Partner::mesh, " on a mesh"}};
  for (const auto& [partner, text] : partners)
    for (const std::string& name : shape_names())
      print(name + text, touching_states(partner, name, states, seed));
  print("pendulum at a wall", pendulum_states(false, states, seed));
  print("pendulum at its limit", pendulum_states(true, states, seed));
  print("loop", loop_states(states, seed));
  std::printf("%d states are off by more than %g and not flagged\n", failures, kGoal);
  return failures == 0 ? 0 : 1;
}
