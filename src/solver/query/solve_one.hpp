// SPDX-License-Identifier: BSD-2-Clause
// The parts of solve() that batches share: checks apart from the work.
#pragma once

#include "tactum/contact_solver.hpp"

namespace tactum {

void check_options(const SolveOptions& options);
void check_warm_start(const ContactProblem& problem, const ContactSolution& warm);

/// solve() after its checks. Throws InvalidInput if the warm start is the solution that is written
/// to, and std::bad_alloc where memory ends.
void solve_checked(const ContactProblem& problem, const SolveOptions& options,
                   ContactWorkspace& work, ContactSolution& solution);

}  // namespace tactum
