// SPDX-License-Identifier: BSD-2-Clause
// Solvers that go from contact to contact: projected Gauss-Seidel for three models, and the
// bisection of RaiSim.
#pragma once

#include "solver/active_set/solver_progress.hpp"

namespace tactum {

struct PerContactScratch {
  VelocityTracker tracker;
  std::vector<double> step;          ///< step lengths: two for each block, or one in the ccp
  std::vector<BlockMatrix> inverse;  ///< inverse of each diagonal block
};

void solve_lcp_pgs(SolverTask& task, PerContactScratch& scratch);
void solve_ccp_pgs(SolverTask& task, PerContactScratch& scratch);
void solve_ncp_pgs(SolverTask& task, PerContactScratch& scratch);
void solve_raisim(SolverTask& task, PerContactScratch& scratch);
void solve_raisim_desaxce(SolverTask& task, PerContactScratch& scratch);

}  // namespace tactum
