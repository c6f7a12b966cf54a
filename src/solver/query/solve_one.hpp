// SPDX-License-Identifier: BSD-2-Clause
// The parts of solve() that batches share: checks apart from the work.
#pragma once

#include "tactum/contact_solver.hpp"

namespace tactum {

void check_options(const SolveOptions& options);
void check_warm_start(const ContactProblem& problem, const ContactSolution& warm);

/// solve() after its checks. Does not throw but for want of memory.
void solve_checked(const ContactProblem& problem, const SolveOptions& options, ContactWorkspace& work, ContactSolution& solution);

}  // namespace tactum
