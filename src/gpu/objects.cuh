// SPDX-License-Identifier: BSD-2-Clause
// Pairs of objects of many parts: what their kernels share with each other and with those of convex
// shapes.
#pragma once

#include "gpu/distance_rows.cuh"

namespace tactum::gpu {

/// Rows of objects in one launch, and pairs of parts that it has room for: on average 32 a row.
/// Distances of rows that find no room are only bounded, with the status not_converged.
inline constexpr std::size_t kObjectRows = std::size_t{1} << 17U;
inline constexpr std::size_t kPartRows = std::size_t{1} << 22U;

/// Room that distances of so many rows of convex shapes need.
void grow_for_distances(Workspace::Memory& scratch, const ShapeTable::Memory& memory,
                        std::size_t rows);

/// All stages of `distances` for rows of convex shapes that fit one launch.
void launch_distances(const ShapeTable::Memory& memory, const BatchView& rows,
                      const DistancesOptions& options, Workspace::Memory& scratch,
                      Counters* counters, const DistanceColumns& out, Stream stream);

/// Launches the distances of rows of objects, of which there are at most kObjectRows.
void launch_object_distances(const ShapeTable::Memory& memory, const BatchView& rows,
                             const DistancesOptions& options, Workspace::Memory& scratch,
                             const DistanceColumns& out, Stream stream);

/// All launches of a batch that was checked, of convex shapes or of objects.
void launch_rows(const ShapeTable::Memory& memory, const PairBatch& pairs,
                 const DistancesOptions& options, Workspace::Memory& scratch,
                 const DistanceColumns& out, Stream stream);

/// `collides` for objects.
void collide_objects(const ShapeTable::Memory& memory, const PairBatch& pairs,
                     Workspace::Memory& scratch, Status* status, Stream stream);

/// Whether a row has an answer: good poses, objects of the table, not two half-spaces.
__device__ __forceinline__ bool is_object_row(const TableArrays& table, const ObjectArrays& objects,
                                              int index_a, int index_b, const WorldPose& X_WA,
                                              const WorldPose& X_WB) {
  const auto count = static_cast<unsigned>(objects.num_objects);
  if (static_cast<unsigned>(index_a) >= count || static_cast<unsigned>(index_b) >= count)
    return false;
  if (!X_WA.valid || !X_WB.valid) return false;
  const auto is_endless = [&](int index) {
    return table.single[objects.objects[index].first_part].kind == CoreKind::half_space;
  };
  return !(is_endless(index_a) && is_endless(index_b));
}

/// Poses of both parts, from those of their objects in the world.
__device__ __forceinline__ ObjectPoses poses_of_parts(const ObjectArrays& objects,
                                                      const ObjectPoses& poses, int part_a,
                                                      int part_b) {
  return {part_pose(poses.a, objects.poses + 7 * static_cast<std::size_t>(part_a)),
          part_pose(poses.b, objects.poses + 7 * static_cast<std::size_t>(part_b))};
}

}  // namespace tactum::gpu
