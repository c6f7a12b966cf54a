// SPDX-License-Identifier: BSD-2-Clause
// Residuals as Le Lidec et al. 2023 define them below their eq. 14, for every model, from force and
// velocity alone.
//
// ncp, ccp   The primal part is |f - P_K f|. With x = s + Gamma(s) in the ncp and x = s in the ccp,
//            the dual part is |x - P_K* x| and the complementarity is |f . x|.
// lcp        A polygon with the support function h takes the place of the disc. The complementarity
//            is f . s + mu f_N h(-s_T); the dual part is a negative s_N.
// raisim     The dual part is a negative s_N. The complementarity is the largest of |f_N s_N|, of
//            mu f_N times the distance of s_T from -k w with the best k >= 0 (eq. 21), and of k
//            times the slack of the cone.
// one row    The primal part is the distance from the bounds. The dual part is a velocity whose
//            sign is wrong because no bound is there to rest on; the complementarity is force
//            times velocity.
#include "solver/problem/residual.hpp"

#include <string>

#include "solver/linear/rank_revealing_qr.hpp"
#include "solver/problem/dense_operator.hpp"
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

void raise(ContactResidual& total, const ContactResidual& part) {
  raise(total, part.primal, part.dual, part.complementarity);
}

void raise(ContactPrinciples& total, const ContactPrinciples& part) {
  total.signorini = std::max(total.signorini, part.signorini);
  total.coulomb = std::max(total.coulomb, part.coulomb);
  total.dissipation = std::max(total.dissipation, part.dissipation);
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
    // a contact slides only if it moves faster than a millionth of its force would make it move
    const double sliding = tangent_norm(s);
    if (sliding <= 1e-6 * block_scale(diagonal[i], block) * f.norm() || sliding <= 0) continue;
    const double pull = block.mu * f.z / sliding;
    total.dissipation = std::max(total.dissipation,
                                 Double2{f.x + pull * s.x, f.y + pull * s.y}.norm());
  }
  return total;
}

// -------------------------------------------------------------------------------------------------
// public forms
namespace {

void check_force(const ContactProblem& problem, const Eigen::VectorXd& force) {
  if (force.size() != problem.rows())
    throw InvalidInput("force", std::to_string(force.size()) + " rows",
                       "give as many rows as the problem has, " + std::to_string(problem.rows()));
  for (Eigen::Index i = 0; i < force.size(); ++i) {
    if (!(std::isfinite(force[i]) && std::abs(force[i]) <= 1e60))
      throw InvalidInput("force[" + std::to_string(i) + "]", std::to_string(force[i]),
                         "give finite numbers of at most 1e60");
  }
}

/// Calls `visit(view, diagonal, force, velocity)` for every island, with fresh velocities.
template <class Visit>
void visit_islands(const ContactProblem& problem, const Eigen::VectorXd& all_R,
                   const Eigen::VectorXd& all_forces, const Visit& visit) {
  Eigen::VectorXd R, force, scratch, velocity;
  std::vector<BlockMatrix> diagonal;
  for (const ContactIsland& island : problem.data().islands()) {
    gather_rows(island, all_R, R);
    gather_rows(island, all_forces, force);
    const ProblemView view = view_of(island, R);
    set_diagonal_blocks(view, diagonal);
    set_contact_velocity(view, force, scratch, velocity);
    visit(view, diagonal, force, velocity);
  }
}

}  // namespace

ContactResidual contact_residual(const ContactProblem& problem, const Eigen::VectorXd& force,
                                 ContactModel model, const FrictionPolygon& polygon,
                                 double regularization) {
  check_force(problem, force);
  ContactResidual total;
  visit_islands(problem, regularized_compliance(problem, regularization), force,
                [&](const ProblemView& view, const std::vector<BlockMatrix>& diagonal,
                    const Eigen::VectorXd& own, const Eigen::VectorXd& velocity) {
                  raise(total,
                        residual_of(view, ResidualRule(model, polygon, diagonal), own, velocity));
                });
  return total;
}

ContactPrinciples contact_principles(const ContactProblem& problem, const Eigen::VectorXd& force) {
  check_force(problem, force);
  ContactPrinciples total;
  visit_islands(problem, problem.R(), force,
                [&](const ProblemView& view, const std::vector<BlockMatrix>& diagonal,
                    const Eigen::VectorXd& own, const Eigen::VectorXd& velocity) {
                  raise(total, principles_of(view, diagonal, own, velocity));
                });
  return total;
}

double internal_force(const ContactProblem& problem, const Eigen::VectorXd& force) {
  check_force(problem, force);
  if (problem.rows() == 0) return 0.0;
  // forces that move nothing are those orthogonal to the rows of G, or of W
  RankRevealingQr rows;
  if (problem.is_operator())
    rows.factorize(dense_operator(problem.data()).transpose(), 1e-10);
  else
    rows.factorize(problem.G(), 1e-10);
  return rows.distance_from_range(force);
}

}  // namespace tactum
