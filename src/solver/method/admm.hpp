// SPDX-License-Identifier: BSD-2-Clause
// ccp_admm (Alg. 3) and ncp_admm (the same with the shift of de Saxce).
#pragma once

#include "solver/active_set/solver_progress.hpp"
#include "solver/linear/anderson.hpp"
#include "solver/method/per_contact.hpp"
#include "solver/method/proximal_admm.hpp"
#include "solver/method/proximal_newton.hpp"

namespace tactum {

struct AdmmScratch {
  ProximalAdmm admm;
  ProximalNewton newton;
  Anderson mixing;
  PerContactScratch sweeps;
  Progress progress;  ///< of the sweeps
  Eigen::VectorXd weight, shifted, velocity, motion, center, last, shift, image;
};

void solve_ccp_admm(SolverTask& task, AdmmScratch& scratch);
void solve_ncp_admm(SolverTask& task, AdmmScratch& scratch);

}  // namespace tactum
