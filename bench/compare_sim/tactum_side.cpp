// SPDX-License-Identifier: BSD-2-Clause
#include <stdexcept>

#include "compare_sim/side.hpp"
#include "tactum/sim/step.hpp"

namespace tactum::compare {
namespace {

class TactumSide final : public Side {
 public:
  TactumSide(const std::string& file, double dt, const std::string& solver, double tolerance)
      : model_(load(file)), state_(model_.state()), dt_(dt) {
    options_.tolerance = tolerance;
    for (int i = 0; i < contact_solver_count; ++i)
      if (to_string(static_cast<ContactSolver>(i)) == solver)
        options_.solver = static_cast<ContactSolver>(i);
  }

  void step(int count) override {
    options_.timings = false;
    for (int i = 0; i < count; ++i) advance();
  }
  double ncp_residual() override { return result_.solution.ncp_residual; }
  int num_contacts() override { return static_cast<int>(result_.contacts.size()); }
  int num_velocities() override { return model_.nv(); }
  double height() override { return sim::com(model_, state_).z(); }

  std::vector<std::pair<std::string, double>> stages() override {
    options_.timings = true;
    sim::StepTimings sum;
    const int count = 50;
    for (int i = 0; i < count; ++i) {
      advance();
      const sim::StepTimings& t = result_.timings;
      sum.kinematics += t.kinematics;
      sum.dynamics += t.dynamics;
      sum.pairs += t.pairs;
      sum.contacts += t.contacts;
      sum.assembly += t.assembly;
      sum.solve += t.solve;
      sum.integrate += t.integrate;
    }
    const double us = 1e6 / count;
    return {{"kinematics", us * sum.kinematics}, {"dynamics", us * sum.dynamics},
            {"pairs", us * sum.pairs},           {"contacts", us * sum.contacts},
            {"assembly", us * sum.assembly},     {"solve", us * sum.solve},
            {"integrate", us * sum.integrate}};
  }

 private:
  static sim::Model load(const std::string& file) {
    sim::RobotOptions options;
    options.ignore_unsupported = options.any_path = true;
    return sim::load_mjcf(file, options);
  }

  void advance() {
    sim::step(model_, state_, {}, dt_, options_, work_, result_);
    std::swap(state_, result_.state);
  }

  sim::Model model_;
  sim::State state_;
  sim::StepOptions options_;
  sim::StepWorkspace work_;
  sim::StepResult result_;
  double dt_;
};

}  // namespace

std::unique_ptr<Side> make_tactum(const std::string& file, double dt, const std::string& solver,
                                  double tolerance) {
  return std::make_unique<TactumSide>(file, dt, solver, tolerance);
}

}  // namespace tactum::compare
