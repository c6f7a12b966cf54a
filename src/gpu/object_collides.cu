// SPDX-License-Identifier: BSD-2-Clause
// Collisions of pairs of objects: a warp excludes pairs of parts by their bounds and searches the
// others, lanes refilled as they finish; what single precision leaves open is decided in double.
//
// A row belongs to one warp. It is written as separated when the warp takes it, and as penetrating
// as soon as one pair of parts is proved to overlap, which ends all other searches of the row.
#include <algorithm>

#include "gpu/objects.cuh"

namespace tactum::gpu {
namespace {

struct Task {
  TableArrays table;
  ObjectArrays objects;
  BatchView batch;
  Status* status;
  Counters* counters;
  PartPair* again;
  std::uint32_t most_again;
  std::uint32_t* weights;  ///< one for each row, what double precision found
};

/// The 32 rows that a warp has claimed, prepared one a lane.
struct ClaimedRows {
  float numbers[13][kLanes];  ///< rows of the rotation, translation, slack
  std::int32_t a[kLanes], b[kLanes];
};

struct WarpRoom {
  NearObjects near;
  ClaimedRows rows;
  std::uint16_t listed[kLanes];  ///< pairs of near parts that wait for a lane, eight bits each
};

/// Where the lanes of a warp get pairs of parts from.
class PartSource {
 public:
  std::uint32_t row = 0;  ///< that the listed pairs belong to
  ObjectFrames frames;

  __device__ __forceinline__ PartSource(const Task& task, WarpRoom& room, int lane)
      : task_(task), room_(room), lane_(lane) {}

  /// Gives each lane that is not active a pair of parts, while there are any: calls take(a, b) with
  /// records of the table. Returns false when nothing is left to do.
  template <class Take>
  __device__ __forceinline__ bool refill(bool& active, Take take) {
    unsigned idle = __ballot_sync(kAllLanes, !active);
    if (__popc(idle) < kRefill) return true;
    while (idle != 0) {
      if (num_listed_ == 0 && !list_more()) break;
      const int at = num_listed_ - 1 - __popc(idle & lanes_before(lane_));
      if (!active && at >= 0) {
        take(room_.near.a.parts[room_.listed[at] & 0xFF].own.part,
             room_.near.b.parts[room_.listed[at] >> 8].own.part);
        active = true;
      }
      num_listed_ = max(0, num_listed_ - __popc(idle));
      __syncwarp();
      idle = __ballot_sync(kAllLanes, !active);
    }
    return idle != kAllLanes;
  }

  /// Leaves out what is not yet searched of a row.
  __device__ __forceinline__ void leave(std::uint32_t decided) {
    if (decided != row) return;
    num_listed_ = 0;
    at_ = counts_.a * counts_.b;
  }

 private:
  /// Lists pairs of parts that are near each other; false when no row is left. May list none.
  __device__ __forceinline__ bool list_more() {
    if (at_ >= counts_.a * counts_.b && !next_row()) return false;
    const unsigned kept = near_pairs(DeviceWarp(lane_), room_.near, counts_, at_, frames.slack);
    if ((kept >> lane_ & 1U) != 0) {
      const NearPair pair = near_pair(at_ + lane_, counts_);
      room_.listed[__popc(kept & lanes_before(lane_))] = static_cast<std::uint16_t>(pair.a |
                                                                                    pair.b << 8);
    }
    num_listed_ = __popc(kept);
    at_ += kLanes;
    __syncwarp();
    return true;
  }

  /// Takes the next row whose objects are near each other.
  __device__ __forceinline__ bool next_row() {
    if (waiting_ == 0 && !claim()) return false;
    if (waiting_ == 0) {
      counts_ = {0, 0};
      at_ = 0;
      return true;
    }
    const int at = detail::lowest_bit(waiting_);
    waiting_ &= waiting_ - 1;
    const ClaimedRows& rows = room_.rows;
    const auto number = [&](int i) { return rows.numbers[i][at]; };
    frames = {{{number(0), number(1), number(2)},
               {number(3), number(4), number(5)},
               {number(6), number(7), number(8)},
               {number(9), number(10), number(11)}},
              number(12)};
    row = claimed_ + static_cast<std::uint32_t>(at);
    counts_ = gather_objects(DeviceWarp(lane_), room_.near, task_.objects.bounds,
                             task_.objects.objects[rows.a[at]], task_.objects.objects[rows.b[at]],
                             frames, frames.slack);
    at_ = 0;
    return true;
  }

  /// Claims 32 rows, writes those that are refused or far apart, and marks the others.
  __device__ __forceinline__ bool claim() {
    claimed_ = __shfl_sync(kAllLanes, claim_rows(task_.counters, lane_), 0);
    const std::uint32_t size = task_.batch.size,
                        mine = claimed_ + static_cast<std::uint32_t>(lane_);
    if (claimed_ >= size) return false;
    bool is_near = false;
    if (mine < size) {
      const int index_a = task_.batch.a.shape(mine), index_b = task_.batch.b.shape(mine);
      const WorldPose X_WA = task_.batch.a.pose(mine), X_WB = task_.batch.b.pose(mine);
      Status status = Status::invalid_input;
      if (is_object_row(task_.table, task_.objects, index_a, index_b, X_WA, X_WB)) {
        const ObjectRecord &a = task_.objects.objects[index_a], &b = task_.objects.objects[index_b];
        const ObjectFrames mine_frames = object_frames(relative_pose(X_WA, X_WB), a, b);
        is_near = lower_bound(placed_part_of_a(mine_frames, a.whole),
                              placed_part_of_b(mine_frames, b.whole)) <= mine_frames.slack;
        put(mine_frames, index_a, index_b);
        status = Status::separated;
      }
      task_.status[mine] = status;
    }
    waiting_ = __ballot_sync(kAllLanes, is_near);
    __syncwarp();
    return true;
  }

  __device__ __forceinline__ void put(const ObjectFrames& mine, int index_a, int index_b) {
    ClaimedRows& rows = room_.rows;
    const Vector<float> vectors[4] = {mine.X_AB.row_x, mine.X_AB.row_y, mine.X_AB.row_z,
                                      mine.X_AB.translation};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      rows.numbers[3 * i][lane_] = vectors[i].x;
      rows.numbers[3 * i + 1][lane_] = vectors[i].y;
      rows.numbers[3 * i + 2][lane_] = vectors[i].z;
    }
    rows.numbers[12][lane_] = mine.slack;
    rows.a[lane_] = index_a;
    rows.b[lane_] = index_b;
  }

  const Task& task_;
  WarpRoom& room_;
  int lane_;
  std::uint32_t claimed_ = 0;
  unsigned waiting_ = 0;  ///< claimed rows that are not yet taken
  NearCounts counts_{0, 0};
  int at_ = 0;  ///< first pair of near parts whose bounds are not yet compared
  int num_listed_ = 0;
};

/// Puts a pair of parts aside for double precision, for all lanes that ask for it. All lanes call
/// it together. Where there is no room, the row says that it is not decided.
__device__ __forceinline__ void put_aside(const Task& task, bool wanted, std::uint32_t row, int a,
                                          int b, int lane) {
  const unsigned asking = __ballot_sync(kAllLanes, wanted);
  if (asking == 0) return;
  std::uint32_t first = 0;
  if (lane == 0)
    first = atomicAdd(&task.counters->num_again, static_cast<std::uint32_t>(__popc(asking)));
  first = __shfl_sync(kAllLanes, first, 0);
  const std::uint32_t at = first + __popc(asking & lanes_before(lane));
  if (!wanted) return;
  if (at < task.most_again) {
    const ObjectRecord &object_a = task.objects.objects[task.batch.a.shape(row)],
                       &object_b = task.objects.objects[task.batch.b.shape(row)];
    task.again[at] = {row, static_cast<std::uint16_t>(a - object_a.first_part),
                      static_cast<std::uint16_t>(b - object_b.first_part)};
  } else {
    atomicMax(&task.weights[row], weight_of(Status::not_converged));
    if (task.status[row] != Status::penetrating) task.status[row] = Status::not_converged;
  }
}

/// The pose of part B in the frame of part A where parts have poses of their own, in double.
__device__ __noinline__ RelativePose<float> posed_parts(const Task& task, std::uint32_t row, int a,
                                                        int b) {
  const ObjectPoses poses = poses_of_parts(
      task.objects, poses_near_a(task.batch.a.pose(row), task.batch.b.pose(row)), a, b);
  return converted<float>(relative_pose(poses.a, poses.b));
}

inline constexpr int kObjectThreads = 512;
inline constexpr int kObjectWarps = kObjectThreads / kLanes;

template <KindSet kKinds>
__global__ void __launch_bounds__(kObjectThreads, 1)
    object_kernel(const __grid_constant__ Task task) {
  extern __shared__ FourFloats shared[];
  const int lane = static_cast<int>(threadIdx.x) % kLanes,
            warp = static_cast<int>(threadIdx.x) / kLanes;
  PartSource source(task, reinterpret_cast<WarpRoom*>(shared)[warp], lane);
  const TableView<1> table = task.table.view();
  GjkLane<float, PieceTag> search;
  CollisionMargins<float> margins;
  std::uint32_t row = 0;
  int index_a = 0, index_b = 0;
  bool active = false, aside = false;
  const auto take = [&](int a, int b) {
    index_a = a;
    index_b = b;
    row = source.row;
    search.X_AB = source.frames.X_AB;
    // parts with poses of their own have kinds that only this kernel knows
    if constexpr (kKinds == kAllKinds) search.X_AB = posed_parts(task, row, a, b);
    const CoreRecord<float>&part_a = table.single[a], &part_b = table.single[b];
    const float scale = larger(norm(search.X_AB.translation),
                               larger(part_a.reach + part_a.radius, part_b.reach + part_b.radius));
    aside = has_half_space<kKinds>(part_a.kind, part_b.kind) ||
            !fits_single(static_cast<double>(scale));
    begin(search, part_a, part_b, scale, 0.0F);
    margins = collision_margins(part_a, part_b, search.X_AB);
  };
  while (source.refill(active, take)) {
    CollisionState state = CollisionState::searching;
    if (active) {
      state = aside ? CollisionState::unsure
                    : advance_collision<kKinds>(search, margins, table.single[index_a],
                                                table.single[index_b], table.vertices,
                                                kSingleIterations);
      if (state == CollisionState::overlapping) task.status[row] = Status::penetrating;
      active = state == CollisionState::searching;
    }
    put_aside(task, state == CollisionState::unsure, row, index_a, index_b, lane);
    unsigned hits = __ballot_sync(kAllLanes, state == CollisionState::overlapping);
    for (; hits != 0; hits &= hits - 1) {
      const std::uint32_t decided = __shfl_sync(kAllLanes, row, detail::lowest_bit(hits));
      active = active && row != decided;
      source.leave(decided);
    }
  }
}

/// Pairs of parts that single precision left open, one a thread.
__global__ void __launch_bounds__(128) object_again_kernel(const __grid_constant__ Task task) {
  const std::uint32_t num_again = min(task.counters->num_again, task.most_again);
  const TableView<1> table = task.table.view();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < num_again;
       i += gridDim.x * blockDim.x) {
    const PartPair entry = task.again[i];
    if (task.status[entry.row] == Status::penetrating) continue;
    const int a = task.objects.objects[task.batch.a.shape(entry.row)].first_part + entry.a,
              b = task.objects.objects[task.batch.b.shape(entry.row)].first_part + entry.b;
    const ObjectPoses poses = poses_of_parts(
        task.objects, poses_near_a(task.batch.a.pose(entry.row), task.batch.b.pose(entry.row)), a,
        b);
    const DoublePair pair = double_pair(table, a, poses.a, b, poses.b, kCollisionTolerance);
    const Status status = has_half_space<kAllKinds>(pair.a.kind, pair.b.kind)
                              ? half_space_answer<kAllKinds>(pair, table.vertices).status
                              : collision_again<kAllKinds>(pair, table.vertices);
    atomicMax(&task.weights[entry.row], weight_of(status));
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) task.counters->searched_again += num_again;
}

/// Writes the rows that double precision has decided.
__global__ void __launch_bounds__(128) object_weights_kernel(const __grid_constant__ Task task) {
  const std::uint32_t num_again = min(task.counters->num_again, task.most_again);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < num_again;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t row = task.again[i].row, weight = task.weights[row];
    if (weight > weight_of(Status::separated)) task.status[row] = status_of_weight(weight);
  }
}

/// Counts the rows that are not decided.
__global__ void __launch_bounds__(256) count_undecided_kernel(const __grid_constant__ Task task) {
  unsigned count = 0;
  for (std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < task.batch.size;
       row += gridDim.x * blockDim.x)
    count += task.status[row] == Status::not_converged ? 1 : 0;
  count = __reduce_add_sync(kAllLanes, count);
  if (threadIdx.x % kLanes == 0 && count != 0)
    atomicAdd(&task.counters->not_converged, static_cast<unsigned long long>(count));
}

template <KindSet kKinds>
void launch(const Task& task, int num_processors, Stream stream) {
  constexpr std::size_t bytes = sizeof(WarpRoom) * kObjectWarps;
  allow_shared(object_kernel<kKinds>, bytes);
  object_kernel<kKinds><<<num_blocks(task.batch.size, kObjectWarps, num_processors), kObjectThreads,
                          bytes, stream>>>(task);
  check_cuda(cudaGetLastError(), "the search");
  object_again_kernel<<<2 * num_processors, 128, 0, stream>>>(task);
  object_weights_kernel<<<2 * num_processors, 128, 0, stream>>>(task);
  count_undecided_kernel<<<2 * num_processors, 256, 0, stream>>>(task);
  check_cuda(cudaGetLastError(), "the second search");
}

/// Rows of one launch.
constexpr std::size_t kMostRows = std::size_t{1} << 20U;

}  // namespace

void collide_objects(const ShapeTable::Memory& memory, const PairBatch& pairs,
                     Workspace::Memory& scratch, Status* status, Stream stream) {
  // against a half-space every part is decided in double
  const std::size_t most_rows = std::min(pairs.size, kMostRows),
                    a_row = (memory.kinds & set_of(CoreKind::half_space)) != 0 ? kMostParts : 8;
  scratch.again_parts.grow(a_row * most_rows);
  scratch.row_weights.grow(most_rows);
  Counters* const counters = scratch.counters.data();
  check_cuda(cudaMemsetAsync(counters, 0, sizeof(Counters), stream), "the counters");
  for (std::size_t first = 0; first < pairs.size; first += most_rows) {
    const std::size_t rows = std::min(most_rows, pairs.size - first);
    check_cuda(cudaMemsetAsync(counters, 0, sizeof(LaunchCounters), stream), "the counters");
    check_cuda(cudaMemsetAsync(scratch.row_weights.data(), 0, rows * sizeof(std::uint32_t), stream),
               "the rows");
    const Task task{arrays_of(memory),
                    objects_of(memory),
                    rows_of(pairs, first, rows),
                    status + first,
                    counters,
                    scratch.again_parts.data(),
                    static_cast<std::uint32_t>(scratch.again_parts.size()),
                    scratch.row_weights.data()};
    if (memory.kinds == set_of(CoreKind::polytope)) {
      launch<set_of(CoreKind::polytope)>(task, memory.num_processors, stream);
    } else {
      launch<kAllKinds>(task, memory.num_processors, stream);
    }
  }
}

}  // namespace tactum::gpu
