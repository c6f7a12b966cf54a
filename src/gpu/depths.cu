// SPDX-License-Identifier: BSD-2-Clause
#include "gpu/depths.cuh"

namespace tactum::gpu {
namespace {

inline constexpr int kDepthWarps = 4;
inline constexpr int kDepthThreads = kDepthWarps * kLanes;
/// Blocks a processor. A warp waits for one short step after the other, so that many warps count
/// for more than spills in the parts that 32 rows share. In double, what shared memory has room
/// for.
template <class Real>
inline constexpr int kDepthBlocks = sizeof(Real) == sizeof(float) ? 7 : 2;

/// The records of shapes in the precision of the search.
__device__ __forceinline__ const CoreRecord<float>* records(const TableView<1>& table, float) {
  return table.single;
}
__device__ __forceinline__ const CoreRecord<double>* records(const TableView<1>& table, double) {
  return table.exact;
}

/// Rows that a warp takes at once: each lane prepares and ends one, and all work on one polytope
/// after the other.
template <class Real>
inline constexpr std::uint32_t kRowsAtOnce = sizeof(Real) == sizeof(float) ? kLanes : 8;

template <class Tag>
struct DeepRow {
  RelativePose<double> X_AB;
  double scale;
  DeepestFace<Tag> found;
};

template <class Real, KindSet kKinds>
struct WarpRoom {
  typename DepthRoomOf<Real, kKinds>::Type depth;
  DeepRow<typename DepthRoomOf<Real, kKinds>::Tag> rows[kRowsAtOnce<Real>];
};

__device__ __forceinline__ DoublePair pair_of_row(const DistanceTask& task, std::uint32_t row) {
  return double_pair(task.table.view(), task.batch.a.shape(row), task.batch.a.pose(row),
                     task.batch.b.shape(row), task.batch.b.pose(row), task.tolerance);
}

/// Finds the nearest face of the polytope of one row, by all lanes.
template <class Real, KindSet kKinds>
__device__ __forceinline__ void search_row(const DistanceTask& task, WarpRoom<Real, kKinds>& room,
                                           int at, std::uint32_t row, int lane) {
  const TableView<1> table = task.table.view();
  const CoreRecord<Real>* const shapes = records(table, Real(0));
  LaneResult<typename TagOf<float, kKinds>::Type> result;
  get(task.ended, row, result);
  const int index_a = task.batch.a.shape(row), index_b = task.batch.b.shape(row);
  const PairView exact{table.exact[index_a], table.exact[index_b], room.rows[at].X_AB};
  const auto found = grown_polytope<Real, kKinds>(
      DeviceWarp(lane), room.depth, exact, room.rows[at].scale, task.tolerance, shapes[index_a],
      shapes[index_b], table.vertices, result);
  if (lane == 0) room.rows[at].found = found;
  __syncwarp();
}

/// Proves and writes one row, by one lane. True where single precision has to ask for a second
/// search; in double the answer of that search stays where nothing more is proved.
template <class Real, KindSet kKinds>
__device__ __forceinline__ bool end_row(const DistanceTask& task,
                                        const WarpRoom<Real, kKinds>& room, int at,
                                        std::uint32_t row, RowCounts& counts) {
  constexpr bool kAgain = sizeof(Real) == sizeof(float);
  const DoublePair pair = pair_of_row(task, row);
  const auto iterations = static_cast<int>(task.ended.searches[row].info >> 8U);
  const PairAnswer answer = certified_depth<kKinds>(pair, task.table.view().vertices,
                                                    room.rows[at].found, iterations);
  if (kAgain ? answer.status != Status::not_converged : proves_depth(answer)) {
    write_row(task.out, row, task.batch.a.pose(row), pair.X_AB, answer);
    count_row(counts, answer);
    return false;
  }
  if (kAgain) return true;
  counts.not_converged += 1;
  counts.overlapping += task.ended.searches[row].inside > 0.0F ? 1 : 0;
  return false;
}

template <class Real, KindSet kKinds>
__global__ void __launch_bounds__(kDepthThreads, kDepthBlocks<Real>)
    depth_kernel(const __grid_constant__ DistanceTask task) {
  extern __shared__ FourFloats shared[];
  const auto lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::uint32_t warp = threadIdx.x / kLanes, num_warps = gridDim.x * kDepthWarps;
  WarpRoom<Real, kKinds>& room = reinterpret_cast<WarpRoom<Real, kKinds>*>(shared)[warp];
  const bool after_lanes = sizeof(Real) == sizeof(float) && task.polytopes != nullptr;
  const std::uint32_t num_rows = sizeof(Real) == sizeof(double) ? task.counters->num_deep
                                 : after_lanes                  ? task.counters->num_left
                                                                : task.counters->num_overlaps;
  const std::uint32_t* const rows = after_lanes ? task.left : task.overlaps;
  // few rows are spread over all warps
  const std::uint32_t chunk = min(kRowsAtOnce<Real>, (num_rows + num_warps - 1) / num_warps);
  RowCounts counts;
  for (std::uint32_t first = (blockIdx.x * kDepthWarps + warp) * chunk; first < num_rows;
       first += num_warps * chunk) {
    const auto count = static_cast<int>(min(chunk, num_rows - first));
    const std::uint32_t my_row = rows[first + min(lane, count - 1)];
    if (lane < count) {
      const DoublePair pair = pair_of_row(task, my_row);
      room.rows[lane].X_AB = pair.X_AB;
      room.rows[lane].scale = pair.scale;
    }
    __syncwarp();
    for (int at = 0; at < count; ++at)
      search_row(task, room, at, __shfl_sync(kAllLanes, my_row, at), lane);
    bool again = false;
    if (lane < count) again = end_row(task, room, lane, my_row, counts);
    __syncwarp();
    append_row(again, my_row, &task.counters->num_again, task.again, lane);
  }
  add_counts(task.counters, counts, lane);
}

template <class Real, KindSet kKinds>
void launch(const DistanceTask& task, int num_processors, Stream stream) {
  constexpr std::size_t bytes = kDepthWarps * sizeof(WarpRoom<Real, kKinds>);
  allow_shared(depth_kernel<Real, kKinds>, bytes);
  depth_kernel<Real, kKinds>
      <<<kDepthBlocks<Real> * num_processors, kDepthThreads, bytes, stream>>>(task);
  check_cuda(cudaGetLastError(), "the depths");
}

template <class Real>
void launch_for_kinds(const DistanceTask& task, const ShapeTable::Memory& memory, Stream stream) {
  if (memory.kinds == set_of(CoreKind::polytope)) {
    launch<Real, set_of(CoreKind::polytope)>(task, memory.num_processors, stream);
  } else if (memory.kinds == set_of(CoreKind::box)) {
    launch<Real, set_of(CoreKind::box)>(task, memory.num_processors, stream);
  } else {
    launch<Real, kAllKinds>(task, memory.num_processors, stream);
  }
}

}  // namespace

void launch_depths(const DistanceTask& task, const ShapeTable::Memory& memory, Stream stream) {
  if (task.polytopes != nullptr) launch_lane_depths(task, memory, stream);
  launch_for_kinds<float>(task, memory, stream);
}

void launch_deep_rows(const DistanceTask& task, const ShapeTable::Memory& memory, Stream stream) {
  launch_for_kinds<double>(task, memory, stream);
}

}  // namespace tactum::gpu
