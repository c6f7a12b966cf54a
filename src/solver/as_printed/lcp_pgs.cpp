// SPDX-License-Identifier: BSD-2-Clause
// Alg. 1: projected Gauss-Seidel for the lcp.
#include "solver/as_printed/printed_loop.hpp"

namespace tactum {

void printed_lcp_pgs(SolverTask& task, PrintedScratch& scratch) {
  printed_passes(task, scratch, [&](const ContactBlock& block) {
    update_normal(task, scratch, block);
    if (block.kind != ContactKind::friction) return;
    const int x = block.row, y = block.row + 1;
    const double least = std::min(scratch.G(x, x), scratch.G(y, y));
    Double2 tangent{0, 0};
    if (least > 0)
      tangent = {task.force[x] - row_velocity(task, scratch, x) / least,
                 task.force[y] - row_velocity(task, scratch, y) / least};
    tangent = task.rule.polygon.project(tangent, block.mu * task.force[block.row + 2]);
    task.force[x] = tangent.x;
    task.force[y] = tangent.y;
  });
}

}  // namespace tactum
