// SPDX-License-Identifier: BSD-2-Clause
// Alg. 3 of Le Lidec et al. 2023 for the ccp, and for the ncp with b = g + Gamma(z): the multiplier z tends to s + Gamma(s), whose
// tangential part is that of s.
//
// Residual   |f - y| and the stationarity error come free with the iteration; only when both are below the tolerance, and now and then,
//            is the residual of the model computed, from fresh velocities.
#include "solver/admm.hpp"

namespace tactum {
namespace {

void solve_cones(SolverTask& task, AdmmScratch& scratch, bool with_shift) {
  const ProblemView& problem = task.problem;
  const std::span<const ContactBlock> blocks = problem.blocks;
  const auto residual_of_force = [&](const Eigen::VectorXd& force) {
    delassus_product(problem.delassus, force, scratch.motion, scratch.velocity);
    scratch.velocity += problem.g;
    return task.residual(force, scratch.velocity);
  };
  if (task.progress.accept_start(task.force, residual_of_force(task.force))) return;

  scratch.weight.resize(problem.rows());
  set_block_weights(blocks, task.diagonal, scratch.weight);
  ProximalAdmm& admm = scratch.admm;
  admm.start(problem.delassus, scratch.weight, task.force, task.dual, task.penalty_exponent);
  const auto project = [&](Eigen::VectorXd& x) {
    for (const ContactBlock& block : blocks) set_block_value(x, block, project_block(block, block_value(x, block)));
  };
  for (int iteration = 1;; ++iteration) {
    scratch.shifted = problem.g;
    if (with_shift) {
      for (const ContactBlock& block : blocks) {
        if (block.kind == ContactKind::friction)
          scratch.shifted[block.row + 2] += block.mu * tangent_norm(block_value(admm.dual(), block));
      }
    }
    admm.iterate(problem.delassus, scratch.shifted, task.options.over_relaxation, project);
    const double free_estimate = std::max(admm.primal(), admm.dual_residual());
    const bool compute = task.options.history || free_estimate <= task.progress.goal() || iteration % 20 == 0 ||
                         iteration == task.options.max_iterations;
    const double residual = compute ? residual_of_force(admm.force()) : Progress::not_computed;
    if (task.progress.finish_iteration(admm.force(), residual, admm.change(), admm.largest())) break;
  }
  task.dual = admm.dual();
  task.penalty_exponent = admm.exponent();
}

}  // namespace

void solve_ccp_admm(SolverTask& task, AdmmScratch& scratch) { solve_cones(task, scratch, false); }
void solve_ncp_admm(SolverTask& task, AdmmScratch& scratch) { solve_cones(task, scratch, true); }

}  // namespace tactum
