// SPDX-License-Identifier: BSD-2-Clause
// ccp_newton: Newton's method on the cone complementarity problem.
#pragma once

#include <Eigen/Cholesky>

#include "solver/progress.hpp"
#include "solver/proximal_admm.hpp"

namespace tactum {

struct NewtonScratch {
  Eigen::VectorXd weight, centre, x, product, point, projected, direction, direction_product, scratch, motion, right;
  Eigen::MatrixXd columns, system, response, weighted;
  std::vector<int> column_begin;  ///< first column of each block, and the end
};

void solve_ccp_newton(SolverTask& task, NewtonScratch& scratch);

}  // namespace tactum
