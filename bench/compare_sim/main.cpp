// SPDX-License-Identifier: BSD-2-Clause
// Steps of tactum and of MuJoCo from the same MJCF files, in one process, in turns.
//
//     tactum_compare_sim --seconds S --dt DT NAME=FILE...
//     tactum_compare_sim --rollouts COUNT --steps N --dt DT NAME=FILE
//
// Each file is simulated in two phases: while it falls, and at rest after some seconds. tactum runs
// at a residual of 1e-6 and at that of MuJoCo. Prints a line of JSON for each phase: medians and
// quartiles of the time of a step in us over blocks of steps. With --rollouts, prints the seconds
// that tactum takes for rollouts of so many states on two threads.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "compare/stopwatch.hpp"
#include "compare_sim/rollouts.hpp"
#include "compare_sim/side.hpp"

namespace tactum::compare {
namespace {

constexpr int kBlock = 10;  // steps that are timed together

struct Timed {
  std::string name;
  std::unique_ptr<Side> side;
  std::vector<double> us = {}, residuals = {};
};

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0
                        : values[static_cast<std::size_t>(
                              share * static_cast<double>(values.size() - 1) + 0.5)];
}

/// Blocks of steps of all sides in turns.
void measure(int blocks, std::vector<Timed>& sides) {
  for (Timed& each : sides) {
    each.us.clear();
    each.residuals.clear();
  }
  for (int i = 0; i < blocks; ++i) {
    for (Timed& each : sides) {
      const std::uint64_t start = Stopwatch::now();
      each.side->step(kBlock);
      each.us.push_back(1e-3 * Stopwatch::nanoseconds(start, Stopwatch::now()) / kBlock);
      if (i % std::max(1, blocks / 10) == 0) each.residuals.push_back(each.side->ncp_residual());
    }
  }
}

void print(const std::string& name, const char* phase, std::vector<Timed>& sides) {
  std::printf("{\"name\": \"%s\", \"phase\": \"%s\", \"nv\": %d, \"sides\": [", name.c_str(), phase,
              sides[0].side->num_velocities());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Timed& each = sides[i];
    std::printf(
        "%s{\"name\": \"%s\", \"median\": %.6g, \"quartiles\": [%.6g, %.6g], \"residual\": %.3g, "
        "\"contacts\": %d, \"height\": %.6g, \"stages\": {",
        i == 0 ? "" : ", ", each.name.c_str(), quantile(each.us, 0.5), quantile(each.us, 0.25),
        quantile(each.us, 0.75), quantile(each.residuals, 0.5), each.side->num_contacts(),
        each.side->height());
    bool first = true;
    for (const auto& [stage, us] : each.side->stages()) {
      std::printf("%s\"%s\": %.4g", first ? "" : ", ", stage.c_str(), us);
      first = false;
    }
    std::printf("}}");
  }
  std::printf("]}\n");
  std::fflush(stdout);
}

void run(const std::string& name, const std::string& file, double seconds, double dt) {
  // MuJoCo's own residual is found by a run of its own
  std::unique_ptr<Side> scout = make_mujoco(file, dt);
  std::vector<double> residuals;
  for (int i = 0; i < 20; ++i) {
    scout->step(static_cast<int>(0.05 * seconds / dt) + 1);
    residuals.push_back(scout->ncp_residual());
  }
  const double own = std::clamp(quantile(residuals, 0.5), 1e-8, 1e-2);
  std::vector<Timed> sides;
  sides.push_back({"tactum 1e-6", make_tactum(file, dt, "ncp_admm", 1e-6)});
  sides.push_back({"tactum at MuJoCo's residual", make_tactum(file, dt, "ncp_admm", own)});
  sides.push_back({"MuJoCo", make_mujoco(file, dt)});
  const int blocks = std::max(5, static_cast<int>(seconds / (dt * kBlock)));
  measure(blocks, sides);
  print(name, "falls", sides);
  for (Timed& each : sides) each.side->step(static_cast<int>(2.0 * seconds / dt));
  measure(blocks, sides);
  print(name, "rests", sides);
}

}  // namespace
}  // namespace tactum::compare

int main(int count, char** words) {
  double seconds = 1.0, dt = 2e-3;
  tactum::compare::RolloutsSize rollouts{.count = 0};
  try {
    for (int i = 1; i < count; ++i) {
      if (std::strcmp(words[i], "--seconds") == 0 && i + 1 < count) {
        seconds = std::atof(words[++i]);
      } else if (std::strcmp(words[i], "--dt") == 0 && i + 1 < count) {
        dt = rollouts.dt = std::atof(words[++i]);
      } else if (std::strcmp(words[i], "--rollouts") == 0 && i + 1 < count) {
        rollouts.count = std::atoi(words[++i]);
      } else if (std::strcmp(words[i], "--steps") == 0 && i + 1 < count) {
        rollouts.steps = std::atoi(words[++i]);
      } else {
        const std::string word = words[i];
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || !(seconds > 0.0) || !(dt > 0.0)) {
          std::fprintf(stderr, "usage: tactum_compare_sim [--seconds S] [--dt DT] NAME=FILE...\n");
          return 2;
        }
        if (rollouts.count > 0) {
          std::printf("%.6g\n",
                      tactum::compare::time_of_rollouts(word.substr(equals + 1), rollouts));
          continue;
        }
        tactum::compare::run(word.substr(0, equals), word.substr(equals + 1), seconds, dt);
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
