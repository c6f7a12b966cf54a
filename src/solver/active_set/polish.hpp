// SPDX-License-Identifier: BSD-2-Clause
// Newton's method on the active set makes a good force exact to rounding.
#pragma once

#include "solver/active_set/active_system.hpp"
#include "solver/active_set/solver_progress.hpp"

namespace tactum {

/// Improves a force of the task; never makes its residual worse. Returns whether the residual fell.
bool polish_force(const SolverTask& task, Eigen::VectorXd& force);

}  // namespace tactum
