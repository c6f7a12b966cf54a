// SPDX-License-Identifier: BSD-2-Clause
// Islands are groups of blocks that no entry of G, or no row of W, connects.
#pragma once

#include <vector>

#include "solver/problem/problem_data.hpp"

namespace tactum {

struct Islands {
  int count = 0;
  std::vector<int> of_block;  ///< island of each block; islands are numbered by their first block
  std::vector<int> parent;    ///< scratch of the union-find; behind the entries of the blocks, the
                              ///< first block that moves each row of W
};

/// Finds the islands of a problem.
void find_islands(const ContactProblem::Data& data, Islands& islands);

/// Copies one island into a problem of its own, without its structure.
ContactIsland gather_island(const ContactProblem::Data& data, const Islands& islands, int island);

}  // namespace tactum
