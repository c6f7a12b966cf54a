// SPDX-License-Identifier: BSD-2-Clause
#include "sim/model/tree_branches.hpp"

#include <cstddef>

namespace tactum::sim {

std::vector<Branch> branches_of(const std::vector<int>& parents) {
  std::vector<int> children(parents.size(), 0);
  for (const int parent : parents)
    if (parent >= 0) ++children[static_cast<std::size_t>(parent)];
  std::vector<Branch> branches;
  for (int v = 0; v < static_cast<int>(parents.size()); ++v) {
    const int parent = parents[static_cast<std::size_t>(v)];
    const bool goes_on = v > 0 && parent == v - 1 &&
                         children[static_cast<std::size_t>(parent)] == 1;
    if (goes_on)
      ++branches.back().size;
    else
      branches.push_back({v, 1});
  }
  return branches;
}

}  // namespace tactum::sim
