// SPDX-License-Identifier: BSD-2-Clause
// lcp_staggered and ncp_staggered (Alg. 6): normal and tangential forces in turn.
#pragma once

#include "solver/active_set/solver_progress.hpp"
#include "solver/method/proximal_admm.hpp"

namespace tactum {

/// One of the two quadratic programs: some rows of the problem, the others 0, with a solver of its
/// own.
struct StaggeredPart {
  Eigen::VectorXd mask;  ///< 1 in its rows
  Eigen::VectorXd b, force, dual;
  ProximalAdmm admm;
};

struct StaggeredScratch {
  StaggeredPart normal, tangent;
  Eigen::VectorXd weight, other, velocity, motion, last;
};

void solve_lcp_staggered(SolverTask& task, StaggeredScratch& scratch);
void solve_ncp_staggered(SolverTask& task, StaggeredScratch& scratch);

}  // namespace tactum
