// SPDX-License-Identifier: BSD-2-Clause
// The loop that all solvers share which go from contact to contact. Each block is updated with the
// velocity that the other blocks leave it.
//
// Residual   it costs almost as much as a sweep, so after the first four sweeps it is computed at
//            every fourth only. Every change updates the velocities, so after a sweep they are
//            those of the new force. Rounding adds up in them: they are computed afresh before a
//            solver stops, and every 64 sweeps.
#pragma once

#include "solver/active_set/solver_progress.hpp"

namespace tactum {

/// New force of a block of one row: a step against its velocity. A row that nothing moves gets the
/// force nearest to 0.
inline double updated_row(const ContactBlock& block, double force, double velocity, double diagonal,
                          double relaxation) {
  return project_row(block, diagonal > 0 ? force - relaxation * velocity / diagonal : 0.0);
}

/// Sweeps over all blocks until the progress of the task says that it is over. `update(i, block, f,
/// s)` returns the new force of friction block i, whose force is f and whose velocity is s.
template <class Update>
void sweep_contacts(SolverTask& task, VelocityTracker& tracker, const Update& update) {
  const std::span<const ContactBlock> blocks = task.problem.blocks;
  Eigen::VectorXd& force = task.force;
  tracker.start(task.problem, force);
  if (task.progress.accept_start(force, task.residual(force, tracker.velocity(force)))) return;
  for (int sweep = 1;; ++sweep) {
    double change = 0, largest = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const ContactBlock& block = blocks[i];
      const Double3 f = block_value(force, block), s = tracker.block_velocity(i, force);
      const Double3 next = block.kind == ContactKind::friction
                               ? update(i, block, f, s)
                               : Double3{updated_row(block, f.x, s.x, task.diagonal[i][0],
                                                     task.options.over_relaxation),
                                         0, 0};
      const Double3 step = next - f;
      const double size = std::max({std::abs(step.x), std::abs(step.y), std::abs(step.z)});
      largest = std::max({largest, std::abs(next.x), std::abs(next.y), std::abs(next.z),
                          std::abs(f.x), std::abs(f.y), std::abs(f.z)});
      if (size == 0) continue;
      change = std::max(change, size);
      set_block_value(force, block, next);
      tracker.add(i, step);
    }
    const bool last = sweep == task.options.max_iterations;
    const bool look = task.options.history || last || sweep <= 4 || sweep % 4 == 0 ||
                      SolverProgress::is_rounding(change, largest);
    double residual = look ? task.residual(force, tracker.velocity(force))
                           : SolverProgress::kNotComputed;
    if ((look && residual <= task.progress.goal()) || sweep % 64 == 0 || last) {
      tracker.start(task.problem, force);
      residual = task.residual(force, tracker.velocity(force));
    }
    if (task.progress.finish_iteration(force, residual, change, largest)) return;
  }
}

}  // namespace tactum
