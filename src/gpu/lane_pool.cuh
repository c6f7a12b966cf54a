// SPDX-License-Identifier: BSD-2-Clause
// Lanes that are refilled: what every search kernel shares.
//
// The searches of a warp end after different numbers of iterations. A lane whose pair has ended waits until kRefill of its warp wait; they then take new
// pairs, so the others never wait for the slowest. Pairs are claimed 32 at a time, by one atomic of the warp, and prepared by all 32 lanes; they lie in
// shared memory until lanes take them. One block a processor: its shared memory holds the table of shapes and the queues of its warps.
#pragma once

#include <algorithm>

#include "gpu/device_memory.cuh"

namespace tactum::gpu {

inline constexpr int kLanes = 32;
inline constexpr int kThreads = 768;
inline constexpr int kWarps = kThreads / kLanes;
inline constexpr int kProofThreads = 512;
inline constexpr int kRefill = 8;
inline constexpr unsigned kAllLanes = 0xFFFFFFFFU;

/// Pairs that wait for a lane: 32 of each number, side by side.
struct PreparedRows {
  float pose[12][kLanes];
  float scale[kLanes];
  std::uint32_t row[kLanes];
  std::int32_t a[kLanes], b[kLanes];
};

/// What a lane finds when it looks at a row: a pair to search, or a row that needs no search.
struct RowView {
  int a, b;
  RelativePose<float> X_AB;
  float scale;
  bool to_search;
};

__device__ __forceinline__ bool has_shapes(const TableArrays& arrays, int a, int b) {
  return static_cast<unsigned>(a) < static_cast<unsigned>(arrays.num_shapes) &&
         static_cast<unsigned>(b) < static_cast<unsigned>(arrays.num_shapes);
}

/// Reads the poses of a row. `single` is the table of shapes in the memory that the kernel uses.
template <KindSet kKinds>
__device__ __forceinline__ RowView view_of_row(const TableArrays& arrays, const CoreRecord<float>* single, const BatchView& batch,
                                               std::uint32_t row) {
  RowView view;
  view.to_search = false;
  view.a = batch.a.shape(row);
  view.b = batch.b.shape(row);
  if (!has_shapes(arrays, view.a, view.b)) return view;
  const WorldPose X_WA = batch.a.pose(row), X_WB = batch.b.pose(row);
  const CoreRecord<float>&a = single[view.a], &b = single[view.b];
  if (!X_WA.valid || !X_WB.valid || has_half_space<kKinds>(a.kind, b.kind)) return view;
  const RelativePose<double> X_AB = relative_pose(X_WA, X_WB);
  const double scale = larger(norm(X_AB.translation), static_cast<double>(larger(a.reach + a.radius, b.reach + b.radius)));
  if (!fits_single(scale)) return view;
  view.X_AB = converted<float>(X_AB);
  view.scale = static_cast<float>(scale);
  view.to_search = true;
  return view;
}

__device__ __forceinline__ void put(PreparedRows& rows, int at, const RowView& view, std::uint32_t row) {
  const Vector<float> vectors[4] = {view.X_AB.row_x, view.X_AB.row_y, view.X_AB.row_z, view.X_AB.translation};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    rows.pose[3 * i][at] = vectors[i].x;
    rows.pose[3 * i + 1][at] = vectors[i].y;
    rows.pose[3 * i + 2][at] = vectors[i].z;
  }
  rows.scale[at] = view.scale;
  rows.row[at] = row;
  rows.a[at] = view.a;
  rows.b[at] = view.b;
}

__device__ __forceinline__ RelativePose<float> pose_at(const PreparedRows& rows, int at) {
  return {{rows.pose[0][at], rows.pose[1][at], rows.pose[2][at]},
          {rows.pose[3][at], rows.pose[4][at], rows.pose[5][at]},
          {rows.pose[6][at], rows.pose[7][at], rows.pose[8][at]},
          {rows.pose[9][at], rows.pose[10][at], rows.pose[11][at]}};
}

/// Claims the next 32 rows for the warp; returns the first.
__device__ __forceinline__ std::uint32_t claim_rows(Counters* counters, int lane) {
  std::uint32_t first = 0;
  if (lane == 0) first = atomicAdd(&counters->next_row, static_cast<std::uint32_t>(kLanes));
  return __shfl_sync(kAllLanes, first, 0);
}

__device__ __forceinline__ unsigned lanes_before(int lane) { return (1U << lane) - 1U; }

/// Prepares one row for each lane that has one; `put_aside` is called for rows that need no search. Returns how many wait for a lane now.
template <KindSet kKinds, class PutAside>
__device__ __forceinline__ int prepare_rows(const TableArrays& arrays, const CoreRecord<float>* single, const BatchView& batch,
                                            std::uint32_t row, bool mine, PreparedRows& prepared, int lane, PutAside put_aside) {
  RowView view;
  view.to_search = false;
  if (mine) view = view_of_row<kKinds>(arrays, single, batch, row);
  const unsigned searched = __ballot_sync(kAllLanes, view.to_search);
  if (view.to_search) put(prepared, __popc(searched & lanes_before(lane)), view, row);
  if (mine && !view.to_search) put_aside();
  __syncwarp();
  return __popc(searched);
}

/// Appends a row to the list of those to be searched again, for all lanes that ask for it.
__device__ __forceinline__ void search_again(bool wanted, std::uint32_t row, Counters* counters, std::uint32_t* again, int lane) {
  const unsigned asking = __ballot_sync(kAllLanes, wanted);
  if (asking == 0) return;
  std::uint32_t first = 0;
  if (lane == 0) first = atomicAdd(&counters->num_again, static_cast<std::uint32_t>(__popc(asking)));
  first = __shfl_sync(kAllLanes, first, 0);
  if (wanted) again[first + __popc(asking & lanes_before(lane))] = row;
}

/// Copies the table to shared memory, each record of four floats kReplicas times, side by side.
template <int kReplicas>
__device__ __forceinline__ void fill_shared(const TableArrays& arrays, FourFloats* blocks, CoreRecord<float>* single) {
  for (int i = static_cast<int>(threadIdx.x); i < arrays.num_records * kReplicas; i += static_cast<int>(blockDim.x)) blocks[i] = arrays.blocks[i / kReplicas];
  for (int i = static_cast<int>(threadIdx.x); i < arrays.num_shapes; i += static_cast<int>(blockDim.x)) single[i] = arrays.single[i];
  __syncthreads();
}

/// Bytes of shared memory that the table takes.
template <int kReplicas>
std::size_t shared_table_bytes(const TableArrays& arrays) {
  return sizeof(FourFloats) * kReplicas * static_cast<std::size_t>(arrays.num_records) +
         sizeof(CoreRecord<float>) * static_cast<std::size_t>(arrays.num_shapes);
}

/// Where the table of a kernel is: copied to shared memory, eight copies of each record, or in the memory of the device.
enum class TablePlace : std::uint8_t { shared, device };
template <TablePlace kPlace>
inline constexpr int kReplicasAt = kPlace == TablePlace::shared ? 8 : 1;

/// The table as the lanes of a block read it.
template <TablePlace kPlace>
struct PlacedTable {
  const CoreRecord<float>* single;
  VertexView<kReplicasAt<kPlace>> vertices;

  /// All threads of the block call this together.
  __device__ __forceinline__ PlacedTable(const TableArrays& arrays, void* memory, int lane)
      : single(arrays.single), vertices{arrays.blocks, arrays.vertices, 0} {
    if constexpr (kPlace == TablePlace::shared) {
      auto* const blocks = static_cast<FourFloats*>(memory);
      auto* const records = reinterpret_cast<CoreRecord<float>*>(blocks + kReplicasAt<kPlace> * arrays.num_records);
      fill_shared<kReplicasAt<kPlace>>(arrays, blocks, records);
      single = records;
      vertices = {blocks, arrays.vertices, lane % kReplicasAt<kPlace>};
    }
  }
};

template <class Kernel>
void allow_shared(Kernel kernel, std::size_t bytes) {
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), "shared memory");
}

inline int num_blocks(std::size_t rows, int threads, int most) {
  return static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(most), (rows + threads - 1) / threads));
}

}  // namespace tactum::gpu
