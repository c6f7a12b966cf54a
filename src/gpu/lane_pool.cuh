// SPDX-License-Identifier: BSD-2-Clause
// Lanes that are refilled: what every search kernel shares.
//
// The searches of a warp end after different numbers of iterations. A lane whose pair has ended
// waits until kRefill of its warp wait; they then take new pairs, so the others never wait for the
// slowest. Pairs are claimed 32 at a time, by one atomic of the warp, and prepared by all 32 lanes;
// they lie in shared memory until lanes take them. One block a processor: its shared memory holds
// the table of shapes and the queues of its warps.
#pragma once

#include <algorithm>

#include "gpu/device_memory.cuh"

namespace tactum::gpu {

inline constexpr int kLanes = 32;
inline constexpr int kThreads = 512;
inline constexpr int kWarps = kThreads / kLanes;
/// one such block of proofs a processor, so that nothing spills
inline constexpr int kProofThreads = 384;
inline constexpr int kProofWarps = kProofThreads / kLanes;
inline constexpr int kRefill = 8;
inline constexpr unsigned kAllLanes = 0xFFFFFFFFU;

__device__ __forceinline__ unsigned lanes_before(int lane) { return (1U << lane) - 1U; }

/// Pairs that wait for a lane: 32 of each number, side by side.
struct PreparedRows {
  float pose[12][kLanes];
  float scale[kLanes];
  std::uint32_t row[kLanes];
  std::int32_t a[kLanes], b[kLanes];
};

/// A row as a lane reads it: a pair to search, or a row that needs no search.
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

/// Room for seven numbers a lane. Rows of 56 bytes, one a lane, would touch each sector of memory
/// many times; so a warp reads 32 rows as they lie, and sorts them out in shared memory.
struct PoseStage {
  double numbers[7 * kLanes];
};

/// Seven numbers for each of the 32 rows from `first` on, as they lie.
struct PoseNumbers {
  double numbers[7];
};

__device__ __forceinline__ PoseNumbers load_poses(const SideView& side, std::uint32_t first,
                                                  std::uint32_t size, int lane) {
  PoseNumbers loaded;
  const int last = 7 * static_cast<int>(min(static_cast<std::uint32_t>(kLanes), size - first)) - 1;
  const double* const from = side.poses + static_cast<std::size_t>(first) * side.stride;
#pragma unroll
  for (int i = 0; i < 7; ++i)
    loaded.numbers[i] = from[side.stride == 0 ? i : min(i * kLanes + lane, last)];
  return loaded;
}

/// The pose of each lane's row; lanes behind the end of the batch have none. All lanes call it
/// together.
__device__ __forceinline__ WorldPose sorted_pose(const SideView& side, const PoseNumbers& loaded,
                                                 PoseStage& stage, int lane) {
  if (side.stride == 0) return read_pose(loaded.numbers);
#pragma unroll
  for (int i = 0; i < 7; ++i) stage.numbers[i * kLanes + lane] = loaded.numbers[i];
  __syncwarp();
  const WorldPose pose = read_pose(stage.numbers + 7 * lane);
  __syncwarp();
  return pose;
}

/// Brings the poses of the 32 rows from `first` on to the second-level cache, for later.
__device__ __forceinline__ void fetch_poses(const BatchView& batch, std::uint32_t first,
                                            std::uint32_t size, int lane) {
  if (first >= size || size - first < static_cast<std::uint32_t>(kLanes)) return;
  const SideView& side = lane < kLanes / 2 ? batch.a : batch.b;
  const auto* const from = reinterpret_cast<const char*>(
      side.poses + static_cast<std::size_t>(first) * side.stride);
  const int line = lane % (kLanes / 2);
  if (side.stride != 0 && line < 14)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from + 128 * line));
}

/// The pair of a row that a lane searches. `single` is the table of shapes in the memory that the
/// kernel uses.
template <KindSet kKinds>
__device__ __forceinline__ RowView view_of_row(const TableArrays& arrays,
                                               const CoreRecord<float>* single, int index_a,
                                               int index_b, const WorldPose& X_WA,
                                               const WorldPose& X_WB) {
  RowView view;
  view.to_search = false;
  view.a = index_a;
  view.b = index_b;
  if (!has_shapes(arrays, index_a, index_b) || !X_WA.valid || !X_WB.valid) return view;
  const CoreRecord<float>&a = single[index_a], &b = single[index_b];
  if (has_half_space<kKinds>(a.kind, b.kind)) return view;
  const RelativePose<double> X_AB = relative_pose(X_WA, X_WB);
  view.X_AB = converted<float>(X_AB);
  view.scale = larger(norm(view.X_AB.translation), larger(a.reach + a.radius, b.reach + b.radius));
  if (!fits_single(static_cast<double>(view.scale))) return view;
  view.to_search = true;
  return view;
}

__device__ __forceinline__ void put(PreparedRows& rows, int at, const RowView& view,
                                    std::uint32_t row) {
  const Vector<float> vectors[4] = {view.X_AB.row_x, view.X_AB.row_y, view.X_AB.row_z,
                                    view.X_AB.translation};
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

/// Claims 32 rows for the warp. Only lane 0 knows the answer; nobody waits for it before it is
/// used.
__device__ __forceinline__ std::uint32_t claim_rows(Counters* counters, int lane) {
  return lane == 0 ? atomicAdd(&counters->next_row, static_cast<std::uint32_t>(kLanes)) : 0;
}

/// Which of 32 rows wait for a lane now, and which need no search.
struct PreparedMasks {
  unsigned searched, aside;
};

/// Prepares the 32 rows from `first` on, of `size` in all.
template <KindSet kKinds>
__device__ __forceinline__ PreparedMasks prepare_rows(const TableArrays& arrays,
                                                      const CoreRecord<float>* single,
                                                      const BatchView& batch, std::uint32_t first,
                                                      std::uint32_t size, PreparedRows& prepared,
                                                      int lane) {
  if (first >= size) return {0, 0};
  const std::uint32_t row = first + static_cast<std::uint32_t>(lane);
  const bool mine = row < size;
  const int index_a = mine ? batch.a.shape(row) : -1, index_b = mine ? batch.b.shape(row) : -1;
  const PoseNumbers numbers_a = load_poses(batch.a, first, size, lane),
                    numbers_b = load_poses(batch.b, first, size, lane);
  static_assert(sizeof(PoseStage) <= sizeof(PreparedRows));
  PoseStage& stage = reinterpret_cast<PoseStage&>(prepared);
  const WorldPose X_WA = sorted_pose(batch.a, numbers_a, stage, lane),
                  X_WB = sorted_pose(batch.b, numbers_b, stage, lane);
  const RowView view = view_of_row<kKinds>(arrays, single, index_a, index_b, X_WA, X_WB);
  const unsigned searched = __ballot_sync(kAllLanes, view.to_search);
  if (view.to_search) put(prepared, __popc(searched & lanes_before(lane)), view, row);
  __syncwarp();
  return {searched, __ballot_sync(kAllLanes, mine && !view.to_search)};
}

/// Where the lanes of a warp get their pairs from. Rows are claimed one step ahead, so that neither
/// the atomic nor the memory is waited for.
struct RowSource {
  std::uint32_t next;  ///< first of the rows claimed ahead, known to lane 0
  std::uint32_t size;
  int num_prepared = 0;
  bool more = true;

  __device__ __forceinline__ RowSource(const BatchView& batch, Counters* counters, int lane)
      : next(claim_rows(counters, lane)), size(batch.num_rows()) {}

  /// Gives each lane that is not active a pair, while there are any: calls take(at) with its place
  /// among the prepared rows. Before that, all lanes together call leave(), which puts away what
  /// searches have left behind: eight at a time cost as much as one. `put_aside` is called by lanes
  /// whose row needs no search, in step with the others. Returns false when nothing is left to do.
  template <KindSet kKinds, class Leave, class Take, class PutAside>
  __device__ __forceinline__ bool refill(const TableArrays& arrays, const CoreRecord<float>* single,
                                         const BatchView& batch, Counters* counters,
                                         PreparedRows& prepared, int lane, bool& active,
                                         Leave leave, Take take, PutAside put_aside) {
    unsigned idle = __ballot_sync(kAllLanes, !active);
    if (__popc(idle) < kRefill) return true;
    leave();
    while (idle != 0) {
      if (num_prepared == 0) {
        if (!more) break;
        const std::uint32_t first = __shfl_sync(kAllLanes, next, 0);
        next = claim_rows(counters, lane);
        more = first < size;
        const PreparedMasks masks = prepare_rows<kKinds>(arrays, single, batch, first, size,
                                                         prepared, lane);
        fetch_poses(batch, __shfl_sync(kAllLanes, next, 0), size, lane);
        put_aside(first + static_cast<std::uint32_t>(lane), (masks.aside >> lane & 1U) != 0);
        num_prepared = __popc(masks.searched);
      }
      const int at = num_prepared - 1 - __popc(idle & lanes_before(lane));
      if (!active && at >= 0) {
        take(at);
        active = true;
      }
      num_prepared = max(0, num_prepared - __popc(idle));
      __syncwarp();
      idle = __ballot_sync(kAllLanes, !active);
    }
    return idle != kAllLanes;
  }
};

/// The entries of a list that a warp looks at, one a lane. Where the list is short, every warp of
/// the grid gets a few: lanes that read different vertices are served one after the other, so that
/// a warp with fewer entries ends sooner.
struct SpreadEntries {
  std::uint32_t count;  ///< of the lanes that have an entry
  std::uint32_t first;  ///< entry of lane 0
  std::uint32_t step;   ///< from one round to the next

  __device__ __forceinline__ explicit SpreadEntries(std::uint32_t size) {
    const std::uint32_t num_warps = gridDim.x * (blockDim.x / kLanes);
    count = min(static_cast<std::uint32_t>(kLanes), (size + num_warps - 1) / num_warps);
    first = count * (threadIdx.x / kLanes * gridDim.x + blockIdx.x);
    step = count * num_warps;
  }
};

/// Appends a row to a list of rows, for all lanes that ask for it. All lanes call it together.
__device__ __forceinline__ void append_row(bool wanted, std::uint32_t row, std::uint32_t* count,
                                           std::uint32_t* list, int lane) {
  const unsigned asking = __ballot_sync(kAllLanes, wanted);
  if (asking == 0) return;
  std::uint32_t first = 0;
  if (lane == 0) first = atomicAdd(count, static_cast<std::uint32_t>(__popc(asking)));
  first = __shfl_sync(kAllLanes, first, 0);
  if (wanted) list[first + __popc(asking & lanes_before(lane))] = row;
}

/// Copies the table to shared memory, each record of four floats kReplicas times, side by side.
template <int kReplicas>
__device__ __forceinline__ void fill_shared(const TableArrays& arrays, FourFloats* blocks,
                                            CoreRecord<float>* single) {
  for (int i = static_cast<int>(threadIdx.x); i < arrays.num_records * kReplicas;
       i += static_cast<int>(blockDim.x))
    blocks[i] = arrays.blocks[i / kReplicas];
  for (int i = static_cast<int>(threadIdx.x); i < arrays.num_shapes;
       i += static_cast<int>(blockDim.x))
    single[i] = arrays.single[i];
  __syncthreads();
}

/// Bytes of shared memory that the table takes.
template <int kReplicas>
std::size_t shared_table_bytes(const TableArrays& arrays) {
  return sizeof(FourFloats) * kReplicas * static_cast<std::size_t>(arrays.num_records) +
         sizeof(CoreRecord<float>) * static_cast<std::size_t>(arrays.num_shapes);
}

/// Where the table of a search is: copied to shared memory, eight copies of each record, or with
/// lists of directions; or in the memory of the device.
enum class TablePlace : std::uint8_t { shared, listed, device };
template <TablePlace kPlace>
inline constexpr int kReplicasAt = kPlace == TablePlace::shared ? 8 : 1;

/// The table as the lanes of a block read it.
template <TablePlace kPlace>
struct PlacedTable {
  static constexpr int kReplicas = kReplicasAt<kPlace>;
  const CoreRecord<float>* single;
  VertexView<kReplicas> vertices;

  /// All threads of the block call this together.
  __device__ __forceinline__ PlacedTable(const TableArrays& arrays, void* memory, int lane)
      : single(arrays.single), vertices{arrays.blocks, arrays.vertices, 0} {
    if constexpr (kPlace == TablePlace::shared) {
      auto* const blocks = static_cast<FourFloats*>(memory);
      auto* const records = reinterpret_cast<CoreRecord<float>*>(blocks +
                                                                 kReplicas * arrays.num_records);
      fill_shared<kReplicas>(arrays, blocks, records);
      single = records;
      vertices = {blocks, arrays.vertices, lane % kReplicas};
    }
  }
};

template <>
struct PlacedTable<TablePlace::listed> {
  static constexpr int kReplicas = 1;
  const CoreRecord<float>* single;
  ListedView<kReplicas> vertices;

  static std::size_t bytes(const TableArrays& arrays) {
    return sizeof(FourFloats) * kReplicas * num_vertices(arrays) +
           sizeof(DirectionList) * static_cast<std::size_t>(arrays.num_lists) +
           sizeof(CoreRecord<float>) * static_cast<std::size_t>(arrays.num_shapes);
  }

  /// All threads of the block call this together.
  __device__ __forceinline__ PlacedTable(const TableArrays& arrays, void* memory, int lane) {
    auto* const copies = static_cast<FourFloats*>(memory);
    const int count = static_cast<int>(num_vertices(arrays));
    auto* const lists = reinterpret_cast<DirectionList*>(copies + kReplicas * count);
    auto* const records = reinterpret_cast<CoreRecord<float>*>(lists + arrays.num_lists);
    const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(blockDim.x);
    const auto* const numbers = reinterpret_cast<const float*>(arrays.blocks);
    for (int i = thread; i < count * kReplicas; i += step) {
      const int vertex = i / kReplicas, at = 12 * (vertex / 4) + vertex % 4;
      copies[i] = {numbers[at], numbers[at + 4], numbers[at + 8], 0.0F};
    }
    for (int i = thread; i < arrays.num_lists; i += step) lists[i] = arrays.lists[i];
    for (int i = thread; i < arrays.num_shapes; i += step) records[i] = arrays.single[i];
    __syncthreads();
    single = records;
    vertices = {copies, lists, lane % kReplicas};
  }

 private:
  /// Four for each block of three records.
  static TACTUM_HOST_DEVICE std::size_t num_vertices(const TableArrays& arrays) {
    return static_cast<std::size_t>(arrays.num_records) / 3 * 4;
  }
};

/// Whether lists of directions are there and fit.
inline bool fits_listed(const TableArrays& arrays, int shared_bytes) {
  return arrays.lists != nullptr &&
         sizeof(PreparedRows) * kWarps + PlacedTable<TablePlace::listed>::bytes(arrays) <=
             static_cast<std::size_t>(shared_bytes);
}

/// The table as proofs read it: in shared memory with what double precision needs, where it fits.
/// One copy of each record leaves room for the cache.
template <TablePlace kPlace>
struct ProofTable {
  static std::size_t bytes(const TableArrays& arrays) {
    if constexpr (kPlace == TablePlace::device) return 0;
    return (sizeof(FourFloats) + 4 * sizeof(double)) *
               static_cast<std::size_t>(arrays.num_records) +
           sizeof(CoreRecord<double>) * static_cast<std::size_t>(arrays.num_shapes);
  }

  /// All threads of the block call this together.
  static __device__ __forceinline__ TableView<1> placed(const TableArrays& arrays, void* memory) {
    if constexpr (kPlace == TablePlace::device) {
      return arrays.view();
    } else {
      auto* const blocks = static_cast<FourFloats*>(memory);
      auto* const vertices = reinterpret_cast<double*>(blocks + arrays.num_records);
      auto* const exact = reinterpret_cast<CoreRecord<double>*>(vertices + 4 * arrays.num_records);
      const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(blockDim.x);
      for (int i = thread; i < arrays.num_records; i += step) blocks[i] = arrays.blocks[i];
      for (int i = thread; i < 4 * arrays.num_records; i += step) vertices[i] = arrays.vertices[i];
      for (int i = thread; i < arrays.num_shapes; i += step) exact[i] = arrays.exact[i];
      __syncthreads();
      return {arrays.single, exact, {blocks, vertices, 0}};
    }
  }
};

struct ListedProofTable {
  const CoreRecord<double>* exact;
  ListedBlocks vertices;
};

/// With lists of directions, proofs need no vertices of single precision.
template <>
struct ProofTable<TablePlace::listed> {
  static std::size_t bytes(const TableArrays& arrays) {
    return 4 * sizeof(double) * static_cast<std::size_t>(arrays.num_records) +
           sizeof(CoreRecord<double>) * static_cast<std::size_t>(arrays.num_shapes) +
           sizeof(DirectionList) * static_cast<std::size_t>(arrays.num_lists);
  }

  /// All threads of the block call this together.
  static __device__ __forceinline__ ListedProofTable placed(const TableArrays& arrays,
                                                            void* memory) {
    auto* const vertices = static_cast<double*>(memory);
    auto* const exact = reinterpret_cast<CoreRecord<double>*>(vertices + 4 * arrays.num_records);
    auto* const lists = reinterpret_cast<DirectionList*>(exact + arrays.num_shapes);
    const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(blockDim.x);
    for (int i = thread; i < 4 * arrays.num_records; i += step) vertices[i] = arrays.vertices[i];
    for (int i = thread; i < arrays.num_shapes; i += step) exact[i] = arrays.exact[i];
    for (int i = thread; i < arrays.num_lists; i += step) lists[i] = arrays.lists[i];
    __syncthreads();
    return {exact, {{nullptr, vertices, 0}, lists}};
  }
};

template <class Kernel>
void allow_shared(Kernel kernel, std::size_t bytes) {
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "shared memory");
}

inline int num_blocks(std::size_t rows, int threads, int most) {
  return static_cast<int>(
      std::min<std::size_t>(static_cast<std::size_t>(most), (rows + threads - 1) / threads));
}

}  // namespace tactum::gpu
