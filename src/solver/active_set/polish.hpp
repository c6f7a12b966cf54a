// SPDX-License-Identifier: BSD-2-Clause
// Newton on the active set: from a good force to one that is exact to rounding.
#pragma once

#include "solver/active_set/active_system.hpp"
#include "solver/active_set/solver_progress.hpp"

namespace tactum {

/// Improves `force` (of the task) in place; never makes its residual worse. Returns whether it was
/// improved.
bool polish_force(const SolverTask& task, Eigen::VectorXd& force);

}  // namespace tactum
