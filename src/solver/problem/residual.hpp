// SPDX-License-Identifier: BSD-2-Clause
// The one evaluator of residuals: per block, and the largest over all blocks.
#pragma once

#include "solver/problem/cone.hpp"
#include "solver/problem/delassus.hpp"
#include "solver/problem/problem_data.hpp"
#include "tactum/contact_solver.hpp"

namespace tactum {

/// What a residual depends on besides force and velocity.
struct ResidualRule {
  ContactModel model;
  Polygon polygon;
  std::span<const BlockMatrix> diagonal;  ///< of G + R; raisim reads it

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

/// Nearest force that a block of one row may have.
inline double project_row(const ContactBlock& block, double force) {
  switch (block.kind) {
    case ContactKind::frictionless:
    case ContactKind::limit: return std::max(force, 0.0);
    case ContactKind::box: return std::min(std::max(force, block.lower), block.upper);
    default: return force;
  }
}

/// Nearest force of any block.
inline Double3 project_block(const ContactBlock& block, Double3 force) {
  if (block.kind == ContactKind::friction) return project_cone(force, block.mu);
  return {project_row(block, force.x), 0, 0};
}

/// The direction of sliding that raisim works against: f_T + mu^2 f_N G_TN / G_NN (survey, eq. 21).
inline Double2 raisim_direction(const BlockMatrix& diagonal, double mu, Double3 force) {
  const double gain = diagonal[8] > 0 ? mu * mu * force.z / diagonal[8] : 0.0;
  return {force.x + gain * diagonal[2], force.y + gain * diagonal[5]};
}

/// Of velocities that are given.
ContactResidual residual_of(const ProblemView& problem, const ResidualRule& rule,
                            const Eigen::VectorXd& force, const Eigen::VectorXd& velocity);

ContactPrinciples principles_of(const ProblemView& problem, std::span<const BlockMatrix> diagonal,
                                const Eigen::VectorXd& force, const Eigen::VectorXd& velocity);

}  // namespace tactum
