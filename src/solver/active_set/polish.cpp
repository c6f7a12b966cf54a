// SPDX-License-Identifier: BSD-2-Clause
// Newton's method on the equations of the present modes. The modes are determined anew after every
// step. A step that does not lower the residual of the model is halved a few times, then given up.
#include "solver/active_set/polish.hpp"

namespace tactum {

bool polish_force(const SolverTask& task, Eigen::VectorXd& force) {
  const ProblemView& problem = task.problem;
  Eigen::VectorXd motion, velocity, trial, trial_velocity;
  double residual = task.fresh_residual(force, motion, velocity);
  const double before = residual;
  ActiveSystem system;
  for (int iteration = 0; iteration < 12 && residual > 0; ++iteration) {
    system.assemble(problem, task.rule, force, velocity);
    Eigen::VectorXd value(problem.rows());
    for (std::size_t i = 0; i < problem.blocks.size(); ++i)
      set_block_value(value, problem.blocks[i],
                      to_double3(Eigen::Vector3d(-system.equations()[i].value)));
    const Eigen::VectorXd step = system.solve(value);
    bool better = false;
    for (double share = 1; share > 0.1 && !better; share *= 0.5) {
      trial = force + share * step;
      if (!(trial.cwiseAbs().maxCoeff() < 1e60)) break;
      const double here = task.fresh_residual(trial, motion, trial_velocity);
      if (!(here < residual)) continue;
      better = true;
      residual = here;
      force.swap(trial);
      velocity.swap(trial_velocity);
    }
    if (!better) break;
  }
  return residual < before;
}

}  // namespace tactum
