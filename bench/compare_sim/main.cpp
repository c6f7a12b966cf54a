// SPDX-License-Identifier: BSD-2-Clause
// Steps of tactum and of MuJoCo from the same MJCF files, in one process, in turns.
//
//     tactum_compare_sim --seconds S --dt DT [--stiffness K --damping D --push F] NAME=FILE...
//     tactum_compare_sim --rollouts COUNT --steps N --dt DT NAME=FILE
//
// Each file is simulated in two phases of S seconds: while it falls, and at rest, which begins
// where the side has hardly moved for a while, or where it has moved on for 10 S. tactum runs at a
// residual of 1e-6, and at the one that MuJoCo has in that phase, but never above 1e-2. Prints a
// line of JSON for each phase: medians and quartiles of the time of a step in us over blocks of
// steps. The stages of the side at 1e-6 are those of the same steps, made a second time. With
// --rollouts, prints the seconds that tactum takes for rollouts of so many states on two threads.
#include <algorithm>
#include <array>
#include <cmath>
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

constexpr int kBlock = 10;         // steps that are timed together
constexpr int kStillBlocks = 20;   // without motion, after which a side rests
constexpr double kStill = 0.05;    // m/s and rad/s: root mean square below which nothing moves
constexpr double kLongest = 10.0;  // times a phase, after which the next one begins anyhow
constexpr double kLeastResidual = 1e-8, kLargestResidual = 1e-2;  // that tactum is asked for

struct Timed {
  std::string name;
  std::unique_ptr<Side> side;
  double tolerance = 1e-6;
  bool with_stages = false;
  std::vector<double> us = {}, residuals = {};
};

struct Settings {
  double seconds = 1.0, dt = 2e-3;
  Controls controls = {};

  /// Of a phase.
  int blocks() const { return std::max(5, static_cast<int>(seconds / (dt * kBlock))); }
};

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0
                        : values[static_cast<std::size_t>(
                              share * static_cast<double>(values.size() - 1) + 0.5)];
}

/// Steps until nothing has moved for a while, or for the longest time.
void settle(const Settings& settings, Side& side) {
  const int most = static_cast<int>(kLongest * settings.blocks());
  for (int i = 0, still = 0; i < most && still < kStillBlocks; ++i) {
    side.step(kBlock);
    still = side.speed() <= kStill ? still + 1 : 0;
  }
}

/// Blocks of steps of all sides in turns.
void measure(const Settings& settings, std::vector<Timed>& sides) {
  for (Timed& each : sides) {
    each.us.clear();
    each.residuals.clear();
    each.side->start_phase(each.tolerance);
  }
  for (int i = 0; i < settings.blocks(); ++i) {
    for (Timed& each : sides) {
      each.side->mark();
      const std::uint64_t start = Stopwatch::now();
      each.side->step(kBlock);
      each.us.push_back(1e-3 * Stopwatch::nanoseconds(start, Stopwatch::now()) / kBlock);
      if (each.with_stages) each.side->time_stages();
      if (i % std::max(1, settings.blocks() / 10) == 0)
        each.residuals.push_back(each.side->ncp_residual());
    }
  }
}

/// A number of JSON, which has no NaN.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::isfinite(value) ? text : "null";
}

void print(const std::string& name, const char* phase, std::vector<Timed>& sides) {
  std::printf("{\"name\": \"%s\", \"phase\": \"%s\", \"nv\": %d, \"sides\": [", name.c_str(), phase,
              sides[0].side->num_velocities());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Timed& each = sides[i];
    std::printf(
        "%s{\"name\": \"%s\", \"median\": %s, \"quartiles\": [%s, %s], \"tolerance\": %s, "
        "\"residual\": %s, \"converged\": %s, \"contacts\": %d, \"height\": %s, \"speed\": %s, "
        "\"stages\": {",
        i == 0 ? "" : ", ", each.name.c_str(), number(quantile(each.us, 0.5)).c_str(),
        number(quantile(each.us, 0.25)).c_str(), number(quantile(each.us, 0.75)).c_str(),
        number(each.tolerance).c_str(), number(quantile(each.residuals, 0.5)).c_str(),
        number(each.side->share_converged()).c_str(), each.side->num_contacts(),
        number(each.side->height()).c_str(), number(each.side->speed()).c_str());
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

/// MuJoCo's median residual in both phases, by a run of its own, which moves as the timed one does.
std::array<double, 2> residuals_of_mujoco(const std::string& file, const Settings& settings) {
  std::vector<Timed> scout;
  scout.push_back({.name = "scout", .side = make_mujoco(file, settings.dt, settings.controls)});
  measure(settings, scout);
  const double falls = quantile(scout[0].residuals, 0.5);
  settle(settings, *scout[0].side);
  measure(settings, scout);
  return {falls, quantile(scout[0].residuals, 0.5)};
}

void run(const std::string& name, const std::string& file, const Settings& settings) {
  std::array<double, 2> own = residuals_of_mujoco(file, settings);
  for (double& residual : own) residual = std::clamp(residual, kLeastResidual, kLargestResidual);
  std::vector<Timed> sides;
  sides.push_back({.name = "tactum 1e-6",
                   .side = make_tactum(file, settings.dt, settings.controls),
                   .with_stages = true});
  sides.push_back({.name = "tactum at MuJoCo's residual",
                   .side = make_tactum(file, settings.dt, settings.controls),
                   .tolerance = own[0]});
  sides.push_back({.name = "MuJoCo", .side = make_mujoco(file, settings.dt, settings.controls)});
  sides[2].tolerance = std::numeric_limits<double>::quiet_NaN();
  measure(settings, sides);
  print(name, "falls", sides);
  sides[1].tolerance = own[1];
  bool rest = true;
  for (Timed& each : sides) {
    each.side->start_phase(each.tolerance);
    settle(settings, *each.side);
    rest = rest && each.side->speed() <= kStill;
  }
  measure(settings, sides);
  print(name, rest ? "rests" : "moves on", sides);
}

}  // namespace
}  // namespace tactum::compare

int main(int count, char** words) {
  tactum::compare::Settings settings;
  tactum::compare::RolloutsSize rollouts{.count = 0};
  const auto number_of = [&](const char* option, int i, double& out) {
    if (std::strcmp(words[i], option) != 0 || i + 1 >= count) return false;
    out = std::atof(words[i + 1]);
    return true;
  };
  try {
    for (int i = 1; i < count; ++i) {
      if (number_of("--seconds", i, settings.seconds) || number_of("--dt", i, settings.dt) ||
          number_of("--stiffness", i, settings.controls.stiffness) ||
          number_of("--damping", i, settings.controls.damping) ||
          number_of("--push", i, settings.controls.push)) {
        ++i;
      } else if (std::strcmp(words[i], "--rollouts") == 0 && i + 1 < count) {
        rollouts.count = std::atoi(words[++i]);
      } else if (std::strcmp(words[i], "--steps") == 0 && i + 1 < count) {
        rollouts.steps = std::atoi(words[++i]);
      } else {
        const std::string word = words[i];
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || !(settings.seconds > 0.0) || !(settings.dt > 0.0)) {
          std::fprintf(stderr,
                       "usage: tactum_compare_sim [--seconds S] [--dt DT] [--stiffness K] "
                       "[--damping D] [--push F] NAME=FILE...\n");
          return 2;
        }
        const std::string name = word.substr(0, equals), file = word.substr(equals + 1);
        if (rollouts.count > 0) {
          rollouts.dt = settings.dt;
          std::printf("%.6g\n", tactum::compare::time_of_rollouts(file, rollouts));
        } else {
          tactum::compare::run(name, file, settings);
        }
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
