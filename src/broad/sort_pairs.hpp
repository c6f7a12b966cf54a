// SPDX-License-Identifier: BSD-2-Clause
// Pairs of ids in ascending order.
#pragma once

#include "tactum/broad_phase.hpp"

namespace tactum {

/// Sorts by first id, then by second. First ids are from 0 to `num_ids` - 1. The time is in
/// proportion to the number of pairs where few have the same first id. Keeps the capacity of the
/// vector, which grows to twice the number of pairs.
void sort_pairs(BoxPairs& pairs, BoxId num_ids);

}  // namespace tactum
