// SPDX-License-Identifier: BSD-2-Clause
#include "compare_sim/rollouts.hpp"

#include <random>
#include <vector>

#include "compare/stopwatch.hpp"
#include "tactum/sim/rollout.hpp"

namespace tactum::compare {

double time_of_rollouts(const std::string& file, const RolloutsSize& size) {
  sim::RobotOptions robot_options;
  robot_options.ignore_unsupported = robot_options.any_path = true;
  const sim::Model model = sim::load_mjcf(file, robot_options);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> speed(-size.largest_speed, size.largest_speed);
  std::vector<sim::State> states(static_cast<std::size_t>(size.count), model.state());
  for (sim::State& state : states)
    for (double& entry : state.v) entry = speed(random);
  const std::vector<sim::TrajectoryMatrix> controls(
      states.size(), sim::TrajectoryMatrix::Zero(size.steps, model.nv()));
  std::vector<sim::Trajectory> out(states.size());
  sim::RolloutsOptions options;
  options.step.tolerance = size.tolerance;
  options.num_threads = size.threads;
  BatchWorkspace work;
  const std::uint64_t start = Stopwatch::now();
  sim::rollouts(model, states, controls, size.dt, options, work, out);
  return 1e-9 * Stopwatch::nanoseconds(start, Stopwatch::now());
}

}  // namespace tactum::compare
