// SPDX-License-Identifier: BSD-2-Clause
// The baseline that learned collision detection was compared with: GJK in uniform computational
// flow over all pairs of parts (Son and Kim, "Local object crop collision network for efficient
// simulation of non-convex objects in GPU-based simulators", 2023, there called UCF-GJK).
//
// Every pair of parts does the same work: parts are padded to the largest number that an object of
// the table has, vertices to the largest number that a part has, and each search runs all its
// iterations. Nothing is excluded by bounds, nothing ends early, and nothing is proved: near
// contact the answers may be wrong. It is here to be compared with; `collides` is what to use.
#pragma once

#include "tactum/gpu/distances.hpp"

namespace tactum::gpu {

/// Whether the hulls of each pair seem to overlap after so many iterations of GJK in single
/// precision: 1, or 0, also for bad rows. `hits` is device memory with one entry a pair. Throws
/// InvalidInput for a table that has other parts than hulls and boxes of objects, for an iteration
/// count outside 1 to 64, and for a missing pointer.
void uniform_flow_collides(const ShapeTable& table, const PairBatch& pairs, int iterations,
                           std::uint8_t* hits, Stream stream = nullptr);

}  // namespace tactum::gpu
