// SPDX-License-Identifier: BSD-2-Clause
// Alg. 6: the normal forces solve a quadratic program with the tangential forces fixed, then the
// tangential forces one over discs (or, in the lcp, polygons) of radius mu f_N.
//
// Printed    Line 2 has g_T where g_N is meant.
// Left open  Alg. 3 solves both programs, from zero with the rho of the last pass, to a hundredth
// of
//            the tolerance, with at most 200 iterations. From the solution of the last pass they
//            would leave internal forces, of which the survey says that there are none. Rows of
//            other kinds belong to the normal program.
#include "solver/as_printed/printed_loop.hpp"

namespace tactum {
namespace {

constexpr int kMostIterations = 200;

void split_rows(SolverTask& task, PrintedScratch& scratch) {
  for (std::vector<int>& rows : scratch.part_rows) rows.clear();
  for (const ContactBlock& block : task.problem.blocks) {
    const int last = block.row + row_count(block.kind) - 1;
    scratch.part_rows[0].push_back(last);
    for (int row = block.row; row < last; ++row) scratch.part_rows[1].push_back(row);
  }
  for (int part = 0; part < 2; ++part) {
    const std::vector<int>& rows = scratch.part_rows[part];
    scratch.part_G[part] = scratch.G(rows, rows);
    scratch.part_b[part].setZero(static_cast<Eigen::Index>(rows.size()));
    scratch.admm[part].start(scratch.part_G[part], scratch.part_b[part], scratch.part_b[part], 0.0);
  }
}

/// Minimizes over the rows of one part with the other forces fixed. `project(x)` replaces the
/// forces of the part by the nearest ones that they may be.
template <class Project>
void minimize_part(SolverTask& task, PrintedScratch& scratch, int part, const Project& project) {
  const std::vector<int>& rows = scratch.part_rows[part];
  if (rows.empty()) return;
  Eigen::VectorXd& b = scratch.part_b[part];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto place = static_cast<Eigen::Index>(i);
    b[place] = row_velocity(task, scratch, rows[i]);
    for (std::size_t j = 0; j < rows.size(); ++j)
      b[place] -= scratch.G(rows[i], rows[j]) * task.force[rows[j]];
  }
  PrintedAdmm& admm = scratch.admm[part];
  scratch.part_start.setZero(b.size());
  admm.start(scratch.part_G[part], scratch.part_start, scratch.part_start, admm.scale());
  for (int i = 0; i < kMostIterations; ++i) {
    check_interrupt();
    admm.iterate(scratch.part_G[part], b, 1.0, project);
    if (std::max(admm.primal(), admm.dual()) <= 0.01 * task.options.tolerance) break;
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    task.force[rows[i]] = admm.set()[static_cast<Eigen::Index>(i)];
}

}  // namespace

void printed_staggered(SolverTask& task, PrintedScratch& scratch) {
  const std::span<const ContactBlock> blocks = task.problem.blocks;
  const bool has_polygon = task.options.solver == ContactSolver::lcp_staggered;
  split_rows(task, scratch);
  const auto project_normal = [&](Eigen::VectorXd& x) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      double& force = x[static_cast<Eigen::Index>(i)];
      force = blocks[i].kind == ContactKind::friction ? std::max(force, 0.0)
                                                      : project_row(blocks[i], force);
    }
  };
  const auto project_tangent = [&](Eigen::VectorXd& x) {
    Eigen::Index place = 0;
    for (const ContactBlock& block : blocks) {
      if (block.kind != ContactKind::friction) continue;
      const double radius = block.mu * task.force[block.row + 2];
      const Double2 given{x[place], x[place + 1]};
      const Double2 nearest = has_polygon ? task.rule.polygon.project(given, radius)
                                          : project_disc(given, radius);
      x[place++] = nearest.x;
      x[place++] = nearest.y;
    }
  };
  do {
    scratch.last = task.force;
    minimize_part(task, scratch, 0, project_normal);
    minimize_part(task, scratch, 1, project_tangent);
  } while (!finish_pass(task, scratch, task.options.over_relaxation));
}

}  // namespace tactum
