// SPDX-License-Identifier: BSD-2-Clause
// Results of step() and rollout() become plain values for a pickle, and back. What comes back goes
// through checks; a tape cannot be written.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "tactum/sim/rollout.hpp"

namespace tactum::python {

/// The contacts of a step, read as arrays.
struct BoundContacts {
  std::vector<sim::StepContact> contacts;
};

/// The result of step(), as the class StepResult of Python holds it.
struct BoundResult {
  sim::StepResult result;
};

nanobind::tuple get_contacts_state(const BoundContacts& self);
std::vector<sim::StepContact> contacts_from_state(const nanobind::tuple& state);

/// Throws a TypeError for a result with a tape.
nanobind::tuple get_result_state(const BoundResult& self);
sim::StepResult result_from_state(const nanobind::tuple& state);

/// `self` as Python has it: with the attributes that tactum.sim gave it.
nanobind::tuple get_trajectory_state(nanobind::handle self);
void set_trajectory_state(nanobind::handle self, const nanobind::tuple& state);

}  // namespace tactum::python
