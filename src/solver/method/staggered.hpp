// SPDX-License-Identifier: BSD-2-Clause
// lcp_staggered and ncp_staggered (Alg. 6) solve for normal and tangential forces in turn.
#pragma once

#include "solver/active_set/solver_progress.hpp"
#include "solver/method/proximal_admm.hpp"

namespace tactum {

/// One of the two quadratic programs, with a solver of its own. Its forces are 0 outside its rows.
struct StaggeredPart {
  Eigen::VectorXd mask;  ///< 1 in its rows, 0 in the others
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
