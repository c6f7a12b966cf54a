// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of steps against central differences of the step itself.
#pragma once

#include <gtest/gtest.h>

#include "sim/scenes.hpp"
#include "support/traps_off.hpp"
#include "tactum/sim/robot.hpp"
#include "tactum/sim/step_derivative.hpp"

namespace tactum::sim::derivative_check {

inline StepOptions exact_options() {
  StepOptions options;
  options.tolerance = 1e-13;
  options.max_iterations = 20000;
  options.warm_start = false;
  options.timings = false;
  options.tape = true;
  return options;
}

/// A step with tape.
struct Case {
  Model model;
  State state;
  Eigen::VectorXd tau;
  double dt = 1e-3;
  StepOptions options = exact_options();

  StepResult run() const { return step(model, state, tau, dt, options); }
};

/// An input of a step, changed both ways by h.
struct Ends {
  State plus_state, minus_state;
  Eigen::VectorXd plus_tau, minus_tau;
  double h;
};

/// Differences of the state `here` after a step.
inline StepOutputTangent central_difference(const Case& given, const State& here,
                                            const Ends& ends) {
  StepOptions options = given.options;
  options.tape = false;
  const State plus = step(given.model, ends.plus_state, ends.plus_tau, given.dt, options).state,
              minus = step(given.model, ends.minus_state, ends.minus_tau, given.dt, options).state;
  StepOutputTangent out;
  // Model::difference rounds angles below 1e-8 rad of continuous joints to zero
  out.q = position_maps(given.model, here.q).tangent_by_numbers * (plus.q - minus.q) /
          (2.0 * ends.h);
  out.v = (plus.v - minus.v) / (2.0 * ends.h);
  return out;
}

inline StepJacobians numerical_jacobians(const Case& given, double h = 1e-6) {
  const int nv = given.model.nv();
  const Eigen::VectorXd tau = given.tau.size() > 0 ? given.tau : Eigen::VectorXd::Zero(nv);
  StepJacobians out;
  for (Eigen::MatrixXd* matrix :
       {&out.dq_dq, &out.dq_dv, &out.dq_dtau, &out.dv_dq, &out.dv_dv, &out.dv_dtau})
    matrix->setZero(nv, nv);
  const State here = given.run().state;
  for (int i = 0; i < nv; ++i) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(nv, i);
    Ends ends{given.state, given.state, tau, tau, h};
    ends.plus_state.q = given.model.integrate(given.state.q, h * unit);
    ends.minus_state.q = given.model.integrate(given.state.q, -h * unit);
    StepOutputTangent change = central_difference(given, here, ends);
    out.dq_dq.col(i) = change.q;
    out.dv_dq.col(i) = change.v;
    ends = {given.state, given.state, tau, tau, h};
    ends.plus_state.v += h * unit;
    ends.minus_state.v -= h * unit;
    change = central_difference(given, here, ends);
    out.dq_dv.col(i) = change.q;
    out.dv_dv.col(i) = change.v;
    const double force = 1e3 * h;
    ends = {given.state, given.state, tau + force * unit, tau - force * unit, force};
    change = central_difference(given, here, ends);
    out.dq_dtau.col(i) = change.q;
    out.dv_dtau.col(i) = change.v;
  }
  return out;
}

/// Largest difference, relative to the largest entry of the numbers compared with, or to `floor`.
inline double relative_error(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected,
                             double floor) {
  return (found - expected).cwiseAbs().maxCoeff() / std::max(floor, expected.cwiseAbs().maxCoeff());
}

/// The largest error of all six matrices. Those that should be zero count by a thousandth of what
/// they are without contact for a mass of 1 kg.
inline double largest_error(const StepJacobians& found, const StepJacobians& expected, double dt) {
  return std::max({relative_error(found.dq_dq, expected.dq_dq, 1e-3),
                   relative_error(found.dq_dv, expected.dq_dv, 1e-3 * dt),
                   relative_error(found.dq_dtau, expected.dq_dtau, 1e-3 * dt * dt),
                   relative_error(found.dv_dq, expected.dv_dq, 1e-3),
                   relative_error(found.dv_dv, expected.dv_dv, 1e-3),
                   relative_error(found.dv_dtau, expected.dv_dtau, 1e-3 * dt)});
}

/// Expects a smooth step whose derivative is that of central differences.
inline void expect_derivative(const Case& given, double tolerance = 1e-6, double h = 1e-6) {
  const testing::TrapsOff pinocchio_divides_by_zero;
  const StepResult result = given.run();
  EXPECT_EQ(result.status, StepStatus::converged) << result.solution.residual;
  const StepDerivative derivative = step_derivative(result);
  EXPECT_TRUE(derivative.smooth()) << "margin " << derivative.mode_margin();
  const StepJacobians found = derivative.jacobians(), expected = numerical_jacobians(given, h);
  EXPECT_LT(largest_error(found, expected, given.dt), tolerance);
}

/// Expects that each contact of a step has this mode, and that there is one at least.
inline void expect_mode(const Case& given, ContactMode mode) {
  const StepResult result = given.run();
  EXPECT_FALSE(result.contacts.empty());
  for (const StepContact& contact : result.contacts)
    EXPECT_EQ(contact.mode, mode) << to_string(contact.mode);
}

/// Four legs with three hinges each, damping, limits, feet of one sphere, on a base that floats.
inline RobotDescription quadruped() {
  RobotDescription robot;
  RobotJoint base;
  base.name = "base";
  base.kind = JointKind::free;
  base.inertia = {3.0, {0.01, 0.0, 0.02}, Vector3(0.02, 0.05, 0.06).asDiagonal()};
  robot.joints.push_back(base);
  for (int leg = 0; leg < 4; ++leg) {
    const double x = leg < 2 ? 0.2 : -0.2, y = leg % 2 == 0 ? 0.1 : -0.1;
    int parent = 0;
    for (int k = 0; k < 3; ++k) {
      RobotJoint joint;
      joint.name = "leg" + std::to_string(leg) + "_" + std::to_string(k);
      joint.parent = parent;
      joint.axis = k == 0 ? Vector3::UnitX() : Vector3::UnitY();
      joint.X_PJ = k == 0 ? scenes::at(x, y, 0.0) : scenes::at(0.0, 0.0, k == 1 ? 0.0 : -0.16);
      joint.inertia = {0.2, {0.0, 0.0, -0.08}, Vector3(4e-4, 4e-4, 1e-4).asDiagonal()};
      joint.damping = 0.01;
      joint.lower = -2.5;
      joint.upper = 2.5;
      parent = static_cast<int>(robot.joints.size());
      robot.joints.push_back(joint);
    }
    robot.geometries.push_back(
        {.geometry = scenes::ball(0.02), .joint = parent, .X_JG = scenes::at(0.0, 0.0, -0.16)});
  }
  return robot;
}

}  // namespace tactum::sim::derivative_check
