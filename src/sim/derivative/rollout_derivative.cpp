// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/sim/rollout_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/format_number.hpp"
#include "sim/model/model_data.hpp"
#include "tactum/interrupt.hpp"

namespace tactum::sim {
namespace {

void check_rows(const TrajectoryMatrix& values, Eigen::Index rows, int nv, const char* field) {
  if (values.size() == 0) return;
  if (values.rows() != rows || values.cols() != nv)
    throw InvalidInput(
        field, std::to_string(values.rows()) + " x " + std::to_string(values.cols()),
        "give " + std::to_string(rows) + " x " + std::to_string(nv) + ", a row for each time");
  for (Eigen::Index i = 0; i < values.size(); ++i)
    if (!std::isfinite(values.data()[i]))
      throw InvalidInput(field, shortest_text(values.data()[i]), "give finite numbers");
}

void check_trajectory(const Model& model, const Trajectory& trajectory,
                      const RolloutDerivativeOptions& options) {
  if (trajectory.start.q.size() != model.nq() || trajectory.controls.cols() != model.nv() ||
      trajectory.q.rows() != trajectory.controls.rows() + 1)
    throw InvalidInput("trajectory", "of another model", "give a trajectory of this model");
  if (options.segment < 0)
    throw InvalidInput("segment", std::to_string(options.segment),
                       "give the number of steps whose tapes are held, or 0");
}

/// Makes the steps of a trajectory again, with tapes.
class Replay {
 public:
  Replay(const Model& model, const Trajectory& trajectory)
      : model_(model), trajectory_(trajectory) {
    options_ = trajectory.options;
    options_.timings = false;
  }

  /// The state after step i, and its tape if asked for.
  const StepResult& step_from(const State& state, Eigen::Index i, bool tape) {
    check_interrupt();
    options_.tape = tape;
    step(model_, state, trajectory_.controls.row(i).transpose(), trajectory_.dt, options_, work_,
         result_);
    return result_;
  }

 private:
  const Model& model_;
  const Trajectory& trajectory_;
  StepOptions options_;
  StepWorkspace work_;
  StepResult result_;
};

template <class Sum>
void note_margin(const StepDerivative& derivative, Sum& out) {
  out.smooth = out.smooth && derivative.smooth();
  out.mode_margin = std::min(out.mode_margin, derivative.mode_margin());
}

/// One change on its way through a trajectory.
struct ForwardChange {
  RolloutOutputTangent out;

  ForwardChange(const Model& model, Eigen::Index steps, const RolloutInputTangent& given)
      : given_(given) {
    const int nv = model.nv();
    check_rows(given.controls, steps, nv, "dcontrols");
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(nv);
    now_.q = given.q.size() > 0 ? given.q : zero;
    now_.v = given.v.size() > 0 ? given.v : zero;
    check_size(now_.q.size(), nv, "dq");
    check_size(now_.v.size(), nv, "dv");
    check_finite(now_.q, "dq");
    check_finite(now_.v, "dv");
    now_.parameters = given.parameters;
    out.q.resize(steps + 1, nv);
    out.v.resize(steps + 1, nv);
    out.q.row(0) = now_.q;
    out.v.row(0) = now_.v;
  }

  /// Through step i.
  void advance(const StepDerivative& derivative, Eigen::Index i) {
    note_margin(derivative, out);
    if (given_.controls.size() > 0) now_.tau = given_.controls.row(i).transpose();
    StepOutputTangent next = derivative.jvp(now_);
    now_.q = std::move(next.q);
    now_.v = std::move(next.v);
    out.q.row(i + 1) = now_.q;
    out.v.row(i + 1) = now_.v;
  }

 private:
  const RolloutInputTangent& given_;
  StepInputTangent now_;
};

}  // namespace

RolloutOutputTangent rollout_jvp(const Model& model, const Trajectory& trajectory,
                                 const RolloutInputTangent& change,
                                 const RolloutDerivativeOptions& options) {
  return rollout_columns(model, trajectory, std::span(&change, 1), options)[0];
}

std::vector<RolloutOutputTangent> rollout_columns(const Model& model, const Trajectory& trajectory,
                                                  std::span<const RolloutInputTangent> changes,
                                                  const RolloutDerivativeOptions& options) {
  check_trajectory(model, trajectory, options);
  const Eigen::Index steps = trajectory.controls.rows();
  std::vector<ForwardChange> all;
  all.reserve(changes.size());
  for (const RolloutInputTangent& change : changes) all.emplace_back(model, steps, change);
  Replay replay(model, trajectory);
  StepDerivativeWorkspace work;
  State state = trajectory.start;
  for (Eigen::Index i = 0; i < steps; ++i) {
    const StepResult& result = replay.step_from(state, i, true);
    const StepDerivative derivative = step_derivative(result, options.step, work);
    for (ForwardChange& each : all) each.advance(derivative, i);
    state = result.state;
  }
  std::vector<RolloutOutputTangent> out;
  out.reserve(all.size());
  for (ForwardChange& each : all) out.push_back(std::move(each.out));
  return out;
}

RolloutGradient rollout_vjp(const Model& model, const Trajectory& trajectory,
                            const RolloutOutputTangent& gradient,
                            const RolloutDerivativeOptions& options) {
  check_trajectory(model, trajectory, options);
  const Eigen::Index steps = trajectory.controls.rows();
  const int nv = model.nv();
  check_rows(gradient.q, steps + 1, nv, "dq");
  check_rows(gradient.v, steps + 1, nv, "dv");
  const Eigen::Index segment = std::max<Eigen::Index>(
      1, options.segment > 0
             ? options.segment
             : static_cast<Eigen::Index>(std::ceil(std::sqrt(static_cast<double>(steps)))));
  const auto by_q = [&](Eigen::Index i) -> Eigen::VectorXd {
    if (gradient.q.size() == 0) return Eigen::VectorXd::Zero(nv);
    return gradient.q.row(i).transpose();
  };
  const auto by_v = [&](Eigen::Index i) -> Eigen::VectorXd {
    if (gradient.v.size() == 0) return Eigen::VectorXd::Zero(nv);
    return gradient.v.row(i).transpose();
  };

  Replay replay(model, trajectory);
  std::vector<State> starts = {trajectory.start};
  State state = trajectory.start;
  const Eigen::Index last_start = steps > 0 ? (steps - 1) / segment * segment : 0;
  for (Eigen::Index i = 0; i < last_start; ++i) {
    state = replay.step_from(state, i, false).state;
    if ((i + 1) % segment == 0) starts.push_back(state);
  }

  RolloutGradient out;
  out.input.controls.setZero(steps, nv);
  for (const StepParameter parameter : options.step.parameters)
    out.input.parameters[static_cast<std::size_t>(parameter)].setZero(
        parameter_size(model, parameter));
  StepOutputTangent now{by_q(steps), by_v(steps)};
  StepDerivativeWorkspace work;
  std::vector<StepResult> tapes;
  for (auto start = starts.rbegin(); start != starts.rend(); ++start) {
    const Eigen::Index begin = segment * static_cast<Eigen::Index>(starts.rend() - start - 1),
                       end = std::min(begin + segment, steps);
    tapes.clear();
    state = *start;
    for (Eigen::Index i = begin; i < end; ++i) {
      StepResult& kept = tapes.emplace_back();
      const StepResult& result = replay.step_from(state, i, true);
      kept.tape = result.tape;
      state = result.state;
    }
    for (Eigen::Index i = end - 1; i >= begin; --i) {
      check_interrupt();
      const StepDerivative derivative = step_derivative(tapes[static_cast<std::size_t>(i - begin)],
                                                        options.step, work);
      note_margin(derivative, out);
      const StepInputTangent before = derivative.vjp(now);
      out.input.controls.row(i) = before.tau.transpose();
      for (std::size_t k = 0; k < before.parameters.size(); ++k)
        if (before.parameters[k].size() > 0) out.input.parameters[k] += before.parameters[k];
      now.q = by_q(i) + before.q;
      now.v = by_v(i) + before.v;
    }
  }
  out.input.q = now.q;
  out.input.v = now.v;
  return out;
}

RolloutGradient rollout_gradient(const Model& model, const Trajectory& trajectory,
                                 const RolloutLoss& loss, const RolloutDerivativeOptions& options) {
  RolloutOutputTangent gradient;
  const double value = loss(trajectory, gradient);
  RolloutGradient out = rollout_vjp(model, trajectory, gradient, options);
  out.value = value;
  return out;
}

}  // namespace tactum::sim
