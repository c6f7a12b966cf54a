// SPDX-License-Identifier: BSD-2-Clause
// Depths of the rows whose cores overlap, one lane a row where that is enough, else one warp.
#pragma once

#include "gpu/distance_rows.cuh"

namespace tactum::gpu {

/// By polytopes of lanes, for the rows of polyhedral cores that the first search left in
/// `task.overlaps`. Writes what is proved and adds the rest to `task.left`.
void launch_lane_depths(const DistanceTask& task, const ShapeTable::Memory& memory, Stream stream);

/// By polytopes of warps in single precision, for the rows that lanes left, or those of curved
/// cores that the first search left in `task.overlaps`. Writes what is proved and adds the rest to
/// `task.again`.
void launch_depths(const DistanceTask& task, const ShapeTable::Memory& memory, Stream stream);

/// By the polytope in double, for the rows that the second search left there. Writes them once more
/// where it proves more than that search did.
void launch_deep_rows(const DistanceTask& task, const ShapeTable::Memory& memory, Stream stream);

}  // namespace tactum::gpu
