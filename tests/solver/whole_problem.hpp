// SPDX-License-Identifier: BSD-2-Clause
// Tests of linear algebra look at a whole problem in the form in which it was made, whatever its
// islands are.
#pragma once

#include <numeric>

#include "solver/problem/problem_data.hpp"

namespace tactum::testing {

/// The whole of a problem as one island, with G where it was made from G, and with W otherwise. The
/// problem must outlive it.
inline ContactIsland whole_island(const ContactProblem& problem) {
  const ContactProblem::Data& data = problem.data();
  ContactIsland whole;
  whole.g.assign(data.g.begin(), data.g.end());
  whole.rows.resize(whole.g.size());
  std::iota(whole.rows.begin(), whole.rows.end(), 0);
  whole.blocks.resize(data.blocks.size());
  std::iota(whole.blocks.begin(), whole.blocks.end(), 0);
  if (!data.is_operator) {
    whole.columns.build_matrix(data.matrix, data.blocks);
    return whole;
  }
  whole.columns.start();
  for (int body = 0; body + 1 < static_cast<int>(data.motion_begin.size()); ++body)
    whole.columns.add_node(data.motions(body));
  for (std::size_t c = 0; c < data.blocks.size(); ++c) {
    std::vector<BlockColumns::Entry> entries;
    for (std::size_t e = data.entry_begin[c]; e < data.entry_begin[c + 1]; ++e)
      entries.push_back({data.entries[e].body, data.entries[e].offset});
    whole.columns.add_block(data.blocks[c], entries);
  }
  BlockColumns::Scratch scratch;
  whole.columns.finish_operator(data.numbers.data(), scratch);
  return whole;
}

}  // namespace tactum::testing
