// SPDX-License-Identifier: BSD-2-Clause
// The parts of solve() that solve_many() calls too: the checks, and the work after the checks.
#pragma once

#include "tactum/contact_solver.hpp"

namespace tactum {

/// Throws InvalidInput with the option that is out of range.
void check_options(const SolveOptions& options);

/// Throws InvalidInput where a warm start does not fit the problem, or is not finite.
void check_warm_start(const ContactProblem& problem, const ContactSolution& warm);

/// Solves a problem whose options and warm start were checked. Throws InvalidInput if the warm
/// start is the solution that is written to, std::bad_alloc where memory ends, and Interrupted.
void solve_checked(const ContactProblem& problem, const SolveOptions& options,
                   ContactWorkspace& work, ContactSolution& solution);

/// Makes the status `infeasible` where the solve did not converge and a proof is found that no
/// force solves the problem.
void tell_infeasible(const ContactProblem& problem, const SolveOptions& options,
                     ContactSolution& solution);

}  // namespace tactum
