// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of steps by tactum and by MuJoCo from the same MJCF files, in one process, in turns.
//
//     tactum_compare_sim_derivative --seconds S --dt DT [--states N] [--only SIDE] NAME=FILE...
//
// States along two phases are compared: while it falls, and at rest. Each side moves by itself, so
// their states differ a little. Prints a line of JSON for each phase: medians and quartiles in us
// of the calls of each side, and the errors of some columns of its Jacobian against extrapolated
// differences of its own step. A column counts where the extrapolation knows it to 1e-6.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <numeric>
#include <string>

#include "compare_sim/derivative_side.hpp"

namespace tactum::compare {
namespace {

constexpr int kColumns = 4;         // checked in each state
constexpr int kMostChecked = 120;   // entries of v above which no column is checked
constexpr double kKnown = 1e-6;     // relative error of a reference that is good enough
constexpr double kLongCall = 2e5;   // us above which a call is not repeated
constexpr double kLongPhase = 1e7;  // us of calls of one side after which a phase ends for it
constexpr int kRepetitions = 5;

struct Settings {
  double seconds = 1.0, dt = 2e-3;
  int states = 10;
  std::string only;
};

struct Measured {
  std::string name;
  std::unique_ptr<DerivativeSide> side;
  std::vector<Call> calls = {};
  std::vector<double> errors = {}, contacts = {};
  int checked = 0, smooth = 0, states = 0;

  double us() const {
    double sum = 0.0;
    for (const Call& call : calls) sum += std::accumulate(call.us.begin(), call.us.end(), 0.0);
    return sum;
  }
};

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0
                        : values[static_cast<std::size_t>(
                              share * static_cast<double>(values.size() - 1) + 0.5)];
}

/// Errors of some columns, relative to the largest entry of the column.
void check_columns(int state, Measured& each) {
  const int count = 2 * each.side->num_velocities();
  if (count > 2 * kMostChecked || !each.side->smooth()) return;
  for (int k = 0; k < kColumns; ++k) {
    const int i = (31 * state + k * count / kColumns + 7 * k) % count;
    const Extrapolated expected = extrapolated_column(*each.side, i);
    const double size = expected.value.cwiseAbs().maxCoeff();
    ++each.checked;
    if (!(expected.error <= kKnown * size)) continue;
    each.errors.push_back((each.side->column(i) - expected.value).cwiseAbs().maxCoeff() / size);
  }
}

void measure(const Settings& settings, std::vector<Measured>& sides) {
  const int apart = std::max(1, static_cast<int>(settings.seconds / settings.dt) / settings.states);
  for (Measured& each : sides) {
    each.calls.clear();
    each.errors.clear();
    each.contacts.clear();
    each.checked = each.smooth = each.states = 0;
  }
  for (int state = 0; state < settings.states; ++state) {
    for (Measured& each : sides) {
      if (each.us() > kLongPhase) continue;
      each.side->advance(apart);
      for (int k = 0; k < kRepetitions; ++k) {
        each.side->measure(each.calls);
        if (each.calls.back().us.back() > kLongCall) break;
      }
      ++each.states;
      each.smooth += each.side->smooth() ? 1 : 0;
      each.contacts.push_back(each.side->num_contacts());
      check_columns(state, each);
    }
  }
}

void print(const std::string& name, const char* phase, std::vector<Measured>& sides) {
  std::printf("{\"name\": \"%s\", \"phase\": \"%s\", \"nv\": %d, \"sides\": [", name.c_str(), phase,
              sides[0].side->num_velocities());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Measured& each = sides[i];
    std::printf(
        "%s{\"name\": \"%s\", \"contacts\": %g, \"states\": %d, \"smooth\": %d, \"columns\": %d, "
        "\"known\": %zu, \"error\": [%.3g, %.3g, %.3g], \"calls\": {",
        i == 0 ? "" : ", ", each.name.c_str(), quantile(each.contacts, 0.5), each.states,
        each.smooth, each.checked, each.errors.size(), quantile(each.errors, 0.5),
        quantile(each.errors, 0.9), quantile(each.errors, 1.0));
    for (std::size_t k = 0; k < each.calls.size(); ++k)
      std::printf("%s\"%s\": [%.6g, %.6g, %.6g]", k == 0 ? "" : ", ", each.calls[k].name.c_str(),
                  quantile(each.calls[k].us, 0.5), quantile(each.calls[k].us, 0.25),
                  quantile(each.calls[k].us, 0.75));
    std::printf("}}");
  }
  std::printf("]}\n");
  std::fflush(stdout);
}

void run(const std::string& name, const std::string& file, const Settings& settings) {
  std::vector<Measured> sides;
  if (settings.only != "MuJoCo")
    sides.push_back({"tactum", make_tactum_derivative(file, settings.dt)});
  if (settings.only != "tactum")
    sides.push_back({"MuJoCo", make_mujoco_derivative(file, settings.dt)});
  measure(settings, sides);
  print(name, "falls", sides);
  for (Measured& each : sides)
    each.side->advance(static_cast<int>(2.0 * settings.seconds / settings.dt));
  measure(settings, sides);
  print(name, "rests", sides);
}

int run_all(int count, char** words) {
  Settings settings;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t equals = word.find('=');
    const bool has_value = i + 1 < count;
    if (word == "--seconds" && has_value)
      settings.seconds = std::atof(words[++i]);
    else if (word == "--dt" && has_value)
      settings.dt = std::atof(words[++i]);
    else if (word == "--states" && has_value)
      settings.states = std::atoi(words[++i]);
    else if (word == "--only" && has_value)
      settings.only = words[++i];
    else if (equals == std::string::npos || !(settings.seconds > 0.0) || !(settings.dt > 0.0) ||
             settings.states < 1) {
      std::fprintf(stderr,
                   "usage: tactum_compare_sim_derivative [--seconds S] [--dt DT] [--states N] "
                   "[--only SIDE] NAME=FILE...\n");
      return 2;
    } else
      run(word.substr(0, equals), word.substr(equals + 1), settings);
  }
  return 0;
}

}  // namespace
}  // namespace tactum::compare

int main(int count, char** words) {
  try {
    return tactum::compare::run_all(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
