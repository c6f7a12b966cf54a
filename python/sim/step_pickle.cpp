// SPDX-License-Identifier: BSD-2-Clause
#include "step_pickle.hpp"

#include <cmath>
#include <limits>

#include "contact_arrays.hpp"
#include "estimators.hpp"
#include "pickle.hpp"
#include "sim.hpp"

namespace nb = nanobind;

namespace tactum::python {
namespace {

constexpr const char* kRemedy = "unpickle what was pickled";

[[noreturn]] void throw_bad_state(const std::string& value) {
  throw InvalidInput("state", value, kRemedy);
}

/// A whole number from 0 to `most`.
int index_up_to(int value, int most) {
  if (value < 0 || value > most) throw_bad_state(std::to_string(value));
  return value;
}

template <class T>
const T& held(nb::handle value) {
  const T* found = nullptr;
  if (value.is_none() || !nb::try_cast<const T*>(value, found) || found == nullptr)
    throw_type_error("state", type_text(value), kRemedy);
  return *found;
}

std::uint64_t to_feature(nb::handle value) {
  if (!PyLong_Check(value.ptr())) throw_type_error("state", type_text(value), kRemedy);
  const unsigned long long number = PyLong_AsUnsignedLongLong(value.ptr());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

// -------------------------------------------------------------------------------------------------
// contacts
nb::tuple state_of(const sim::StepContact& c) {
  return nb::make_tuple(c.geometry_a, c.geometry_b, c.body_a, c.body_b, to_tuple(c.point),
                        to_tuple(c.normal), c.distance, nb::int_(c.feature_id), to_tuple(c.force),
                        static_cast<int>(c.mode), c.material.friction, c.material.restitution,
                        c.material.compliance);
}

sim::StepContact contact_of(const nb::tuple& state) {
  constexpr int most = std::numeric_limits<int>::max();
  StateReader read(state, 13);
  sim::StepContact c = {};
  for (int* const number : {&c.geometry_a, &c.geometry_b, &c.body_a, &c.body_b})
    *number = index_up_to(read.integer(), most);
  c.point = read.vector();
  c.normal = read.vector();
  c.distance = read.number();
  c.feature_id = to_feature(read.next());
  c.force = read.vector();
  c.mode = static_cast<ContactMode>(
      index_up_to(read.integer(), static_cast<int>(ContactMode::sliding)));
  for (double* const number :
       {&c.material.friction, &c.material.restitution, &c.material.compliance})
    *number = read.number();
  return c;
}

// -------------------------------------------------------------------------------------------------
// results of one step
constexpr double sim::StepTimings::*kTimings[] = {
    &sim::StepTimings::kinematics, &sim::StepTimings::pairs,    &sim::StepTimings::contacts,
    &sim::StepTimings::dynamics,   &sim::StepTimings::assembly, &sim::StepTimings::solve,
    &sim::StepTimings::integrate};

nb::object vector_of(const std::vector<double>& values) {
  return vector_array(
      Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())));
}

std::vector<double> numbers_of(nb::handle value) {
  const Eigen::VectorXd numbers = to_vector(value, "state");
  return {numbers.begin(), numbers.end()};
}

nb::object rows_of(const std::vector<Eigen::Matrix<double, 6, 1>>& forces) {
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(forces.size()), 6);
  for (std::size_t i = 0; i < forces.size(); ++i)
    rows.row(static_cast<Eigen::Index>(i)) = forces[i].transpose();
  return matrix_array(rows);
}

sim::StepStatus status_of(int number) {
  return static_cast<sim::StepStatus>(
      index_up_to(number, static_cast<int>(sim::StepStatus::not_converged)));
}

}  // namespace

nb::tuple get_contacts_state(const BoundContacts& self) {
  nb::list rows;
  for (const sim::StepContact& contact : self.contacts) rows.append(state_of(contact));
  return nb::tuple(rows);
}

std::vector<sim::StepContact> contacts_from_state(const nb::tuple& state) {
  std::vector<sim::StepContact> contacts;
  for (nb::handle row : state) {
    if (!PyTuple_Check(row.ptr())) throw_type_error("state", type_text(row), kRemedy);
    contacts.push_back(contact_of(nb::borrow<nb::tuple>(row)));
  }
  return contacts;
}

nb::tuple get_result_state(const BoundResult& self) {
  const sim::StepResult& r = self.result;
  if (r.tape != nullptr)
    throw_type_error("StepResult",
                     "the result of a step with tape=True, which stays in its process",
                     "pickle the result of a step without a tape, or the model and the state");
  nb::list timings;
  for (const auto stage : kTimings) timings.append(r.timings.*stage);
  return nb::make_tuple(nb::cast(r.state), static_cast<int>(r.status), r.corrected,
                        get_contacts_state({r.contacts}), nb::cast(BoundSolution{r.solution, {}}),
                        vector_of(r.joint_force), rows_of(r.closure_force), nb::tuple(timings));
}

sim::StepResult result_from_state(const nb::tuple& state) {
  StateReader read(state, 8);
  sim::StepResult r;
  r.state = held<sim::State>(read.next());
  r.status = status_of(read.integer());
  r.corrected = to_flag(read.next(), "state");
  r.contacts = contacts_from_state(read.tuple());
  r.solution = held<BoundSolution>(read.next());
  r.joint_force = numbers_of(read.next());
  const Eigen::MatrixXd forces = to_matrix(read.next(), "state");
  if (forces.cols() != 6) throw_bad_state(std::to_string(forces.cols()) + " columns");
  for (Eigen::Index i = 0; i < forces.rows(); ++i) r.closure_force.emplace_back(forces.row(i));
  StateReader stages(read.tuple(), std::size(kTimings));
  for (const auto stage : kTimings) r.timings.*stage = stages.number();
  return r;
}

// -------------------------------------------------------------------------------------------------
// trajectories
nb::tuple get_trajectory_state(nb::handle self) {
  const sim::Trajectory& t = held<sim::Trajectory>(self);
  nb::list status;
  for (const sim::StepStatus each : t.status) status.append(static_cast<int>(each));
  return nb::make_tuple(matrix_array(t.q), matrix_array(t.v), nb::tuple(status),
                        vector_of(t.residual), nb::cast(t.last), nb::cast(t.start),
                        matrix_array(t.controls), t.dt, nb::cast(t.options),
                        static_cast<int>(t.options.solver), self.attr("__dict__"));
}

void set_trajectory_state(nb::handle self, const nb::tuple& state) {
  StateReader read(state, 11);
  sim::Trajectory t;
  t.q = to_matrix(read.next(), "state");
  t.v = to_matrix(read.next(), "state");
  for (nb::handle each : read.tuple()) t.status.push_back(status_of(to_int(each, "state")));
  t.residual = numbers_of(read.next());
  t.last = held<sim::State>(read.next());
  t.start = held<sim::State>(read.next());
  t.controls = to_matrix(read.next(), "state");
  t.dt = read.number();
  t.options = held<sim::StepOptions>(read.next());
  t.options.solver = static_cast<ContactSolver>(
      index_up_to(read.integer(), contact_solver_count - 1));
  const nb::object attributes = read.next();
  if (!PyDict_Check(attributes.ptr())) throw_type_error("state", type_text(attributes), kRemedy);
  const auto steps = static_cast<Eigen::Index>(t.status.size());
  if (t.q.rows() != steps + 1 || t.v.rows() != steps + 1 || t.controls.rows() != steps ||
      t.residual.size() != t.status.size() || t.q.cols() != t.start.q.size() ||
      t.v.cols() != t.start.v.size() || t.last.q.size() != t.start.q.size() ||
      t.last.v.size() != t.start.v.size() || (steps > 0 && t.controls.cols() != t.v.cols()))
    throw_bad_state("arrays whose sizes do not fit");
  new (nb::inst_ptr<sim::Trajectory>(self)) sim::Trajectory(std::move(t));
  nb::inst_mark_ready(self);
  self.attr("__dict__").attr("update")(attributes);
}

}  // namespace tactum::python
