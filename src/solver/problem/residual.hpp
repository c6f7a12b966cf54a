// SPDX-License-Identifier: BSD-2-Clause
// The evaluator of residuals that all solvers share: block by block, and the largest of all blocks.
#pragma once

#include "solver/problem/cone.hpp"
#include "solver/problem/delassus.hpp"
#include "solver/problem/problem_data.hpp"
#include "tactum/contact_solver.hpp"

namespace tactum {

/// Everything that a residual depends on besides force and velocity.
struct ResidualRule {
  ContactModel model;
  Polygon polygon;
  std::span<const BlockMatrix> diagonal;  ///< blocks of G + R, which raisim reads

  ResidualRule(ContactModel model_, const FrictionPolygon& polygon_,
               std::span<const BlockMatrix> diagonal_)
      : model(model_), polygon(polygon_.facets, polygon_.angle), diagonal(diagonal_) {}
};

inline Double3 block_value(const Eigen::VectorXd& values, const ContactBlock& block) {
  if (block.kind != ContactKind::friction) return {values[block.row], 0, 0};
  return {values[block.row], values[block.row + 1], values[block.row + 2]};
}

inline void set_block_value(Eigen::VectorXd& values, const ContactBlock& block, Double3 value) {
  values[block.row] = value.x;
  if (block.kind != ContactKind::friction) return;
  values[block.row + 1] = value.y;
  values[block.row + 2] = value.z;
}

/// Force nearest to `force` that a block of one row may have.
inline double project_row(const ContactBlock& block, double force) {
  switch (block.kind) {
    case ContactKind::frictionless:
    case ContactKind::limit: return std::max(force, 0.0);
    case ContactKind::box: return std::min(std::max(force, block.lower), block.upper);
    default: return force;
  }
}

/// Force nearest to `force` that a block may have.
inline Double3 project_block(const ContactBlock& block, Double3 force) {
  if (block.kind == ContactKind::friction) return project_cone(force, block.mu);
  return {project_row(block, force.x), 0, 0};
}

/// Sets the force that solvers begin from without a warm start: zero, or the nearest force that a
/// box allows. Returns whether all of it is zero.
inline bool set_start_force(std::span<const ContactBlock> blocks, int rows,
                            Eigen::VectorXd& force) {
  force.setZero(rows);
  bool zero = true;
  for (const ContactBlock& block : blocks) {
    if (block.kind != ContactKind::box) continue;
    force[block.row] = project_row(block, 0.0);
    zero &= force[block.row] == 0;
  }
  return zero;
}

/// Direction of sliding that raisim works against: f_T + mu^2 f_N G_TN / G_NN (eq. 21 of Le Lidec
/// et al. 2023).
inline Double2 raisim_direction(const BlockMatrix& diagonal, double mu, Double3 force) {
  const double gain = diagonal[8] > 0 ? mu * mu * force.z / diagonal[8] : 0.0;
  return {force.x + gain * diagonal[2], force.y + gain * diagonal[5]};
}

/// Residual of a force, from the velocities that it makes.
ContactResidual residual_of(const ProblemView& problem, const ResidualRule& rule,
                            const Eigen::VectorXd& force, const Eigen::VectorXd& velocity);

/// Raise the largest numbers of several islands to those of one more.
void raise(ContactResidual& total, const ContactResidual& part);
void raise(ContactPrinciples& total, const ContactPrinciples& part);

/// Largest violations of the principles of contact, from force and velocity.
ContactPrinciples principles_of(const ProblemView& problem, std::span<const BlockMatrix> diagonal,
                                const Eigen::VectorXd& force, const Eigen::VectorXd& velocity);

}  // namespace tactum
