// SPDX-License-Identifier: BSD-2-Clause
// The algorithms of Le Lidec et al. 2023 as plain loops, for claims about that paper.
//
// Printed    Steps, order of visits and projections are those of the listings. A solve begins from
//            zero or from the force of a warm start, and returns the last iterate. It stops where
//            the largest of primal, dual and complementarity residual, which the survey defines
//            below eq. 14, is at most 0.99 of the tolerance, and where passes change nothing
//            (SolverProgress::finish_iteration); it looks after every pass.
// Relaxation Eq. 22 after every pass, f <- w f + (1 - w) f-; in Alg. 3 within line 3, so that lines
//            4 and 5 read the relaxed force. The equation prints the two iterates the other way
//            round, with which a weight of 1 would never move.
// Left open  The listings know friction alone: a row of another kind takes the two lines of a
//            normal force with its own bounds. The residual that stops the lcp, the ccp and raisim
//            is that of their own model. A row that nothing moves gets no force. Islands are
//            solved apart, which changes the end of the loops and nothing else.
#pragma once

#include "solver/as_printed/printed_loop.hpp"

namespace tactum {

/// Whether the survey lists an algorithm of that name, or, for ncp_admm, all of its parts.
bool is_printed(ContactSolver solver);

/// Solves an island as printed. The solver must be one that is_printed() knows.
void solve_as_printed(SolverTask& task, PrintedScratch& scratch);

}  // namespace tactum
