// SPDX-License-Identifier: BSD-2-Clause
// lcp_staggered and ncp_staggered (Alg. 6): normal and tangential forces in turn.
#pragma once

#include "solver/progress.hpp"
#include "solver/proximal_admm.hpp"

namespace tactum {

/// One of the two quadratic programs: some rows of the problem, with a solver of its own.
struct StaggeredPart {
  std::vector<int> rows;
  Eigen::MatrixXd matrix;
  Eigen::VectorXd R, weight, b, force, dual;
  ProximalAdmm admm;

  DelassusView delassus(bool is_operator) const { return {view_of(matrix), is_operator, view_of(R)}; }
};

struct StaggeredScratch {
  StaggeredPart normal, tangent;
  Eigen::VectorXd weight, other, velocity, motion, last;
};

void solve_lcp_staggered(SolverTask& task, StaggeredScratch& scratch);
void solve_ncp_staggered(SolverTask& task, StaggeredScratch& scratch);

}  // namespace tactum
