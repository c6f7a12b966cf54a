// SPDX-License-Identifier: BSD-2-Clause
#include "solver/as_printed/as_printed.hpp"

namespace tactum {
namespace {

/// Sets G + R of an island as a matrix, column by column.
void set_dense_matrix(const ProblemView& problem, PrintedScratch& scratch) {
  const int rows = problem.rows();
  scratch.G.resize(rows, rows);
  scratch.unit.setZero(rows);
  for (int column = 0; column < rows; ++column) {
    check_interrupt();
    scratch.unit[column] = 1;
    delassus_product(problem.delassus, scratch.unit, scratch.motion, scratch.velocity);
    scratch.G.col(column) = scratch.velocity;
    scratch.unit[column] = 0;
  }
}

}  // namespace

bool is_printed(ContactSolver solver) {
  return solver != ContactSolver::ccp_newton && solver != ContactSolver::raisim_desaxce;
}

void solve_as_printed(SolverTask& task, PrintedScratch& scratch) {
  assert(is_printed(task.options.solver));
  set_dense_matrix(task.problem, scratch);
  // the answer of a loop whose first pass overflows
  task.progress.accept_start(task.force,
                             task.fresh_residual(task.force, scratch.motion, scratch.velocity));
  switch (task.options.solver) {
    case ContactSolver::lcp_pgs: return printed_lcp_pgs(task, scratch);
    case ContactSolver::ccp_pgs: return printed_ccp_pgs(task, scratch);
    case ContactSolver::ncp_pgs: return printed_ncp_pgs(task, scratch);
    case ContactSolver::raisim: return printed_bisection(task, scratch);
    case ContactSolver::ccp_admm:
    case ContactSolver::ncp_admm: return printed_admm(task, scratch);
    default: return printed_staggered(task, scratch);
  }
}

}  // namespace tactum
