// SPDX-License-Identifier: BSD-2-Clause
// Rows of joints: limits that a step can reach, and dry friction.
//
// Limits     A limit is a row with the velocity away from it and a force that pushes away; its free
//            term is that of a contact without friction whose gap is the distance to the limit.
// Friction   Dry friction is a row with the velocity of the joint and a bounded force.
#include <cmath>

#include "sim/step/row_blocks.hpp"

namespace tactum::sim {
namespace {

/// Distance to a limit, in rad or m, within which it takes part in a step even if the free velocity
/// would not reach it, because contacts may push a joint there.
constexpr double kNearLimit = 1e-3;

}  // namespace

void find_joint_rows(const ModelData& model, const State& state, double dt, StepData& work) {
  work.joint_rows.clear();
  for (std::size_t i = 0; i < model.scalar_joints.size(); ++i) {
    const ScalarJoint& joint = model.scalar_joints[i];
    const int index = static_cast<int>(i);
    const double travel = 2.0 * dt * std::abs(work.free_velocity[joint.v]) + kNearLimit;
    const double above = state.q[joint.q] - joint.lower, below = joint.upper - state.q[joint.q];
    if (above <= travel) work.joint_rows.push_back({JointRow::Kind::lower_limit, index, above});
    if (below <= travel) work.joint_rows.push_back({JointRow::Kind::upper_limit, index, below});
    if (joint.dry_friction > 0.0)
      work.joint_rows.push_back({JointRow::Kind::dry_friction, index, 0.0});
  }
}

void add_joint_rows(const ModelData& model, const StepOptions& options, double dt, StepData& work) {
  for (const JointRow& row : work.joint_rows) {
    const ScalarJoint& joint = model.scalar_joints[static_cast<std::size_t>(row.scalar_joint)];
    const bool limit = row.kind != JointRow::Kind::dry_friction;
    const double sign = row.kind == JointRow::Kind::upper_limit ? -1.0 : 1.0;
    const RowBlock block = add_block(model,
                                     {limit ? ContactKind::limit : ContactKind::box, 0, 0.0,
                                      -joint.dry_friction, joint.dry_friction},
                                     joint.tree, -1, work);
    const Tree& tree = model.trees[static_cast<std::size_t>(joint.tree)];
    columns(model, block, joint.tree, work)(joint.v - tree.v, 0) = sign;
    const auto at = static_cast<std::size_t>(block.row);
    work.g[at] = sign * work.free_velocity[joint.v] / dt;
    if (!limit) continue;
    const GapVelocity added = gap_velocity(row.distance, 0.0, options, dt);
    work.g[at] += (added.gap + added.correction) / dt;
    work.correction[at] = added.correction / dt;
  }
}

}  // namespace tactum::sim
