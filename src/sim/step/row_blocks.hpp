// SPDX-License-Identifier: BSD-2-Clause
// Blocks of rows of the contact problem of a step: memory, and how the velocities of bodies move
// them.
#pragma once

#include "sim/step/step_data.hpp"

namespace tactum::sim {

/// Appends a block with one part for each of the trees; a tree may be -1, none, and both may be the
/// same. All numbers of it are 0.
RowBlock& add_block(const ModelData& model, const ContactBlock& given, int tree_a, int tree_b,
                    StepData& work);

/// The part of a block that a tree moves: J^T, velocities of the tree x rows of the block.
Eigen::Map<Eigen::MatrixXd> columns(const ModelData& model, const RowBlock& block, int tree,
                                    StepData& work);

/// Adds to the rows of a block, from `first` on, the velocity of a point of a body along
/// directions, times a sign; and the angular velocity of the body along directions. The world has
/// none.
void add_point_velocity(const ModelData& model, int body, const Vector3& point,
                        const Eigen::Ref<const Eigen::Matrix3Xd>& directions, double sign,
                        const RowBlock& block, StepData& work);
void add_angular_velocity(const ModelData& model, int body, const Vector3& direction, double sign,
                          const RowBlock& block, StepData& work);

/// J times a velocity of the whole model.
Vector3 row_velocity(const ModelData& model, const RowBlock& block, const Eigen::VectorXd& velocity,
                     const StepData& work);

/// Rows of joints that have limits or dry friction, and of what closes loops.
void find_joint_rows(const ModelData& model, const State& state, double dt, StepData& work);
void add_joint_rows(const ModelData& model, const StepOptions& options, double dt, StepData& work);
void add_closure_rows(const ModelData& model, const State& state, const StepOptions& options,
                      double dt, StepData& work);

/// Velocity in m/s that is added to the free velocity of a normal row or of a limit: that of the
/// gap, and that which takes back a penetration. One of them is 0.
struct GapVelocity {
  double gap, correction;
};
GapVelocity gap_velocity(double distance, double compliance, const StepOptions& options, double dt);
/// Whether a contact with restitution bounces; `approach` is its normal velocity before the step.
bool bounces(double distance, double approach, const StepOptions& options, double dt);

}  // namespace tactum::sim
