// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/sim/step_derivative.hpp"

#include <cmath>
#include <string>

#include "core/format_number.hpp"
#include "sim/derivative/step_linearization.hpp"

namespace tactum::sim {
namespace {

std::shared_ptr<const StepTape> checked_tape(const StepResult& result) {
  if (!result.tape)
    throw InvalidInput("result", "a step without a tape", "make the step with tape = true");
  if (result.tape->options.solver == ContactSolver::raisim)
    throw InvalidInput("result", "a step of the solver raisim",
                       "take raisim_desaxce or ncp_admm: the equations of raisim have the Delassus "
                       "matrix in them, whose derivative is not formed");
  return result.tape;
}

const StepDerivativeOptions& checked(const StepDerivativeOptions& options) {
  if (!std::isfinite(options.relaxation) || options.relaxation < 0.0)
    throw InvalidInput("relaxation", shortest_text(options.relaxation), "give a speed >= 0 in m/s");
  return options;
}

void check_part(const Eigen::VectorXd& values, int size, const std::string& field) {
  if (values.size() == 0) return;
  check_size(values.size(), size, field.c_str());
  check_finite(values, field.c_str());
}

}  // namespace

StepDerivativeWorkspace::StepDerivativeWorkspace() : data_(std::make_unique<Data>()) {}
StepDerivativeWorkspace::~StepDerivativeWorkspace() = default;
StepDerivativeWorkspace::StepDerivativeWorkspace(StepDerivativeWorkspace&&) noexcept = default;
StepDerivativeWorkspace& StepDerivativeWorkspace::operator=(StepDerivativeWorkspace&&) noexcept =
    default;

void StepDerivativeWorkspace::Data::prepare(const Model& given) {
  if (model && &model->data() == &given.data()) return;
  robots.clear();
  model = given;
  for (const PlacedArticulation& placed : given.data().robots) robots.emplace_back(*placed.robot);
}

struct StepDerivative::Data {
  StepLinearization linearization;
};

StepDerivative::StepDerivative(const StepResult& result, const StepDerivativeOptions& options,
                               StepDerivativeWorkspace& work)
    : data_(std::make_unique<Data>(
          Data{StepLinearization(checked_tape(result), checked(options), work.data())})) {}
StepDerivative::~StepDerivative() = default;
StepDerivative::StepDerivative(StepDerivative&&) noexcept = default;
StepDerivative& StepDerivative::operator=(StepDerivative&&) noexcept = default;

bool StepDerivative::smooth() const { return data_->linearization.smooth(); }
double StepDerivative::mode_margin() const { return data_->linearization.mode_margin(); }
HyperstaticRule StepDerivative::rule() const { return data_->linearization.rule(); }

StepJacobians StepDerivative::jacobians() const {
  StepJacobians out;
  data_->linearization.jacobians(out);
  return out;
}
void StepDerivative::jacobians(StepJacobians& out) const { data_->linearization.jacobians(out); }

namespace {

void check_parameter(const StepLinearization& linearization, StepParameter parameter) {
  if (linearization.has(parameter)) return;
  throw InvalidInput("parameters", std::string(to_string(parameter)),
                     "name the parameter when the derivative is made");
}

}  // namespace

StepParameterJacobians StepDerivative::jacobians(StepParameter parameter) const {
  check_parameter(data_->linearization, parameter);
  return data_->linearization.jacobians(parameter);
}

StepOutputTangent StepDerivative::jvp(const StepInputTangent& change) const {
  const StepLinearization& linearization = data_->linearization;
  const int nv = linearization.model().nv;
  check_part(change.q, nv, "dq");
  check_part(change.v, nv, "dv");
  check_part(change.tau, nv, "dtau");
  for (std::size_t i = 0; i < change.parameters.size(); ++i) {
    if (change.parameters[i].size() == 0) continue;
    const auto parameter = static_cast<StepParameter>(i);
    check_parameter(linearization, parameter);
    check_part(change.parameters[i], parameter_size(linearization.tape().model, parameter),
               "d" + std::string(to_string(parameter)));
  }
  return linearization.jvp(change);
}

StepInputTangent StepDerivative::vjp(const StepOutputTangent& gradient) const {
  const int nv = data_->linearization.model().nv;
  check_part(gradient.q, nv, "dq");
  check_part(gradient.v, nv, "dv");
  return data_->linearization.vjp(gradient);
}

StepDerivative step_derivative(const StepResult& result, const StepDerivativeOptions& options,
                               StepDerivativeWorkspace& work) {
  return {result, options, work};
}

StepDerivative step_derivative(const StepResult& result, const StepDerivativeOptions& options) {
  StepDerivativeWorkspace work;
  return {result, options, work};
}

}  // namespace tactum::sim
