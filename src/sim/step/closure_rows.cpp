// SPDX-License-Identifier: BSD-2-Clause
// Rows of what closes loops: connections, welds and couplings of joints. All of them hold with any
// force.
//
// Rows       With C the middle of the origins of both frames, a connection has the velocity of B
//            relative to A at C along the axes of the world, and a weld their relative angular
//            velocity besides. Both bodies use the same point, so that momentum is kept exactly. A
//            coupling q_a = offset + ratio q_b has the velocity v_a - ratio v_b.
// Free term  (J u_f + k e / dt) / dt, with e the error of the closure, the distance of the origins
// or
//            the rotation vector from A's frame to B's, and k the share of position correction.
#include "math/pose_logarithm.hpp"
#include "sim/step/row_blocks.hpp"

namespace tactum::sim {
namespace {

/// Starts a row that holds with any force, between two bodies.
RowBlock add_row(const ModelData& model, const Closure& closure, StepData& work) {
  return add_block(model, {ContactKind::bilateral, 0, 0.0, 0.0, 0.0},
                   model.bodies[static_cast<std::size_t>(closure.body_a)].tree,
                   model.bodies[static_cast<std::size_t>(closure.body_b)].tree, work);
}

void set_free_term(const ModelData& model, const StepOptions& options, double dt, double error,
                   const RowBlock& block, StepData& work) {
  const auto row = static_cast<std::size_t>(block.row);
  work.correction[row] = options.position_correction * error / (dt * dt);
  work.g[row] = row_velocity(model, block, work.free_velocity, work)[0] / dt + work.correction[row];
}

void add_closure(const ModelData& model, const StepOptions& options, double dt,
                 const Closure& closure, StepData& work) {
  const ClosureError error = closure_error(
      closure, work.body_poses[static_cast<std::size_t>(closure.body_a)],
      work.body_poses[static_cast<std::size_t>(closure.body_b)]);
  for (int axis = 0; axis < 3; ++axis) {
    const RowBlock block = add_row(model, closure, work);
    const Vector3 direction = Vector3::Unit(axis);
    add_point_velocity(model, closure.body_a, error.point, direction, -1.0, block, work);
    add_point_velocity(model, closure.body_b, error.point, direction, 1.0, block, work);
    set_free_term(model, options, dt, error.translation[axis], block, work);
  }
  if (closure.kind == ClosureKind::connection) return;
  for (int axis = 0; axis < 3; ++axis) {
    const RowBlock block = add_row(model, closure, work);
    const Vector3 direction = Vector3::Unit(axis);
    add_angular_velocity(model, closure.body_a, direction, -1.0, block, work);
    add_angular_velocity(model, closure.body_b, direction, 1.0, block, work);
    set_free_term(model, options, dt, error.rotation[axis], block, work);
  }
}

void add_coupling(const ModelData& model, const State& state, const StepOptions& options, double dt,
                  const Coupling& coupling, StepData& work) {
  const RowBlock block = add_block(model, {ContactKind::bilateral, 0, 0.0, 0.0, 0.0},
                                   coupling.a.tree, coupling.b.tree, work);
  double error = state.q[coupling.a.q] - coupling.offset;
  const auto add = [&](const CoupledJoint& joint, double factor) {
    const Tree& tree = model.trees[static_cast<std::size_t>(joint.tree)];
    columns(model, block, joint.tree, work)(joint.v - tree.v, 0) += factor;
  };
  add(coupling.a, 1.0);
  if (coupling.b.tree >= 0) {
    add(coupling.b, -coupling.ratio);
    error -= coupling.ratio * state.q[coupling.b.q];
  }
  set_free_term(model, options, dt, error, block, work);
}

}  // namespace

ClosureError closure_error(const Closure& closure, const Pose& X_WA, const Pose& X_WB) {
  const Pose X_WC_a = X_WA * closure.X_AC, X_WC_b = X_WB * closure.X_BC;
  const Pose between = inverse(X_WC_a) * X_WC_b;
  return {0.5 * (X_WC_a.translation + X_WC_b.translation), X_WC_b.translation - X_WC_a.translation,
          X_WC_a.rotation * pose_logarithm(between).w};
}

void add_closure_rows(const ModelData& model, const State& state, const StepOptions& options,
                      double dt, StepData& work) {
  for (const Closure& closure : model.closures) add_closure(model, options, dt, closure, work);
  for (const Coupling& coupling : model.couplings)
    add_coupling(model, state, options, dt, coupling, work);
}

}  // namespace tactum::sim
