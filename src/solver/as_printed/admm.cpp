// SPDX-License-Identifier: BSD-2-Clause
// Alg. 3: ADMM for the ccp. The survey has no listing of it for the ncp; there the linear term is
// g + Gamma(s) with the tangential velocity that the multiplier holds, and nothing else changes.
#include "solver/as_printed/printed_loop.hpp"

namespace tactum {

void PrintedAdmm::start(const Eigen::MatrixXd& G, const Eigen::VectorXd& x,
                        const Eigen::VectorXd& multiplier, double scale) {
  force_ = set_ = last_force_ = last_set_ = x;
  multiplier_ = multiplier;
  mean_ = G.rows() > 0 ? G.trace() / static_cast<double>(G.rows()) : 0.0;
  if (!(mean_ > 0)) mean_ = 1;
  rho_ = mean_ * std::exp(std::clamp(scale, -40.0, 40.0));
  since_change_ = 0;
  refactor(G);
}

double PrintedAdmm::scale() const { return std::log(rho_ / mean_); }

void PrintedAdmm::refactor(const Eigen::MatrixXd& G) {
  shifted_ = G;
  shifted_.diagonal().array() += rho_;
  factor_.compute(shifted_);
}

void PrintedAdmm::adapt(const Eigen::MatrixXd& G) {
  if (++since_change_ < 10) return;
  since_change_ = 0;
  const double primal = mean_ * this->primal(), dual = this->dual();
  if (!(primal > 10 * dual || dual > 10 * primal)) return;
  const double ratio = std::clamp(primal / std::max(dual, 1e-30 * primal), 1e-4, 1e4);
  const double next = std::clamp(rho_ * std::sqrt(ratio), 1e-12 * mean_, 1e12 * mean_);
  if (next == rho_) return;
  rho_ = next;
  refactor(G);
}

void printed_admm(SolverTask& task, PrintedScratch& scratch) {
  const std::span<const ContactBlock> blocks = task.problem.blocks;
  const bool shifted = task.options.solver == ContactSolver::ncp_admm;
  const auto project = [&](Eigen::VectorXd& x) {
    for (const ContactBlock& block : blocks)
      set_block_value(x, block, project_block(block, block_value(x, block)));
  };
  PrintedAdmm& admm = scratch.admm[0];
  scratch.linear = -task.dual;
  admm.start(scratch.G, task.force, scratch.linear,
             task.options.warm_start == nullptr ? 0.0 : task.penalty_exponent);
  do {
    scratch.last = task.force;
    scratch.linear = task.problem.g;
    if (shifted) {
      for (const ContactBlock& block : blocks) {
        if (block.kind == ContactKind::friction)
          scratch.linear[block.row + 2] += block.mu *
                                           tangent_norm(block_value(admm.multiplier(), block));
      }
    }
    admm.iterate(scratch.G, scratch.linear, task.options.over_relaxation, project);
    task.force = admm.force();
  } while (!finish_pass(task, scratch, 1.0));  // line 3 is relaxed already
  task.dual = -admm.multiplier();
  task.penalty_exponent = admm.scale();
}

}  // namespace tactum
