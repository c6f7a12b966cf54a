// SPDX-License-Identifier: BSD-2-Clause
// The farthest vertex of a hull, from its direction table: float heights of one list, then double
// where these leave it undecided; tiny hulls in double at once.
//
// Answer     the vertex with the largest height dx * x + dy * y + dz * z as evaluated in double, in
//            this order of operations, the lowest index among equal heights. A full scan and every
//            SIMD level give the same vertex.
#pragma once

#include "core/simd_level.hpp"
#include "shape/hull/direction_table.hpp"

namespace tactum {

/// The scan function for a table, at a level that the processor has. Tiny hulls have a function of
/// their own.
SupportScan* support_scan(const DirectionTable& table, SimdLevel level);

/// Begins to fetch the list that a scan along a unit vector will read.
void prefetch_list(const SupportView& view, const double* direction);

}  // namespace tactum
