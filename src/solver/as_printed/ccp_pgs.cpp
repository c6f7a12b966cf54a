// SPDX-License-Identifier: BSD-2-Clause
// Alg. 2: projected Gauss-Seidel for the ccp, with three over the trace as the step of a contact.
#include "solver/as_printed/printed_loop.hpp"

namespace tactum {

void printed_ccp_pgs(SolverTask& task, PrintedScratch& scratch) {
  printed_passes(task, scratch, [&](const ContactBlock& block) {
    if (block.kind != ContactKind::friction) return update_normal(task, scratch, block);
    const int x = block.row, y = x + 1, z = x + 2;
    const double trace = scratch.G(x, x) + scratch.G(y, y) + scratch.G(z, z);
    if (!(trace > 0)) return set_block_value(task.force, block, {0, 0, 0});
    const Double3 velocity{row_velocity(task, scratch, x), row_velocity(task, scratch, y),
                           row_velocity(task, scratch, z)};
    const Double3 stepped = block_value(task.force, block) - 3 / trace * velocity;
    set_block_value(task.force, block, project_cone(stepped, block.mu));
  });
}

}  // namespace tactum
