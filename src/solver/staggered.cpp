// SPDX-License-Identifier: BSD-2-Clause
// Alg. 6 of Le Lidec et al. 2023 (staggered projections, Kaufman et al. 2008): the normal forces solve a quadratic program with the
// tangential forces fixed, g~_N = g_N + G_NT f_T (the listing prints g_T); then the tangential forces solve one over discs of radius
// mu f_N, g~_T = g_T + G_TN f_N. Rows of other kinds go with the normal ones.
//
// Both are solved by proximal ADMM, each factorised once, each started from its last solution, to a tenth of the residual that is left.
// When the pair of them turns in circles the tangential force is averaged with its last value: the fixed points stay the same.
#include "solver/staggered.hpp"

namespace tactum {
namespace {

/// Rows (of a dense matrix: and columns) of one part.
void gather(const SolverTask& task, StaggeredPart& part, const Eigen::VectorXd& weight) {
  const DelassusView& delassus = task.problem.delassus;
  const auto count = static_cast<Eigen::Index>(part.rows.size());
  part.matrix.resize(delassus.is_operator ? delassus.matrix.rows() : count, count);
  part.R.resize(count);
  part.weight.resize(count);
  part.force.resize(count);
  part.b.resize(count);
  for (Eigen::Index j = 0; j < count; ++j) {
    const int row = part.rows[static_cast<std::size_t>(j)];
    part.R[j] = delassus.R[row];
    part.weight[j] = weight[row];
    part.force[j] = task.force[row];
    if (delassus.is_operator)
      part.matrix.col(j) = delassus.matrix.col(row);
    else
      for (Eigen::Index i = 0; i < count; ++i) part.matrix(i, j) = delassus.matrix(part.rows[static_cast<std::size_t>(i)], row);
  }
  part.dual.setZero(count);
}

void split_rows(std::span<const ContactBlock> blocks, StaggeredPart& normal, StaggeredPart& tangent) {
  normal.rows.clear();
  tangent.rows.clear();
  for (const ContactBlock& block : blocks) {
    if (block.kind == ContactKind::friction) {
      tangent.rows.push_back(block.row);
      tangent.rows.push_back(block.row + 1);
    }
    normal.rows.push_back(block.row + row_count(block.kind) - 1);
  }
}

/// Minimises over one part with the other fixed, and writes its forces into the whole.
template <class Project>
void minimise(SolverTask& task, StaggeredScratch& scratch, StaggeredPart& part, double tolerance, const Project& project) {
  if (part.rows.empty()) return;
  const DelassusView& whole = task.problem.delassus;
  scratch.other = task.force;
  for (const int row : part.rows) scratch.other[row] = 0;
  delassus_product(whole, scratch.other, scratch.motion, scratch.velocity);
  for (std::size_t i = 0; i < part.rows.size(); ++i)
    part.b[static_cast<Eigen::Index>(i)] = scratch.velocity[part.rows[i]] + task.problem.g[part.rows[i]];
  const DelassusView own = part.delassus(whole.is_operator);
  for (int i = 0; i < 200; ++i) {
    part.admm.iterate(own, part.b, task.options.over_relaxation, project);
    if (std::max(part.admm.primal(), part.admm.dual_residual()) <= tolerance) break;
  }
  for (std::size_t i = 0; i < part.rows.size(); ++i) task.force[part.rows[i]] = part.admm.force()[static_cast<Eigen::Index>(i)];
}

template <class Clamp>
void solve_staggered(SolverTask& task, StaggeredScratch& scratch, const Clamp& clamp) {
  const ProblemView& problem = task.problem;
  const std::span<const ContactBlock> blocks = problem.blocks;
  Eigen::VectorXd& force = task.force;
  const auto fresh_residual = [&] {
    delassus_product(problem.delassus, force, scratch.motion, scratch.velocity);
    scratch.velocity += problem.g;
    return task.residual(force, scratch.velocity);
  };
  double residual = fresh_residual();
  if (task.progress.accept_start(force, residual)) return;

  scratch.weight.resize(problem.rows());
  set_block_weights(blocks, task.diagonal, scratch.weight);
  split_rows(blocks, scratch.normal, scratch.tangent);
  for (StaggeredPart* part : {&scratch.normal, &scratch.tangent}) {
    gather(task, *part, scratch.weight);
    if (!part->rows.empty())
      part->admm.start(part->delassus(problem.delassus.is_operator), part->weight, part->force, part->dual,
                       ProximalAdmm::first_exponent);
  }
  const auto project_normal = [&](Eigen::VectorXd& x) {
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const ContactBlock& block = blocks[static_cast<std::size_t>(i)];
      x[i] = block.kind == ContactKind::friction ? std::max(x[i], 0.0) : project_row(block, x[i]);
    }
  };
  const auto project_tangent = [&](Eigen::VectorXd& x) {
    Eigen::Index at = 0;
    for (const ContactBlock& block : blocks) {
      if (block.kind != ContactKind::friction) continue;
      const Double2 next = clamp(Double2{x[at], x[at + 1]}, block.mu * force[block.row + 2]);
      x[at] = next.x;
      x[at + 1] = next.y;
      at += 2;
    }
  };
  double best = residual, blend = 1.0;
  for (int outer = 1;; ++outer) {
    const double inner_tolerance = std::max(0.02 * task.options.tolerance, std::min(1e-3 * residual, 1e-3));
    scratch.last = force;
    minimise(task, scratch, scratch.normal, inner_tolerance, project_normal);
    minimise(task, scratch, scratch.tangent, inner_tolerance, project_tangent);
    if (blend < 1) {
      for (const int row : scratch.tangent.rows) force[row] = blend * force[row] + (1 - blend) * scratch.last[row];
    }
    residual = fresh_residual();
    if (outer % 10 == 0) {
      if (residual >= best) blend = std::max(0.1, 0.7 * blend);
      best = std::min(best, residual);
    }
    const double change = (force - scratch.last).cwiseAbs().maxCoeff();
    if (task.progress.finish_iteration(force, residual, change,
                                       std::max(force.cwiseAbs().maxCoeff(), scratch.last.cwiseAbs().maxCoeff())))
      return;
  }
}

}  // namespace

void solve_lcp_staggered(SolverTask& task, StaggeredScratch& scratch) {
  solve_staggered(task, scratch, [&](Double2 tangent, double radius) { return task.rule.polygon.project(tangent, radius); });
}

void solve_ncp_staggered(SolverTask& task, StaggeredScratch& scratch) {
  solve_staggered(task, scratch, [](Double2 tangent, double radius) { return project_disc(tangent, radius); });
}

}  // namespace tactum
