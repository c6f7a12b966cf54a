// SPDX-License-Identifier: BSD-2-Clause
// Residuals as the survey defines them below its eq. 14, for every model, from force and velocity
// alone.
//
// friction   primal |f - P_K f|; dual |x - P_K* x| and complementarity |f . x|, with x = s +
// Gamma(s) (ncp) or x = s (ccp).
//            lcp polygon in place of the disc: f . s + mu f_N h(-s_T), h its support function; dual
//            is a negative s_N raisim a negative s_N, |f_N s_N|, and how far s_T is from -k w, k >=
//            0 (eq. 21), times mu f_N; k times the slack of the cone
// one row    distance from the bounds; a velocity of the wrong sign where there is no bound to rest
// on, and force times velocity
#include "solver/problem/residual.hpp"

#include <string>

#include "solver/linear/rank_revealing_qr.hpp"
#include "solver/problem/regularization.hpp"

namespace tactum {
namespace {

void raise(ContactResidual& total, double primal, double dual, double complementarity) {
  total.primal = std::max(total.primal, primal);
  total.dual = std::max(total.dual, dual);
  total.complementarity = std::max(total.complementarity, std::abs(complementarity));
}

void add_row(ContactResidual& total, const ContactBlock& block, double f, double s) {
  const double primal = std::abs(f - project_row(block, f));
  switch (block.kind) {
    case ContactKind::bilateral: return raise(total, 0, std::abs(s), 0);
    case ContactKind::box: {
      const bool rests_below = std::isfinite(block.lower), rests_above = std::isfinite(block.upper);
      const double up = std::max(s, 0.0), down = std::max(-s, 0.0);
      raise(total, primal, std::max(rests_below ? 0.0 : up, rests_above ? 0.0 : down), 0);
      if (rests_below) raise(total, 0, 0, up * (f - block.lower));
      if (rests_above) raise(total, 0, 0, down * (block.upper - f));
      return;
    }
    default: return raise(total, primal, std::max(-s, 0.0), f * s);
  }
}

void add_lcp(ContactResidual& total, const Polygon& polygon, double mu, Double3 f, Double3 s) {
  const double normal = std::max(f.z, 0.0);
  const double primal = std::max(std::max(-f.z, 0.0), polygon.distance({f.x, f.y}, mu * normal));
  const double gap = mu * normal * polygon.support({-s.x, -s.y});
  raise(total, primal, std::max(-s.z, 0.0), dot(f, s) + gap);
}

void add_raisim(ContactResidual& total, const BlockMatrix& diagonal, double mu, Double3 f,
                Double3 s) {
  const Double2 w = raisim_direction(diagonal, mu, f);
  const double length = w.x * w.x + w.y * w.y, along = -(s.x * w.x + s.y * w.y);
  const double k = along > 0 && length > 0 ? along / length : 0.0;
  const double astray = Double2{s.x + k * w.x, s.y + k * w.y}.norm();
  const double slack = mu * f.z * mu * f.z - (f.x * f.x + f.y * f.y);
  raise(total, (f - project_cone(f, mu)).norm(), std::max(-s.z, 0.0), f.z * s.z);
  raise(total, 0, 0, mu * std::max(f.z, 0.0) * astray);
  raise(total, 0, 0, k * slack);
}

}  // namespace

double ContactResidual::worst() const { return std::max(std::max(primal, dual), complementarity); }

ContactResidual residual_of(const ProblemView& problem, const ResidualRule& rule,
                            const Eigen::VectorXd& force, const Eigen::VectorXd& velocity) {
  ContactResidual total;
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const ContactBlock& block = problem.blocks[i];
    const Double3 f = block_value(force, block), s = block_value(velocity, block);
    if (block.kind != ContactKind::friction) {
      add_row(total, block, f.x, s.x);
    } else if (rule.model == ContactModel::lcp) {
      add_lcp(total, rule.polygon, block.mu, f, s);
    } else if (rule.model == ContactModel::raisim) {
      add_raisim(total, rule.diagonal[i], block.mu, f, s);
    } else {
      const Double3 x = rule.model == ContactModel::ncp ? desaxce(s, block.mu) : s;
      raise(total, (f - project_cone(f, block.mu)).norm(), dual_cone_distance(x, block.mu),
            dot(f, x));
    }
  }
  return total;
}

ContactPrinciples principles_of(const ProblemView& problem, std::span<const BlockMatrix> diagonal,
                                const Eigen::VectorXd& force, const Eigen::VectorXd& velocity) {
  ContactPrinciples total;
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const ContactBlock& block = problem.blocks[i];
    const Double3 f = block_value(force, block), s = block_value(velocity, block);
    if (block.kind == ContactKind::bilateral || block.kind == ContactKind::box) continue;
    const double normal = block.kind == ContactKind::friction ? f.z : f.x,
                 speed = block.kind == ContactKind::friction ? s.z : s.x;
    total.signorini = std::max({total.signorini, std::abs(normal * speed), -normal, -speed});
    if (block.kind != ContactKind::friction) continue;
    total.coulomb = std::max(total.coulomb, tangent_norm(f) - block.mu * f.z);
    // a velocity that a millionth of the force makes is no sliding
    const double sliding = tangent_norm(s);
    if (sliding <= 1e-6 * block_scale(diagonal[i], block) * f.norm() || sliding <= 0) continue;
    const double pull = block.mu * f.z / sliding;
    total.dissipation = std::max(total.dissipation,
                                 Double2{f.x + pull * s.x, f.y + pull * s.y}.norm());
  }
  return total;
}

// -------------------------------------------------------------------------------------------------------------------
// public forms
namespace {

void check_force(const ContactProblem& problem, const Eigen::VectorXd& force) {
  if (force.size() != problem.rows())
    throw InvalidInput("force", std::to_string(force.size()) + " rows",
                       "give as many as the problem has, " + std::to_string(problem.rows()));
  for (Eigen::Index i = 0; i < force.size(); ++i) {
    if (!(std::isfinite(force[i]) && std::abs(force[i]) <= 1e60))
      throw InvalidInput("force[" + std::to_string(i) + "]", std::to_string(force[i]),
                         "give finite numbers of at most 1e60");
  }
}

std::vector<BlockMatrix> diagonal_blocks(const ProblemView& view) {
  std::vector<BlockMatrix> diagonal;
  for (const ContactBlock& block : view.blocks)
    diagonal.push_back(diagonal_block(view.delassus, block));
  return diagonal;
}

}  // namespace

ContactResidual contact_residual(const ContactProblem& problem, const Eigen::VectorXd& force,
                                 ContactModel model, const FrictionPolygon& polygon,
                                 double regularization) {
  check_force(problem, force);
  const Eigen::VectorXd R = regularized_compliance(problem, regularization);
  const ProblemView view = view_of(problem.data(), R);
  const std::vector<BlockMatrix> diagonal = diagonal_blocks(view);
  Eigen::VectorXd scratch, velocity;
  delassus_product(view.delassus, force, scratch, velocity);
  velocity += view.g;
  return residual_of(view, ResidualRule(model, polygon, diagonal), force, velocity);
}

ContactPrinciples contact_principles(const ContactProblem& problem, const Eigen::VectorXd& force) {
  check_force(problem, force);
  const ProblemView view = view_of(problem.data(), problem.R());
  return principles_of(view, diagonal_blocks(view), force, problem.velocity(force));
}

double internal_force(const ContactProblem& problem, const Eigen::VectorXd& force) {
  check_force(problem, force);
  if (problem.rows() == 0) return 0.0;
  // forces that move nothing are those orthogonal to the rows of G, or of W
  const Eigen::MatrixXd& matrix = problem.data().matrix;
  RankRevealingQr rows;
  if (problem.is_operator())
    rows.factorize(matrix.transpose(), 1e-10);
  else
    rows.factorize(matrix, 1e-10);
  return rows.distance_from_range(force);
}

}  // namespace tactum
