// SPDX-License-Identifier: BSD-2-Clause
// Newton on MuJoCo's regularized problem (solver/method/proximal_newton.hpp), inside proximal steps
// that take the regularization away.
//
// Compliance where every block has one of its own, the same for all its rows, it stands for the
// weight of the first proximal step,
//            which then solves the problem.
// Last       no weight at all: Newton on the cones that are active.
#include "solver/method/ccp_newton.hpp"

#include "solver/active_set/polish.hpp"
#include "solver/method/proximal_path.hpp"

namespace tactum {
namespace {

/// Whether R is the same, or nearly, in all rows of a block, and large enough to stand for the
/// weight of the proximal step.
bool is_regularized(const ProblemView& problem, const Eigen::VectorXd& weight) {
  for (const ContactBlock& block : problem.blocks) {
    const auto R = problem.delassus.R.segment(block.row, row_count(block.kind));
    if (R.minCoeff() < 0.999 * R.maxCoeff() || R.minCoeff() < 1e-6 * weight[block.row])
      return false;
  }
  return true;
}

}  // namespace

void solve_ccp_newton(SolverTask& task, NewtonScratch& scratch) {
  const auto residual_of = [&](const Eigen::VectorXd& force) {
    delassus_product(task.problem.delassus, force, scratch.motion, scratch.velocity);
    scratch.velocity += task.problem.g;
    return task.residual(force, scratch.velocity);
  };
  if (task.progress.accept_start(task.force, residual_of(task.force))) return;
  scratch.weight.resize(task.problem.rows());
  set_block_weights(task.problem.blocks, task.diagonal, scratch.weight);
  scratch.b = task.problem.g;
  scratch.center = task.force;
  const auto judge = [&](const Eigen::VectorXd& force, double change) {
    scratch.newton.set_velocity(scratch.velocity);
    double residual = task.residual(force, scratch.velocity);
    if (residual <= task.progress.goal()) residual = residual_of(force);  // fresh, where it counts
    return PathJudgment{
        task.progress.finish_iteration(force, residual, change, force.cwiseAbs().maxCoeff()),
        residual};
  };
  const ProximalPath path{.first_weight = is_regularized(task.problem, scratch.weight) ? 0.0 : 1e-2,
                          .least_weight = 1e-8,
                          .patience = 6};
  const auto linear = [&]() -> const Eigen::VectorXd& { return scratch.b; };
  if (follow_path(path, task.problem, scratch.weight, scratch.newton, scratch.center, judge,
                  linear))
    return;
  scratch.center = task.progress.best();
  if (polish_force(task, scratch.center))
    task.progress.finish_iteration(scratch.center, residual_of(scratch.center), 0.0,
                                   scratch.center.cwiseAbs().maxCoeff());
}

}  // namespace tactum
