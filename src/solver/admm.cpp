// SPDX-License-Identifier: BSD-2-Clause
// Alg. 3 of Le Lidec et al. 2023 for the ccp, and for the ncp with b = g + Gamma(z): the multiplier z tends to s + Gamma(s),
// whose tangential part is that of s.
//
// Residual   |f - y| and the stationarity error come free with the iteration; only when both are below the tolerance, and now and
//            then, is the residual of the model computed, from fresh velocities.
// Newton     ADMM is quick to find out which contacts slide, and slow to finish on stacks. After a while proximal Newton steps
//            try to finish from where it is, with Gamma of the last velocity in b; each counts as an iteration. Where they do not
//            help, ADMM goes on as if nothing had been, and they wait four times as long.
#include "solver/admm.hpp"

#include "solver/proximal_path.hpp"

namespace tactum {
namespace {

constexpr int kFirstHelp = 56;  // iterations before Newton is tried
constexpr ProximalPath kPath{.first_weight = 1e-3, .least_weight = 1e-6, .patience = 5};

class Admm {
 public:
  Admm(SolverTask& task, AdmmScratch& scratch, bool with_shift) : task_(task), s_(scratch), with_shift_(with_shift) {}
  void run();

 private:
  enum class Help { done, better, no_better };
  /// b = g, or g + Gamma of a velocity.
  void set_shifted(const Eigen::VectorXd& velocity);
  double residual_of(const Eigen::VectorXd& force);
  void start(const Eigen::VectorXd& force, const Eigen::VectorXd& dual, double exponent) {
    s_.admm.start(task_.problem.delassus, s_.weight, force, dual, exponent);
  }
  bool iterate(int iteration);
  Help help();
  void set_dual_of_best();

  SolverTask& task_;
  AdmmScratch& s_;
  bool with_shift_;
};

void Admm::set_shifted(const Eigen::VectorXd& velocity) {
  s_.shifted = task_.problem.g;
  if (!with_shift_) return;
  for (const ContactBlock& block : task_.problem.blocks) {
    if (block.kind == ContactKind::friction) s_.shifted[block.row + 2] += block.mu * tangent_norm(block_value(velocity, block));
  }
}

/// Leaves the velocity of the force.
double Admm::residual_of(const Eigen::VectorXd& force) {
  delassus_product(task_.problem.delassus, force, s_.motion, s_.velocity);
  s_.velocity += task_.problem.g;
  return task_.residual(force, s_.velocity);
}

/// True when it was the last.
bool Admm::iterate(int iteration) {
  const std::span<const ContactBlock> blocks = task_.problem.blocks;
  const auto project = [&](Eigen::VectorXd& x) {
    for (const ContactBlock& block : blocks) set_block_value(x, block, project_block(block, block_value(x, block)));
  };
  set_shifted(s_.admm.dual());
  s_.admm.iterate(task_.problem.delassus, s_.shifted, task_.options.over_relaxation, project);
  const double free_estimate = std::max(s_.admm.primal(), s_.admm.dual_residual());
  const bool compute = task_.options.history || free_estimate <= task_.progress.goal() || iteration % 20 == 0 ||
                       iteration == task_.options.max_iterations;
  const double residual = compute ? residual_of(s_.admm.force()) : Progress::not_computed;
  return task_.progress.finish_iteration(s_.admm.force(), residual, s_.admm.change(), s_.admm.largest());
}

/// The multiplier that goes with the best force, s + Gamma(s), and that force as the centre.
void Admm::set_dual_of_best() {
  s_.centre = task_.progress.best();
  residual_of(s_.centre);
  set_shifted(s_.velocity);
  task_.dual = s_.velocity + s_.shifted - task_.problem.g;
}

Admm::Help Admm::help() {
  s_.centre = s_.admm.force();
  const double before = residual_of(s_.centre);
  double best = before;
  const auto judge = [&](const Eigen::VectorXd& force, double change) {
    const double residual = residual_of(force);
    best = std::min(best, residual);
    return PathJudgement{task_.progress.finish_iteration(force, residual, change, force.cwiseAbs().maxCoeff()), residual};
  };
  const auto linear = [&]() -> const Eigen::VectorXd& {
    set_shifted(s_.velocity);
    return s_.shifted;
  };
  if (follow_path(kPath, task_.problem, s_.weight, s_.newton, s_.centre, judge, linear)) return Help::done;
  return best < 0.5 * before ? Help::better : Help::no_better;
}

void Admm::run() {
  if (task_.progress.accept_start(task_.force, residual_of(task_.force))) return;
  s_.weight.resize(task_.problem.rows());
  set_block_weights(task_.problem.blocks, task_.diagonal, s_.weight);
  start(task_.force, task_.dual, task_.penalty_exponent);
  int wait = kFirstHelp, since = 0;
  for (int iteration = 1;; ++iteration) {
    if (iterate(iteration)) {
      task_.dual = s_.admm.dual();
      break;
    }
    if (++since < wait) continue;
    since = 0;
    const Help outcome = help();
    wait *= outcome == Help::no_better ? 4 : 2;
    if (outcome == Help::no_better) continue;
    set_dual_of_best();
    if (outcome == Help::done) break;
    start(s_.centre, task_.dual, s_.admm.exponent());
  }
  task_.penalty_exponent = s_.admm.exponent();
}

}  // namespace

void solve_ccp_admm(SolverTask& task, AdmmScratch& scratch) { Admm(task, scratch, false).run(); }
void solve_ncp_admm(SolverTask& task, AdmmScratch& scratch) { Admm(task, scratch, true).run(); }

}  // namespace tactum
