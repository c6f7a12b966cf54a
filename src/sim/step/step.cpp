// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/sim/step.hpp"

#include <chrono>
#include <cmath>

#include "core/format_number.hpp"
#include "sim/step/step_tape.hpp"

namespace tactum::sim {
namespace {

/// Measures the stages of a step, if asked to.
class Stopwatch {
 public:
  explicit Stopwatch(bool on) : on_(on) { restart(); }
  void stop(double& seconds) {
    if (!on_) return;
    const Clock::time_point now = Clock::now();
    seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  void restart() {
    if (on_) start_ = Clock::now();
  }
  bool on_;
  Clock::time_point start_;
};

void check_range(double value, double least, double most, const char* field) {
  if (!std::isfinite(value) || value < least || value > most)
    throw InvalidInput(field, shortest_text(value),
                       "give a number from " + shortest_text(least) + " to " + shortest_text(most));
}

void check_step(const ModelData& model, const State& state, const Eigen::VectorXd& tau, double dt,
                const StepOptions& options) {
  check_state(model, state);
  if (tau.size() != 0) check_size(tau.size(), model.nv, "tau");
  check_finite(tau, "tau");
  if (!std::isfinite(dt) || dt <= 0.0 || dt > 1e6)
    throw InvalidInput("dt", shortest_text(dt), "give a time step in s, more than 0");
  check_range(options.position_correction, 0.0, 1.0, "position_correction");
  check_range(options.slop, 0.0, 1e30, "slop");
  check_range(options.restitution_threshold, 0.0, 1e30, "restitution_threshold");
  check_range(options.max_contacts, 1, ContactPatch::capacity, "max_contacts");
  check_range(options.max_angle, 1e-6, 0.5, "max_angle");
  if (options.as_printed && options.tape)
    throw InvalidInput("as_printed", "true", "a step of the survey has no tape: give tape false");
}

/// Writes the contacts with their forces.
void set_contacts(const ModelData& model, const StepData& work, const ContactSolution& solution,
                  std::vector<StepContact>& out) {
  out.clear();
  for (std::size_t i = 0; i < work.contacts.size(); ++i) {
    const FoundContact& contact = work.contacts[i];
    const Vector3 force = in_world(contact, work.blocks[i], solution.force);
    out.push_back({contact.geometry_a, contact.geometry_b,
                   model.geometries[static_cast<std::size_t>(contact.geometry_a)].body,
                   model.geometries[static_cast<std::size_t>(contact.geometry_b)].body,
                   contact.point, contact.frame.col(2), contact.distance, contact.feature_id, force,
                   solution.modes[i], contact.material});
  }
}

void set_joint_forces(const ModelData& model, const StepData& work, const ContactSolution& solution,
                      std::vector<double>& out) {
  out.assign(static_cast<std::size_t>(model.nv), 0.0);
  for (std::size_t i = 0; i < work.joint_rows.size(); ++i) {
    const JointRow& row = work.joint_rows[i];
    const double force = solution.force[work.blocks[work.joint_block(i)].row];
    const int v = model.scalar_joints[static_cast<std::size_t>(row.scalar_joint)].v;
    out[static_cast<std::size_t>(v)] += row.kind == JointRow::Kind::upper_limit ? -force : force;
  }
}

/// Forces and torques of connections and welds; those of couplings count as forces of joints.
void set_closure_forces(const ModelData& model, const StepData& work,
                        const ContactSolution& solution, StepResult& out) {
  out.closure_force.clear();
  std::size_t row = work.closure_block(0);
  const auto next = [&] { return solution.force[work.blocks[row++].row]; };
  for (const Closure& closure : model.closures) {
    Eigen::Matrix<double, 6, 1> wrench = Eigen::Matrix<double, 6, 1>::Zero();
    const int size = closure.kind == ClosureKind::weld ? 6 : 3;
    for (int k = 0; k < size; ++k) wrench[k] = next();
    out.closure_force.push_back(wrench);
  }
  for (const Coupling& coupling : model.couplings) {
    const double force = next();
    out.joint_force[static_cast<std::size_t>(coupling.a.v)] += force;
    if (coupling.b.tree >= 0)
      out.joint_force[static_cast<std::size_t>(coupling.b.v)] -= coupling.ratio * force;
  }
}

/// The forces that act: those given, within the limits of efforts.
void set_controls(const ModelData& model, const Eigen::VectorXd& tau, StepData& work) {
  if (tau.size() == 0)
    work.tau.setZero(model.nv);
  else
    work.tau = tau.cwiseMin(model.effort_limit).cwiseMax(-model.effort_limit);
}

}  // namespace

StepWorkspace::StepWorkspace() : data_(std::make_unique<Data>()) {}
StepWorkspace::~StepWorkspace() = default;
StepWorkspace::StepWorkspace(StepWorkspace&&) noexcept = default;
StepWorkspace& StepWorkspace::operator=(StepWorkspace&&) noexcept = default;

void step(const Model& handle, const State& state, const Eigen::VectorXd& tau, double dt,
          const StepOptions& options, StepWorkspace& workspace, StepResult& out) {
  const ModelData& model = handle.data();
  StepData& work = workspace.data();
  check_step(model, state, tau, dt, options);
  work.prepare(handle);
  set_controls(model, tau, work);
  Stopwatch watch(options.timings);

  set_kinematics(model, state, work);
  watch.stop(out.timings.kinematics);
  set_free_velocity(model, state, dt, work);
  watch.stop(out.timings.dynamics);
  find_pairs(model, dt, work);
  watch.stop(out.timings.pairs);
  find_contacts(model, options, work);
  watch.stop(out.timings.contacts);
  set_contact_rows(model, state, options, dt, work);
  watch.stop(out.timings.assembly);
  solve_contacts(model, state, options, dt, work, out.solution);
  watch.stop(out.timings.solve);
  integrate(model, state, dt, work, out.solution, out.state);
  set_contacts(model, work, out.solution, out.contacts);
  set_joint_forces(model, work, out.solution, out.joint_force);
  set_closure_forces(model, work, out.solution, out);
  watch.stop(out.timings.integrate);
  out.corrected = work.is_corrected;
  const bool converged = out.solution.status == ContactStatus::converged && !work.is_bounded;
  out.status = converged ? StepStatus::converged : StepStatus::not_converged;
  out.tape = options.tape ? make_tape(handle, state, tau, dt, options, work, out.solution)
                          : nullptr;
}

StepResult step(const Model& model, const State& state, const Eigen::VectorXd& tau, double dt,
                const StepOptions& options) {
  StepWorkspace work;
  StepResult out;
  step(model, state, tau, dt, options, work, out);
  return out;
}

}  // namespace tactum::sim
