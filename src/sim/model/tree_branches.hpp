// SPDX-License-Identifier: BSD-2-Clause
// Branches of a tree of joints: runs of velocities without a fork. A contact moves the branches
// from the root to its two bodies alone, so that a contact problem whose bodies are branches keeps
// the zeros of W.
#pragma once

#include <vector>

namespace tactum::sim {

struct Branch {
  int begin;  ///< first velocity
  int size;   ///< number of velocities
};

/// `parents`: for each velocity the one above it, with a lower number; -1: none. Branches ascend
/// and cover all velocities.
std::vector<Branch> branches_of(const std::vector<int>& parents);

}  // namespace tactum::sim
