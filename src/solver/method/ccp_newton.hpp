// SPDX-License-Identifier: BSD-2-Clause
// ccp_newton: Newton's method on the cone complementarity problem.
#pragma once

#include "solver/active_set/solver_progress.hpp"
#include "solver/method/proximal_admm.hpp"
#include "solver/method/proximal_newton.hpp"

namespace tactum {

struct NewtonScratch {
  ProximalNewton newton;
  Eigen::VectorXd weight, b, center, velocity, motion;
};

void solve_ccp_newton(SolverTask& task, NewtonScratch& scratch);

}  // namespace tactum
