// SPDX-License-Identifier: BSD-2-Clause
#include <Eigen/Geometry>
#include <cmath>
#include <stdexcept>

#include "compare_sim/side.hpp"
#include "tactum/sim/step.hpp"

namespace tactum::compare {
namespace {

class TactumSide final : public Side {
 public:
  TactumSide(const std::string& file, double dt, const Controls& controls)
      : model_(load(file)),
        state_(model_.state()),
        marked_(state_),
        start_(state_),
        dt_(dt),
        controls_(controls) {
    options_.timings = false;
    if (controls_.any()) tau_.setZero(model_.nv());
  }

  void step(int count) override {
    for (int i = 0; i < count; ++i) {
      advance();
      if (result_.status == sim::StepStatus::converged) ++converged_;
    }
    steps_ += count;
  }
  double ncp_residual() override { return result_.solution.ncp_residual; }
  int num_contacts() override { return static_cast<int>(result_.contacts.size()); }
  int num_velocities() override { return model_.nv(); }
  double height() override { return sim::com(model_, state_).z(); }
  double speed() override {
    return std::sqrt(state_.v.squaredNorm() / static_cast<double>(state_.v.size()));
  }

  void start_phase(double tolerance) override {
    options_.tolerance = tolerance;
    steps_ = converged_ = marked_steps_ = timed_ = 0;
    sum_ = {};
  }
  double share_converged() override {
    return static_cast<double>(converged_) / static_cast<double>(steps_);
  }
  void mark() override {
    marked_ = state_;
    marked_steps_ = steps_;
  }

  void time_stages() override {
    // a step depends on the state alone: these are the steps that were made before
    state_ = marked_;
    options_.timings = true;
    for (long i = marked_steps_; i < steps_; ++i) {
      advance();
      const sim::StepTimings& t = result_.timings;
      sum_.kinematics += t.kinematics;
      sum_.dynamics += t.dynamics;
      sum_.pairs += t.pairs;
      sum_.contacts += t.contacts;
      sum_.assembly += t.assembly;
      sum_.solve += t.solve;
      sum_.integrate += t.integrate;
      ++timed_;
    }
    options_.timings = false;
  }
  std::vector<std::pair<std::string, double>> stages() override {
    if (timed_ == 0) return {};
    const double us = 1e6 / static_cast<double>(timed_);
    return {{"kinematics", us * sum_.kinematics}, {"dynamics", us * sum_.dynamics},
            {"pairs", us * sum_.pairs},           {"contacts", us * sum_.contacts},
            {"assembly", us * sum_.assembly},     {"solve", us * sum_.solve},
            {"integrate", us * sum_.integrate}};
  }

 private:
  static sim::Model load(const std::string& file) {
    sim::RobotOptions options;
    options.ignore_unsupported = options.any_path = true;
    return sim::load_mjcf(file, options);
  }

  void set_forces() {
    for (Eigen::Index i = 6; i < tau_.size(); ++i)
      tau_[i] = controls_.hold(start_.q[i + 1], state_.q[i + 1], state_.v[i]);
    // the force on the base is along its own axes
    const Eigen::Quaterniond base(state_.q[6], state_.q[3], state_.q[4], state_.q[5]);
    tau_.head<3>() = base.conjugate() * Eigen::Vector3d(0, controls_.push_at(state_.time), 0);
  }

  void advance() {
    if (controls_.any()) set_forces();
    sim::step(model_, state_, tau_, dt_, options_, work_, result_);
    std::swap(state_, result_.state);
  }

  sim::Model model_;
  sim::State state_, marked_, start_;
  Eigen::VectorXd tau_;  // empty without controls
  sim::StepOptions options_;
  sim::StepWorkspace work_;
  sim::StepResult result_;
  sim::StepTimings sum_;  // of the stages of `timed_` steps
  double dt_;
  Controls controls_;
  long steps_ = 0, converged_ = 0, marked_steps_ = 0, timed_ = 0;  // of the phase
};

}  // namespace

std::unique_ptr<Side> make_tactum(const std::string& file, double dt, const Controls& controls) {
  return std::make_unique<TactumSide>(file, dt, controls);
}

}  // namespace tactum::compare
