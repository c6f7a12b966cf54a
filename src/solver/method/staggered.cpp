// SPDX-License-Identifier: BSD-2-Clause
// Alg. 6 of Le Lidec et al. 2023 (staggered projections, Kaufman et al. 2008): the normal forces
// solve a quadratic program with the tangential forces fixed, g~_N = g_N + G_NT f_T (the listing
// prints g_T); then the tangential forces solve one over discs of radius mu f_N, g~_T = g_T + G_TN
// f_N. Rows of other kinds belong to the normal program.
//
// Proximal ADMM solves both programs. Each is factorized once, starts from its last solution and is
// solved to a thousandth of the residual that is left. Where the two programs turn in circles, the
// tangential force is averaged with its last value, which leaves the fixed points as they are.
#include "solver/method/staggered.hpp"

namespace tactum {
namespace {

DelassusView part_of(const DelassusView& whole, const StaggeredPart& part) {
  DelassusView result = whole;
  result.mask = &part.mask;
  return result;
}

/// Gives the last row of every block to the normal program and the other rows to the tangential
/// one.
void split_rows(std::span<const ContactBlock> blocks, int rows, StaggeredPart& normal,
                StaggeredPart& tangent) {
  normal.mask.setZero(rows);
  for (const ContactBlock& block : blocks) normal.mask[block.row + row_count(block.kind) - 1] = 1;
  tangent.mask = 1 - normal.mask.array();
}

/// Minimizes over the rows of one program with the other forces fixed, and writes the result into
/// the force of the task.
template <class Project>
void minimize_part(SolverTask& task, StaggeredScratch& scratch, StaggeredPart& part,
                   double tolerance, const Project& project) {
  const DelassusView& whole = task.problem.delassus;
  scratch.other = task.force - task.force.cwiseProduct(part.mask);
  set_contact_velocity(task.problem, scratch.other, scratch.motion, scratch.velocity);
  part.b = part.mask.cwiseProduct(scratch.velocity);
  const DelassusView own = part_of(whole, part);
  for (int i = 0; i < 200; ++i) {
    check_interrupt();
    part.admm.iterate(own, part.b, task.options.over_relaxation, project);
    if (std::max(part.admm.primal(), part.admm.dual_residual()) <= tolerance) break;
  }
  task.force = scratch.other + part.admm.force();
}

template <class Clamp>
void solve_staggered(SolverTask& task, StaggeredScratch& scratch, const Clamp& clamp) {
  const ProblemView& problem = task.problem;
  const std::span<const ContactBlock> blocks = problem.blocks;
  Eigen::VectorXd& force = task.force;
  double residual = task.fresh_residual(force, scratch.motion, scratch.velocity);
  if (task.progress.accept_start(force, residual)) return;

  scratch.weight.resize(problem.rows());
  set_block_weights(blocks, task.diagonal, scratch.weight);
  split_rows(blocks, problem.rows(), scratch.normal, scratch.tangent);
  for (StaggeredPart* part : {&scratch.normal, &scratch.tangent}) {
    part->force = force.cwiseProduct(part->mask);
    part->dual.setZero(problem.rows());
    part->admm.start(part_of(problem.delassus, *part), scratch.weight, part->force, part->dual,
                     ProximalAdmm::kFirstExponent);
  }
  const auto project_normal = [&](Eigen::VectorXd& x) {
    for (const ContactBlock& block : blocks) {
      const int row = block.row + row_count(block.kind) - 1;
      x[row] = block.kind == ContactKind::friction ? std::max(x[row], 0.0)
                                                   : project_row(block, x[row]);
    }
  };
  const auto project_tangent = [&](Eigen::VectorXd& x) {
    for (const ContactBlock& block : blocks) {
      if (block.kind != ContactKind::friction) continue;
      const Double2 next = clamp(Double2{x[block.row], x[block.row + 1]},
                                 block.mu * force[block.row + 2]);
      x[block.row] = next.x;
      x[block.row + 1] = next.y;
    }
  };
  double best = residual, blend = 1.0;
  for (int outer = 1;; ++outer) {
    const double inner_tolerance = std::max(0.02 * task.options.tolerance,
                                            std::min(1e-3 * residual, 1e-3));
    scratch.last = force;
    minimize_part(task, scratch, scratch.normal, inner_tolerance, project_normal);
    minimize_part(task, scratch, scratch.tangent, inner_tolerance, project_tangent);
    if (blend < 1) force -= (1 - blend) * scratch.tangent.mask.cwiseProduct(force - scratch.last);
    residual = task.fresh_residual(force, scratch.motion, scratch.velocity);
    if (outer % 10 == 0) {
      if (residual >= best) blend = std::max(0.1, 0.7 * blend);
      best = std::min(best, residual);
    }
    const double change = (force - scratch.last).cwiseAbs().maxCoeff();
    if (task.progress.finish_iteration(
            force, residual, change,
            std::max(force.cwiseAbs().maxCoeff(), scratch.last.cwiseAbs().maxCoeff())))
      return;
  }
}

}  // namespace

void solve_lcp_staggered(SolverTask& task, StaggeredScratch& scratch) {
  solve_staggered(task, scratch, [&](Double2 tangent, double radius) {
    return task.rule.polygon.project(tangent, radius);
  });
}

void solve_ncp_staggered(SolverTask& task, StaggeredScratch& scratch) {
  solve_staggered(task, scratch,
                  [](Double2 tangent, double radius) { return project_disc(tangent, radius); });
}

}  // namespace tactum
