// SPDX-License-Identifier: BSD-2-Clause
// The laws of contact, recomputed from outside: from the forces that a step reports in N, the state
// before it and the mass matrices of its bodies and robots.
//
// Contacts   With f the force and s the velocity after the step with its bias, both in the units of
//            the problem: Signorini 0 <= f_N, 0 <= s_N, f_N s_N = 0; Coulomb |f_T| <= mu f_N;
//            maximum dissipation f_T . s_T = -mu f_N |s_T|.
// Joints     A limit is a contact without friction. Dry friction F has |f| <= F and f s = -F |s|.
// Closures   hold: s = 0.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/step/step_data.hpp"

namespace tactum::sim::contact_laws {

/// The larger of two numbers; one that is not a number is larger than any.
inline double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

/// The motion of a model after the forces that a step reports.
class Recomputed {
 public:
  Recomputed(const Model& model, const State& state, const StepResult& result, double dt)
      : model_(model.data()), poses_(model.body_poses(state.q)), before_(state.v) {
    for (const PlacedArticulation& placed : model_.robots) {
      robots_.emplace_back(*placed.robot);
      robots_.back().set_kinematics(state.q.segment(placed.q, placed.robot->nq()),
                                    state.v.segment(placed.v, placed.robot->nv()));
    }
    force_ = Eigen::Map<const Eigen::VectorXd>(result.joint_force.data(), model_.nv);
    for (const StepContact& contact : result.contacts) {
      push(contact.body_b, contact.force, Vector3::Zero(), contact.point);
      push(contact.body_a, -contact.force, Vector3::Zero(), contact.point);
    }
    for (std::size_t i = 0; i < model_.closures.size(); ++i) {
      const Closure& closure = model_.closures[i];
      const Vector3 force = result.closure_force[i].head<3>(),
                    torque = result.closure_force[i].tail<3>(), point = middle(closure);
      push(closure.body_b, force, torque, point);
      push(closure.body_a, -force, -torque, point);
    }
    set_after(state, dt);
  }

  const Eigen::VectorXd& before() const { return before_; }
  const Eigen::VectorXd& after() const { return after_; }
  const Pose& pose(int body) const { return poses_[static_cast<std::size_t>(body)]; }

  /// Where the force of a closure acts.
  Vector3 middle(const Closure& closure) const {
    return 0.5 * (pose(closure.body_a) * closure.X_AC.translation +
                  pose(closure.body_b) * closure.X_BC.translation);
  }

  /// Linear velocity of a body's point, then its angular velocity, in the world, at the velocity u.
  Vector6 velocity(int body, const Vector3& point, const Eigen::VectorXd& u) const {
    const Body& given = model_.bodies[static_cast<std::size_t>(body)];
    const auto index = static_cast<std::size_t>(given.index);
    Vector6 out = Vector6::Zero();
    if (given.carrier == Carrier::free_body) {
      const int v = model_.free_bodies[index].v;
      const Pose& X = pose(body);
      out.tail<3>() = X.rotation * u.segment<3>(v + 3);
      out.head<3>() = X.rotation * u.segment<3>(v) +
                      Vector3(out.tail<3>()).cross(point - X.translation);
    } else if (given.carrier == Carrier::joint) {
      const Matrix6X& jacobian = robots_[index].jacobian();
      for (const int v : support(given)) out += u[model_.robots[index].v + v] * jacobian.col(v);
      out.head<3>() += Vector3(out.tail<3>()).cross(point);
    }
    return out;
  }

 private:
  const std::vector<int>& support(const Body& body) const {
    const Articulation& robot = *model_.robots[static_cast<std::size_t>(body.index)].robot;
    return robot.joints()[static_cast<std::size_t>(body.joint)].support;
  }

  /// Adds a force at a point of a body, and a torque.
  void push(int body, const Vector3& force, const Vector3& torque, const Vector3& point) {
    const Body& given = model_.bodies[static_cast<std::size_t>(body)];
    const auto index = static_cast<std::size_t>(given.index);
    if (given.carrier == Carrier::free_body) {
      const Pose& X = pose(body);
      const Vector3 moment = torque + (point - X.translation).cross(force);
      const int v = model_.free_bodies[index].v;
      force_.segment<3>(v) += X.rotation.transpose() * force;
      force_.segment<3>(v + 3) += X.rotation.transpose() * moment;
    } else if (given.carrier == Carrier::joint) {
      Vector6 wrench;  // about the origin of the world
      wrench << force, torque + point.cross(force);
      for (const int v : support(given))
        force_[model_.robots[index].v + v] += robots_[index].jacobian().col(v).dot(wrench);
    }
  }

  void set_after(const State& state, double dt) {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      if (model_.bodies[i].carrier != Carrier::free_body) continue;
      const auto index = static_cast<std::size_t>(model_.bodies[i].index);
      const BodyInertia& inertia = model_.free_bodies[index].inertia;
      push(static_cast<int>(i), inertia.mass * model_.gravity, Vector3::Zero(),
           poses_[i] * inertia.center);
    }
    after_ = state.v;
    for (const FreeBody& free : model_.free_bodies)
      after_.segment<6>(free.v) += dt *
                                   (free.mass_matrix.inverse() * force_.segment<6>(free.v)).eval();
    for (std::size_t i = 0; i < model_.robots.size(); ++i) {
      const PlacedArticulation& placed = model_.robots[i];
      const int nv = placed.robot->nv();
      Eigen::VectorXd u(nv), impulse = dt * force_.segment(placed.v, nv);
      robots_[i].set_free_velocity(state.q.segment(placed.q, placed.robot->nq()),
                                   state.v.segment(placed.v, nv), Eigen::VectorXd::Zero(nv), dt, u);
      robots_[i].factor().apply_inverse(impulse);
      robots_[i].factor().apply_inverse_transpose(impulse);
      after_.segment(placed.v, nv) = u + impulse;
    }
  }

  const ModelData& model_;
  std::vector<Pose> poses_;
  std::vector<ArticulationData> robots_;
  Eigen::VectorXd before_, force_, after_;
};

/// What a law is checked with: a step, its units and its options.
struct Checked {
  const Model& model;
  const State& state;
  const StepResult& result;
  const StepData& work;
  double dt;
  const StepOptions& options;

  double velocity_unit() const { return dt * work.velocity_unit; }
  /// Share of an error that is taken back.
  double correction() const { return result.corrected ? options.position_correction : 0.0; }
  /// Velocity that a gap allows.
  double bias(double gap) const {
    return gap >= 0.0 ? gap / dt : correction() * std::min(gap + options.slop, 0.0) / dt;
  }
};

inline double contact_violation(const Checked& step, const Recomputed& motion,
                                const StepContact& contact) {
  const auto relative = [&](const Eigen::VectorXd& u) -> Vector3 {
    return (motion.velocity(contact.body_b, contact.point, u) -
            motion.velocity(contact.body_a, contact.point, u))
        .head<3>();
  };
  const Vector3 s = relative(motion.after()) / step.velocity_unit(), &n = contact.normal,
                force = contact.force / step.work.force_unit;
  const double approach = relative(motion.before()).dot(n), e = contact.material.restitution;
  double bias = step.bias(contact.distance);
  if (e > 0.0 && -approach > step.options.restitution_threshold &&
      contact.distance + step.dt * approach <= 0.0)
    bias = e * approach;
  const double f_N = force.dot(n), s_N = s.dot(n) + bias / step.velocity_unit(),
               mu = contact.material.friction;
  const Vector3 f_T = force - f_N * n, s_T = s - s.dot(n) * n;
  double worst = 0.0;
  for (const double broken : {-f_N, -s_N, std::abs(f_N * s_N), f_T.norm() - mu * f_N,
                              std::abs(f_T.dot(s_T) + mu * f_N * s_T.norm())})
    worst = worse(broken, worst);
  return worst;
}

/// Of the limits and the dry friction of a joint. Of a joint that has both, only where its limits
/// are far.
inline double joint_violation(const Checked& step, const Recomputed& motion,
                              const ScalarJoint& joint) {
  const double f = step.result.joint_force[static_cast<std::size_t>(joint.v)] /
                   step.work.force_unit,
               u = motion.after()[joint.v] / step.velocity_unit(),
               friction = joint.dry_friction / step.work.force_unit;
  const double above = step.state.q[joint.q] - joint.lower,
               below = joint.upper - step.state.q[joint.q];
  const double far = 0.01 + 3.0 * step.dt * std::abs(motion.before()[joint.v]);
  if (joint.dry_friction > 0.0)
    return std::min(above, below) < far
               ? 0.0
               : worse(std::abs(f) - friction, std::abs(f * u + friction * std::abs(u)));
  double worst = 0.0;
  const auto check = [&](double gap, double force, double velocity) {
    if (!std::isfinite(gap)) return;
    const double s = velocity + step.bias(gap) / step.velocity_unit();
    worst = worse(worse(-s, std::abs(force * s)), worst);
  };
  check(above, std::max(f, 0.0), u);
  check(below, std::max(-f, 0.0), -u);
  return worst;
}

inline double closure_violation(const Checked& step, const Recomputed& motion,
                                const Closure& closure) {
  const Vector3 point = motion.middle(closure);
  const Pose &A = motion.pose(closure.body_a), &B = motion.pose(closure.body_b);
  const Eigen::AngleAxisd turn(B.rotation * closure.X_BC.rotation *
                               (A.rotation * closure.X_AC.rotation).transpose());
  Vector6 error;
  error << B * closure.X_BC.translation - A * closure.X_AC.translation, turn.angle() * turn.axis();
  const Vector6 s = motion.velocity(closure.body_b, point, motion.after()) -
                    motion.velocity(closure.body_a, point, motion.after()) +
                    step.correction() / step.dt * error;
  const int rows = closure.kind == ClosureKind::weld ? 6 : 3;
  return s.head(rows).norm() / step.velocity_unit();
}

/// The largest violation of the laws in a step, relative: forces by the largest force, velocities
/// by the largest free change of velocity. Joints of couplings may have no limits.
inline double violation(const Checked& step) {
  const Recomputed motion(step.model, step.state, step.result, step.dt);
  const ModelData& data = step.model.data();
  double worst = 0.0;
  for (const StepContact& contact : step.result.contacts)
    worst = worse(contact_violation(step, motion, contact), worst);
  for (const ScalarJoint& joint : data.scalar_joints)
    worst = worse(joint_violation(step, motion, joint), worst);
  for (const Closure& closure : data.closures)
    worst = worse(closure_violation(step, motion, closure), worst);
  for (const Coupling& coupling : data.couplings) {
    double error = step.state.q[coupling.a.q] - coupling.offset, s = motion.after()[coupling.a.v];
    if (coupling.b.tree >= 0) {
      error -= coupling.ratio * step.state.q[coupling.b.q];
      s -= coupling.ratio * motion.after()[coupling.b.v];
    }
    worst = worse(std::abs(s + step.correction() * error / step.dt) / step.velocity_unit(), worst);
  }
  return worst;
}

/// Steps a model and expects the laws at the tolerance asked for, in every step that
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
      worst = worse(violation({model, state, result, workspace.data(), dt, options}), worst);
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
