// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/sim/rollout.hpp"

#include <cmath>
#include <exception>
#include <string>

#include "core/format_number.hpp"
#include "core/thread_team.hpp"
#include "sim/model/model_data.hpp"
#include "tactum/interrupt.hpp"

namespace tactum::sim {

void check_controls(const Model& model, const TrajectoryMatrix& controls) {
  if (controls.size() == 0) return;
  check_size(controls.cols(), model.nv(), "controls, each row");
  for (Eigen::Index i = 0; i < controls.rows(); ++i) {
    for (Eigen::Index j = 0; j < controls.cols(); ++j) {
      if (!std::isfinite(controls(i, j)))
        throw InvalidInput("controls[" + std::to_string(i) + "," + std::to_string(j) + "]",
                           shortest_text(controls(i, j)), "give finite numbers");
    }
  }
}

namespace {

/// `set_forces(state, tau)` writes the forces of the next step.
template <class SetForces>
void run_steps(const Model& model, const State& state, const SetForces& set_forces, int steps,
               double dt, const StepOptions& options, StepWorkspace& work, Trajectory& out) {
  check_state(model.data(), state);
  if (steps < 0)
    throw InvalidInput("steps", std::to_string(steps), "give the number of steps, 0 or more");
  out.q.resize(steps + 1, model.nq());
  out.v.resize(steps + 1, model.nv());
  out.status.clear();
  out.status.reserve(static_cast<std::size_t>(steps));
  out.residual.clear();
  out.residual.reserve(static_cast<std::size_t>(steps));
  out.q.row(0) = state.q;
  out.v.row(0) = state.v;
  out.last = out.start = state;
  out.controls.setZero(steps, model.nv());
  out.dt = dt;
  out.options = options;
  StepResult result;
  Eigen::VectorXd tau;
  for (int i = 0; i < steps; ++i) {
    check_interrupt();
    set_forces(out.last, tau);
    step(model, out.last, tau, dt, options, work, result);
    if (tau.size() > 0) out.controls.row(i) = tau.transpose();
    std::swap(out.last, result.state);
    out.q.row(i + 1) = out.last.q;
    out.v.row(i + 1) = out.last.v;
    out.status.push_back(result.status);
    out.residual.push_back(result.solution.residual);
  }
}

}  // namespace

void rollout(const Model& model, const State& state, const Controller& controller, int steps,
             double dt, const StepOptions& options, StepWorkspace& work, Trajectory& out) {
  const auto set_forces = [&](const State& now, Eigen::VectorXd& tau) {
    tau = controller(now.time, now);
  };
  run_steps(model, state, set_forces, steps, dt, options, work, out);
}

void rollout(const Model& model, const State& state, const TrajectoryMatrix& controls, double dt,
             const StepOptions& options, StepWorkspace& work, Trajectory& out) {
  check_controls(model, controls);
  Eigen::Index row = 0;
  const auto set_forces = [&](const State&, Eigen::VectorXd& tau) {
    tau = controls.row(row++).transpose();
  };
  run_steps(model, state, set_forces, static_cast<int>(controls.rows()), dt, options, work, out);
}

bool rollouts(const Model& model, std::span<const State> states,
              std::span<const TrajectoryMatrix> controls, double dt, const RolloutsOptions& options,
              BatchWorkspace& work, std::span<Trajectory> out) {
  if (states.size() != controls.size() || states.size() != out.size())
    throw InvalidInput("controls", std::to_string(controls.size()) + " arrays",
                       "give " + std::to_string(states.size()) + ", one for each state");
  check_num_threads(options.num_threads);
  for (const State& state : states) check_state(model.data(), state);
  for (const TrajectoryMatrix& rows : controls) check_controls(model, rows);
  StepOptions step_options = options.step;
  step_options.timings = false;
  std::vector<std::exception_ptr> errors(states.size());
  const auto run = [&](std::size_t begin, std::size_t end) {
    thread_local StepWorkspace own;
    for (std::size_t i = begin; i < end; ++i) {
      try {
        rollout(model, states[i], controls[i], dt, step_options, own, out[i]);
      } catch (const InvalidInput&) {
        errors[i] = std::current_exception();  // nothing may leave the loop of threads
      }
    }
  };
  const bool finished = parallel_for(
      work.team(), states.size(),
      {.num_threads = options.num_threads,
       .largest_chunk = 1,
       .interrupted = options.interrupted ? &options.interrupted : nullptr},
      run);
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return finished;
}

}  // namespace tactum::sim
