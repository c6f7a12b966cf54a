// SPDX-License-Identifier: BSD-2-Clause
// ccp_admm is Alg. 3; ncp_admm is Alg. 3 with the shift of de Saxce.
#pragma once

#include "solver/active_set/solver_progress.hpp"
#include "solver/linear/anderson.hpp"
#include "solver/method/active_newton.hpp"
#include "solver/method/interior_point.hpp"
#include "solver/method/per_contact.hpp"
#include "solver/method/proximal_admm.hpp"
#include "solver/method/proximal_newton.hpp"

namespace tactum {

struct AdmmScratch {
  ProximalAdmm admm;
  ProximalNewton newton;
  ActiveNewton active;
  InteriorPoint interior;
  Anderson mixing;                       ///< acceleration of the shift
  PerContactScratch gauss_seidel;        ///< scratch of the Gauss-Seidel phase
  SolverProgress gauss_seidel_progress;  ///< progress of the Gauss-Seidel phase
  Eigen::VectorXd weight;                ///< mean diagonal of each block of G + R
  Eigen::VectorXd linear;                ///< linear term: g, or g + shift
  Eigen::VectorXd velocity, motion;  ///< velocity of the last force that was evaluated, and scratch
  Eigen::VectorXd center;            ///< force that a Newton phase begins from, or ends with
  Eigen::VectorXd last_center;       ///< center of the convex subproblem before
  Eigen::VectorXd shift;             ///< Gamma in the convex subproblem that is solved
  Eigen::VectorXd next_shift;        ///< Gamma of the velocity of its solution
  Eigen::VectorXd shifted_velocity;  ///< velocity plus shift
};

void solve_ccp_admm(SolverTask& task, AdmmScratch& scratch);
void solve_ncp_admm(SolverTask& task, AdmmScratch& scratch);

}  // namespace tactum
