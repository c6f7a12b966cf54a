// SPDX-License-Identifier: BSD-2-Clause
#include "compare/stopwatch.hpp"
#include "compare_sim/derivative_side.hpp"
#include "tactum/sim/step_derivative.hpp"

namespace tactum::compare {
namespace {

/// us that a call takes.
template <class Run>
double time_of(const Run& run) {
  const std::uint64_t start = Stopwatch::now();
  run();
  return 1e-3 * Stopwatch::nanoseconds(start, Stopwatch::now());
}

class TactumDerivative final : public DerivativeSide {
 public:
  TactumDerivative(const std::string& file, double dt)
      : model_(load(file)), state_(model_.state()), dt_(dt) {
    options_.timings = false;
    gradient_.q.setOnes(model_.nv());
    gradient_.v.setOnes(model_.nv());
  }

  int num_velocities() override { return model_.nv(); }
  int num_contacts() override { return static_cast<int>(taped_.contacts.size()); }
  void advance(int count) override {
    for (int i = 0; i < count; ++i) {
      sim::step(model_, state_, {}, dt_, options_, work_, result_);
      std::swap(state_, result_.state);
    }
    has_reference_ = false;
  }

  void measure(std::vector<Call>& calls) override {
    if (calls.empty()) calls = {{"step"}, {"step with tape"}, {"jacobian"}, {"vjp"}};
    sim::StepOptions taping = options_;
    taping.tape = true;
    calls[0].us.push_back(
        time_of([&] { sim::step(model_, state_, {}, dt_, options_, work_, result_); }));
    calls[1].us.push_back(
        time_of([&] { sim::step(model_, state_, {}, dt_, taping, work_, taped_); }));
    calls[2].us.push_back(time_of([&] {
      const sim::StepDerivative derivative = sim::step_derivative(taped_, {}, derivative_work_);
      derivative.jacobians(jacobians_);
      smooth_ = derivative.smooth();
    }));
    calls[3].us.push_back(time_of(
        [&] { back_ = sim::step_derivative(taped_, {}, derivative_work_).vjp(gradient_); }));
  }

  Eigen::VectorXd column(int i) override {
    const int nv = model_.nv();
    Eigen::VectorXd out(2 * nv);
    out << (i < nv ? jacobians_.dq_dq.col(i) : jacobians_.dq_dv.col(i - nv)),
        (i < nv ? jacobians_.dv_dq.col(i) : jacobians_.dv_dv.col(i - nv));
    return out;
  }

  Eigen::VectorXd moved(int i, double h) override {
    const int nv = model_.nv();
    if (!has_reference_) {
      reference_ = exact_step(state_);
      maps_ = sim::position_maps(model_, reference_.q);
      has_reference_ = true;
    }
    sim::State changed = state_;
    if (i < nv)
      changed.q = model_.integrate(state_.q, h * Eigen::VectorXd::Unit(nv, i));
    else
      changed.v[i - nv] += h;
    const sim::State after = exact_step(changed);
    Eigen::VectorXd out(2 * nv);
    // Model::difference rounds angles below 1e-8 rad of continuous joints to zero
    out << maps_.tangent_by_numbers * (after.q - reference_.q), after.v - reference_.v;
    return out;
  }

  bool smooth() override { return smooth_; }

 private:
  static sim::Model load(const std::string& file) {
    sim::RobotOptions options;
    options.ignore_unsupported = options.any_path = true;
    return sim::load_mjcf(file, options);
  }

  sim::State exact_step(const sim::State& from) {
    sim::StepOptions options = options_;
    options.tolerance = 1e-13;
    options.max_iterations = 5000;
    sim::step(model_, from, {}, dt_, options, work_, result_);
    return result_.state;
  }

  sim::Model model_;
  sim::State state_, reference_;
  sim::StepOptions options_;
  sim::StepWorkspace work_;
  sim::StepDerivativeWorkspace derivative_work_;
  sim::StepResult result_, taped_;
  sim::StepJacobians jacobians_;
  sim::PositionMaps maps_;
  sim::StepOutputTangent gradient_;
  sim::StepInputTangent back_;
  double dt_;
  bool smooth_ = false, has_reference_ = false;
};

}  // namespace

std::unique_ptr<DerivativeSide> make_tactum_derivative(const std::string& file, double dt) {
  return std::make_unique<TactumDerivative>(file, dt);
}

}  // namespace tactum::compare
