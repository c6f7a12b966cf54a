// SPDX-License-Identifier: BSD-2-Clause
// The laws of contact, recomputed from outside: from what a step reports, the state before it and
// the mass matrices of its free bodies.
//
// Criterion  For each contact, with f the force and s the velocity after the step with its bias,
//            both in the units of the problem: Signorini 0 <= f_N, 0 <= s_N, f_N s_N = 0; Coulomb
//            |f_T| <= mu f_N; maximum dissipation f_T . s_T = -mu f_N |s_T|.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/step/step_data.hpp"

namespace tactum::sim::contact_laws {

/// Velocity of free bodies after the forces of a step, from their momentum alone: v + dt M^-1 (tau,
/// gravity and contact forces), in the axes before the step.
inline Eigen::VectorXd velocity_from_forces(const Model& model, const State& state,
                                            const StepResult& result, double dt) {
  Eigen::VectorXd u = state.v;
  for (const Body& body : model.data().bodies) {
    if (body.carrier != Carrier::free_body) continue;
    const FreeBody& free = model.data().free_bodies[static_cast<std::size_t>(body.index)];
    const int number = static_cast<int>(&body - model.data().bodies.data());
    const Pose X = free_pose(state.q, free.q);
    Vector6 wrench = Vector6::Zero();  // in the world, about the origin of the body
    const auto push = [&](const Vector3& force, const Vector3& point) {
      wrench.head<3>() += force;
      wrench.tail<3>() += (point - X.translation).cross(force);
    };
    push(free.inertia.mass * model.gravity(), X * free.inertia.center);
    for (const StepContact& contact : result.contacts) {
      if (contact.body_b == number) push(contact.force, contact.point);
      if (contact.body_a == number) push(-contact.force, contact.point);
    }
    Vector6 local;
    local << X.rotation.transpose() * wrench.head<3>(), X.rotation.transpose() * wrench.tail<3>();
    u.segment<6>(free.v) += dt * Vector6(free.mass_matrix.inverse() * local);
  }
  return u;
}

inline Vector3 point_velocity(const Model& model, const State& state, int body,
                              const Vector3& point, const Eigen::VectorXd& u) {
  const Body& given = model.data().bodies[static_cast<std::size_t>(body)];
  if (given.carrier != Carrier::free_body) return Vector3::Zero();
  const FreeBody& free = model.data().free_bodies[static_cast<std::size_t>(given.index)];
  const Pose X = free_pose(state.q, free.q);
  const Vector3 arm = X.rotation.transpose() * (point - X.translation);
  return X.rotation * (u.segment<3>(free.v) + Vector3(u.segment<3>(free.v + 3)).cross(arm));
}

/// The largest violation of the laws over all contacts of a step, relative: forces by the largest
/// force, velocities by the largest free change of velocity.
inline double violation(const Model& model, const State& state, const StepResult& result,
                        const StepData& work, double dt, const StepOptions& options = {}) {
  const Eigen::VectorXd u = velocity_from_forces(model, state, result, dt);
  double worst = 0.0;
  for (const StepContact& contact : result.contacts) {
    const Vector3 s = point_velocity(model, state, contact.body_b, contact.point, u) -
                      point_velocity(model, state, contact.body_a, contact.point, u);
    const Vector3 before = point_velocity(model, state, contact.body_b, contact.point, state.v) -
                           point_velocity(model, state, contact.body_a, contact.point, state.v);
    const Vector3& n = contact.normal;
    const double approach = before.dot(n), e = contact.material.restitution;
    double bias = contact.distance / dt;
    if (contact.distance < 0.0)
      bias = result.corrected
                 ? options.position_correction * std::min(contact.distance + options.slop, 0.0) / dt
                 : 0.0;
    if (e > 0.0 && -approach > options.restitution_threshold &&
        contact.distance + dt * approach <= 0.0)
      bias = e * approach;
    const double f_N = contact.force.dot(n) / work.force_unit,
                 s_N = (s.dot(n) + bias) / dt / work.velocity_unit, mu = contact.material.friction;
    const Vector3 f_T = contact.force / work.force_unit - f_N * n,
                  s_T = (s - s.dot(n) * n) / dt / work.velocity_unit;
    worst = std::max({worst, -f_N, -s_N, std::abs(f_N * s_N), f_T.norm() - mu * f_N,
                      std::abs(f_T.dot(s_T) + mu * f_N * s_T.norm())});
  }
  return worst;
}

/// Steps a model of free bodies and expects the laws at the tolerance asked for, in every step that
/// says it converged; returns the last result. `watch(before, result)` sees each step.
template <class Watch>
StepResult run_lawfully(const Model& model, State state, int steps, double dt,
                        const StepOptions& options, const Watch& watch, int most_failures = 0) {
  StepWorkspace workspace;
  StepResult result;
  double worst = 0.0;
  int failures = 0;
  for (int i = 0; i < steps; ++i) {
    step(model, state, {}, dt, options, workspace, result);
    if (result.status == StepStatus::converged)
      worst = std::max(worst, violation(model, state, result, workspace.data(), dt, options));
    else
      ++failures;
    watch(state, result);
    std::swap(state, result.state);
  }
  EXPECT_LE(worst, 4.0 * options.tolerance);
  EXPECT_LE(failures, most_failures);
  std::swap(state, result.state);
  return result;
}

inline StepResult run_lawfully(const Model& model, const State& state, int steps, double dt,
                               const StepOptions& options = {}) {
  return run_lawfully(model, state, steps, dt, options, [](const State&, const StepResult&) {});
}

}  // namespace tactum::sim::contact_laws
