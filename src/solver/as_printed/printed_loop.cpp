// SPDX-License-Identifier: BSD-2-Clause
#include "solver/as_printed/printed_loop.hpp"

namespace tactum {

bool finish_pass(SolverTask& task, PrintedScratch& scratch, double relaxation) {
  if (relaxation != 1) task.force = relaxation * task.force + (1 - relaxation) * scratch.last;
  const double residual = task.fresh_residual(task.force, scratch.motion, scratch.velocity);
  const double change = (task.force - scratch.last).cwiseAbs().maxCoeff();
  const double largest = std::max(task.force.cwiseAbs().maxCoeff(),
                                  scratch.last.cwiseAbs().maxCoeff());
  return task.progress.finish_iteration(task.force, residual, change, largest);
}

}  // namespace tactum
