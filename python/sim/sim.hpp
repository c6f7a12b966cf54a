// SPDX-License-Identifier: BSD-2-Clause
// The parts of the extension module tactum._sim, one for each public header.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "convert.hpp"
#include "tactum/sim/step.hpp"

namespace tactum::python {

void bind_sim_model(nanobind::module_& m);
void bind_sim_robot(nanobind::module_& m);       // after bind_sim_model: it adds to Model
void bind_sim_step(nanobind::module_& m);        // after bind_sim_model: it uses Model and State
void bind_sim_rollout(nanobind::module_& m);     // after bind_sim_step: it uses its options
void bind_sim_derivative(nanobind::module_& m);  // after bind_sim_rollout: it uses Trajectory

/// A number, or none for None.
inline std::optional<double> to_optional(nanobind::handle value, const char* field) {
  if (value.is_none()) return {};
  return to_double(value, field);
}

/// A pose, or the identity for None.
inline Pose to_pose_or_identity(nanobind::handle value, const char* field) {
  return value.is_none() ? Pose{} : to_pose(value, field).pose;
}

const sim::Model& to_model(nanobind::handle value);
const sim::State& to_state(nanobind::handle value);
const sim::StepResult& to_step_result(nanobind::handle value);
/// Numbers of an enumeration as names that compare; `maker` is a function of tactum._enum_array.
nanobind::object named_outcomes(const char* maker, const nanobind::list& numbers);
/// Options of a step, with the name of a solver in place of their own.
sim::StepOptions to_step_options(nanobind::handle options, nanobind::handle solver);

}  // namespace tactum::python
