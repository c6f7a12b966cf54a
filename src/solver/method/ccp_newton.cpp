// SPDX-License-Identifier: BSD-2-Clause
// Newton's method on MuJoCo's regularized problem (solver/method/proximal_newton.hpp), inside
// proximal steps that take the regularization away.
//
// Compliance where every block has a compliance that is one number for all its rows, it takes the
//            place of the weight of the first proximal step, which then solves the problem.
// Last       at the end there is no weight at all: Newton's method works on the active cones.
#include "solver/method/ccp_newton.hpp"

#include "solver/active_set/polish.hpp"
#include "solver/method/proximal_path.hpp"

namespace tactum {
namespace {

/// Whether R is nearly one number in the rows of every block, and large enough to take the place of
/// the weight of the proximal step.
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
  const auto fresh_residual = [&](const Eigen::VectorXd& force) {
    return task.fresh_residual(force, scratch.motion, scratch.velocity);
  };
  if (task.progress.accept_start(task.force, fresh_residual(task.force))) return;
  scratch.weight.resize(task.problem.rows());
  set_block_weights(task.problem.blocks, task.diagonal, scratch.weight);
  scratch.b = task.problem.g;
  scratch.center = task.force;
  const auto evaluate = [&](const Eigen::VectorXd& force, double change) {
    scratch.newton.set_velocity(scratch.velocity);
    double residual = task.residual(force, scratch.velocity);
    if (residual <= task.progress.goal()) residual = fresh_residual(force);  // it may end the solve
    return PathEvaluation{
        task.progress.finish_iteration(force, residual, change, force.cwiseAbs().maxCoeff()),
        residual};
  };
  const ProximalPath path{.first_weight = is_regularized(task.problem, scratch.weight) ? 0.0 : 1e-2,
                          .least_weight = 1e-8,
                          .patience = 6};
  const auto linear = [&]() -> const Eigen::VectorXd& { return scratch.b; };
  if (follow_path(path, task.problem, scratch.weight, scratch.newton, scratch.center, evaluate,
                  linear))
    return;
  scratch.center = task.progress.best();
  if (polish_force(task, scratch.center))
    task.progress.finish_iteration(scratch.center, fresh_residual(scratch.center), 0.0,
                                   scratch.center.cwiseAbs().maxCoeff());
}

}  // namespace tactum
