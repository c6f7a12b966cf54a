// SPDX-License-Identifier: BSD-2-Clause
// What the kernels of `distances` hand to each other: ended searches, rows of answers, counts.
#pragma once

#include "gpu/lane_pool.cuh"

namespace tactum::gpu {

/// The record that a search writes for its proof: how it ended, and the names of its points with
/// eight bits for each piece.
struct alignas(16) EndedSearch {
  std::uint32_t info, tags_01, tags_23;
  float inside;  ///< not zero: the row is proved to overlap, only its depth is open
};
/// The directions that curved cores need besides, 16 bytes each.
struct alignas(16) EndedDirection {
  float x, y, z, unused;
};

template <class Tag>
__device__ __forceinline__ EndedSearch packed(const LaneResult<Tag>& result) {
  return {static_cast<std::uint32_t>(result.size) |
              (static_cast<std::uint32_t>(result.state) << 4U) |
              (static_cast<std::uint32_t>(result.iterations) << 8U),
          (result.tag_0.pieces & 0xFFFFU) | (result.tag_1.pieces << 16U),
          (result.tag_2.pieces & 0xFFFFU) | (result.tag_3.pieces << 16U), result.inside};
}

template <class Tag>
__device__ __forceinline__ LaneResult<Tag> unpacked(const EndedSearch& ended) {
  LaneResult<Tag> result;
  result.size = static_cast<int>(ended.info & 0xFU);
  result.state = static_cast<LaneState>((ended.info >> 4U) & 0xFU);
  result.iterations = static_cast<int>(ended.info >> 8U);
  result.tag_0.pieces = ended.tags_01 & 0xFFFFU;
  result.tag_1.pieces = ended.tags_01 >> 16U;
  result.tag_2.pieces = ended.tags_23 & 0xFFFFU;
  result.tag_3.pieces = ended.tags_23 >> 16U;
  result.inside = ended.inside;
  return result;
}

/// Memory for the ended searches of a launch.
struct EndedRows {
  EndedSearch* searches;
  EndedDirection* directions;  ///< four for each row, where a core is curved
};

__device__ __forceinline__ void put(const EndedRows& rows, std::uint32_t row,
                                    const LaneResult<PieceTag>& result) {
  rows.searches[row] = packed(result);
}
__device__ __forceinline__ void put(const EndedRows& rows, std::uint32_t row,
                                    const LaneResult<DirectedTag<float>>& result) {
  rows.searches[row] = packed(result);
  const Vector<float> d0 = result.tag_0.direction, d1 = result.tag_1.direction,
                      d2 = result.tag_2.direction, d3 = result.tag_3.direction;
  EndedDirection* const at = rows.directions + 4 * static_cast<std::size_t>(row);
  at[0] = {d0.x, d0.y, d0.z, 0.0F};
  at[1] = {d1.x, d1.y, d1.z, 0.0F};
  at[2] = {d2.x, d2.y, d2.z, 0.0F};
  at[3] = {d3.x, d3.y, d3.z, 0.0F};
}

/// The directions of a search in double are kept rounded, and still lead to the same points.
__device__ __forceinline__ void put(const EndedRows& rows, std::uint32_t row,
                                    const LaneResult<DirectedTag<double>>& result) {
  const auto rounded = [](const DirectedTag<double>& tag) {
    return DirectedTag<float>{tag.pieces, converted<float>(tag.direction)};
  };
  if (rows.directions == nullptr) {
    rows.searches[row] = packed(result);
    return;
  }
  put(rows, row,
      LaneResult<DirectedTag<float>>{rounded(result.tag_0), rounded(result.tag_1),
                                     rounded(result.tag_2), rounded(result.tag_3), result.size,
                                     result.iterations, result.state, result.inside});
}

__device__ __forceinline__ void get(const EndedRows& rows, std::uint32_t row,
                                    LaneResult<PieceTag>& result) {
  result = unpacked<PieceTag>(rows.searches[row]);
}
__device__ __forceinline__ void get(const EndedRows& rows, std::uint32_t row,
                                    LaneResult<DirectedTag<float>>& result) {
  result = unpacked<DirectedTag<float>>(rows.searches[row]);
  const EndedDirection* const at = rows.directions + 4 * static_cast<std::size_t>(row);
  result.tag_0.direction = {at[0].x, at[0].y, at[0].z};
  result.tag_1.direction = {at[1].x, at[1].y, at[1].z};
  result.tag_2.direction = {at[2].x, at[2].y, at[2].z};
  result.tag_3.direction = {at[3].x, at[3].y, at[3].z};
}

/// Everything a launch is told.
struct DistanceTask {
  TableArrays table;
  BatchView batch;
  DistanceColumns out;
  EndedRows ended;
  Counters* counters;
  std::uint32_t* again;
  std::uint32_t* overlaps;
  std::uint32_t* left;       ///< rows whose polytope is too large for a lane
  EndedPolytope* polytopes;  ///< null where cores are curved: warps find all depths then
  double tolerance;
  bool depth;  ///< whether depths are wanted, not only bounds of them
};

__device__ __forceinline__ void put_vector(double* column, std::uint32_t row,
                                           Vector<double> value) {
  if (column == nullptr) return;
  double* const at = column + 3 * static_cast<std::size_t>(row);
  at[0] = value.x;
  at[1] = value.y;
  at[2] = value.z;
}

/// Four vectors of each lane, as twelve numbers a row.
__device__ __forceinline__ void put_jacobians(double* column, std::uint32_t row, bool mine,
                                              const DistanceJacobian& jacobian) {
  if (!mine) return;
  put_vector(column, 4 * row, jacobian.linear_a);
  put_vector(column, 4 * row + 1, jacobian.angular_a);
  put_vector(column, 4 * row + 2, jacobian.linear_b);
  put_vector(column, 4 * row + 3, jacobian.angular_b);
}

/// Writes an answer, turned from the frame of A to the world.
__device__ __forceinline__ void write_row(const DistanceColumns& out, std::uint32_t row,
                                          const WorldPose& X_WA, const RelativePose<double>& X_AB,
                                          const PairAnswer& answer) {
  if (out.status != nullptr) out.status[row] = answer.status;
  if (out.distance != nullptr) out.distance[row] = answer.distance;
  if (out.lower != nullptr) out.lower[row] = answer.lower;
  if (out.upper != nullptr) out.upper[row] = answer.upper;
  if (out.iterations != nullptr) out.iterations[row] = answer.iterations;
  put_vector(out.normal, row, rotated(X_WA.rotation, answer.normal));
  if (out.point_a != nullptr)
    put_vector(out.point_a, row, rotated(X_WA.rotation, answer.point_a) + X_WA.translation);
  if (out.point_b != nullptr)
    put_vector(out.point_b, row, rotated(X_WA.rotation, answer.point_b) + X_WA.translation);
  if (out.distance_jacobian != nullptr) {
    put_jacobians(out.distance_jacobian, row, true, distance_jacobian(X_AB, answer));
  }
}

struct RowCounts {
  unsigned not_converged = 0, overlapping = 0;
};

/// Adds what the lanes of a warp have counted to the counters, at the end of a kernel.
__device__ __forceinline__ void add_counts(Counters* counters, RowCounts counts, int lane) {
  const unsigned not_converged = __reduce_add_sync(kAllLanes, counts.not_converged);
  const unsigned overlapping = __reduce_add_sync(kAllLanes, counts.overlapping);
  if (lane == 0 && not_converged != 0)
    atomicAdd(&counters->not_converged, static_cast<unsigned long long>(not_converged));
  if (lane == 0 && overlapping != 0)
    atomicAdd(&counters->overlapping, static_cast<unsigned long long>(overlapping));
}

__device__ __forceinline__ void count_row(RowCounts& counts, const PairAnswer& answer) {
  counts.not_converged += answer.status == Status::not_converged ? 1 : 0;
  counts.overlapping += answer.status == Status::not_converged && answer.overlapping ? 1 : 0;
}

}  // namespace tactum::gpu
