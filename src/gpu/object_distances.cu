// SPDX-License-Identifier: BSD-2-Clause
// Distances of pairs of objects: kernels that choose pairs of parts, the kernels of convex shapes
// for these, and kernels that find the smallest of each row.
//
//   first_parts_kernel   the most promising pair of parts of each row
//   launch_distances     its distance, whose upper bound is one of the row
//   near_parts_kernel    all pairs of parts whose bounds reach below it
//   launch_distances     their distances
//   smallest_kernel, winner_kernel, answer_kernel   the row
#include "gpu/objects.cuh"

namespace tactum::gpu {
namespace {

struct Task {
  TableArrays table;
  ObjectArrays objects;
  BatchView batch;
  DistanceColumns out;
  Counters* counters;  ///< of the call; of the pairs of parts
  ObjectRow* rows;
  PartPair* pairs;
  std::int32_t *index_a, *index_b;
  double *poses_a, *poses_b;
  DistanceColumns found;  ///< the answers of the pairs of parts
  std::uint32_t* num_parts;
  std::uint32_t most_parts;
  double tolerance;
};

/// Numbers in the order of doubles that are not NaN.
__device__ __forceinline__ unsigned long long ordered(double value) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
  return (bits >> 63U) != 0 ? ~bits : bits | 0x8000000000000000ULL;
}
__device__ __forceinline__ double number_of(unsigned long long key) {
  const unsigned long long bits = (key >> 63U) != 0 ? key & 0x7FFFFFFFFFFFFFFFULL : ~key;
  return __longlong_as_double(static_cast<long long>(bits));
}

/// Rows of objects whose pairs of parts a warp looks at.
inline constexpr int kPartThreads = 128;
inline constexpr int kPartWarps = kPartThreads / kLanes;

struct RowPose {
  int index_a, index_b;
  WorldPose X_WA, X_WB;
  bool good;
};

__device__ __forceinline__ RowPose row_pose(const Task& task, std::uint32_t row) {
  RowPose found{task.batch.a.shape(row), task.batch.b.shape(row), task.batch.a.pose(row),
                task.batch.b.pose(row), false};
  found.good = is_object_row(task.table, task.objects, found.index_a, found.index_b, found.X_WA,
                             found.X_WB);
  return found;
}

__device__ __forceinline__ void put_pose(double* poses, std::uint32_t at, const WorldPose& X) {
  double* const to = poses + 7 * static_cast<std::size_t>(at);
  to[0] = X.translation.x, to[1] = X.translation.y, to[2] = X.translation.z;
  to[3] = X.rotation.x, to[4] = X.rotation.y, to[5] = X.rotation.z, to[6] = X.rotation.w;
}

/// Writes one row of the batch of parts.
__device__ __forceinline__ void put_parts(const Task& task, std::uint32_t at, const PartPair& pair,
                                          const RowPose& row) {
  const int part_a = task.objects.objects[row.index_a].first_part + pair.a,
            part_b = task.objects.objects[row.index_b].first_part + pair.b;
  const ObjectPoses poses = poses_of_parts(task.objects, poses_near_a(row.X_WA, row.X_WB), part_a,
                                           part_b);
  task.pairs[at] = pair;
  task.index_a[at] = part_a;
  task.index_b[at] = part_b;
  put_pose(task.poses_a, at, poses.a);
  put_pose(task.poses_b, at, poses.b);
}

__device__ __forceinline__ void put_refused_parts(const Task& task, std::uint32_t at) {
  const WorldPose here{{0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, true};
  task.pairs[at] = {at, 0, 0};
  task.index_a[at] = -1;
  task.index_b[at] = -1;
  put_pose(task.poses_a, at, here);
  put_pose(task.poses_b, at, here);
}

__device__ __forceinline__ PartPair named_pair(const Task& task, const NearObjects& near,
                                               NearPair pair, std::uint32_t row,
                                               const RowPose& pose) {
  const int first_a = task.objects.objects[pose.index_a].first_part,
            first_b = task.objects.objects[pose.index_b].first_part;
  return {row, static_cast<std::uint16_t>(near.a.parts[pair.a].own.part - first_a),
          static_cast<std::uint16_t>(near.b.parts[pair.b].own.part - first_b)};
}

/// One pair of parts for each row, at the place of the row. Rows that are refused get an index that
/// no table has.
__global__ void __launch_bounds__(kPartThreads)
    first_parts_kernel(const __grid_constant__ Task task) {
  extern __shared__ FourFloats shared[];
  const auto lane = static_cast<int>(threadIdx.x) % kLanes;
  NearObjects& near = reinterpret_cast<NearObjects*>(shared)[threadIdx.x / kLanes];
  const DeviceWarp warp(lane);
  for (std::uint32_t row = (blockIdx.x * blockDim.x + threadIdx.x) / kLanes; row < task.batch.size;
       row += gridDim.x * kPartWarps) {
    const RowPose pose = row_pose(task, row);
    if (!pose.good) {
      if (lane == 0) put_refused_parts(task, row);
      continue;
    }
    const ObjectRecord &a = task.objects.objects[pose.index_a],
                       &b = task.objects.objects[pose.index_b];
    const ObjectFrames frames = object_frames(relative_pose(pose.X_WA, pose.X_WB), a, b);
    const NearCounts counts = gather_objects(warp, near, task.objects.bounds, a, b, frames,
                                             std::numeric_limits<float>::infinity());
    const NearPair best = near_pair(most_promising_pair(warp, near, counts), counts);
    if (lane == 0) put_parts(task, row, named_pair(task, near, best, row, pose), pose);
    __syncwarp();
  }
}

/// Pairs of parts of a warp that are not yet in the batch: they are written 32 at a time.
struct PartList {
  PartPair pairs[2 * kLanes];
};

struct NearRoom {
  NearObjects near;
  PartList list;
};

/// Moves the first `count` pairs of the list to the batch of parts. A row that finds no room is
/// only bounded; warps take room as they come, so which rows these are may differ between two runs.
__device__ __forceinline__ void write_parts(const Task& task, const PartList& list, int count,
                                            int lane) {
  std::uint32_t first = 0;
  if (lane == 0) first = atomicAdd(task.num_parts, static_cast<std::uint32_t>(count));
  first = __shfl_sync(kAllLanes, first, 0);
  if (lane < count) {
    const PartPair pair = list.pairs[lane];
    const std::uint32_t at = first + static_cast<std::uint32_t>(lane);
    const RowPose pose = row_pose(task, pair.row);
    if (at < task.most_parts) {
      put_parts(task, at, pair, pose);
    } else {
      const double deepest = -2.0 * (task.objects.objects[pose.index_a].reach +
                                     task.objects.objects[pose.index_b].reach);
      atomicMin(&task.rows[pair.row].lower, ordered(deepest));
    }
  }
  __syncwarp();
}

/// All pairs of parts that may be nearer than the first pair of their row.
__global__ void __launch_bounds__(kPartThreads)
    near_parts_kernel(const __grid_constant__ Task task) {
  extern __shared__ FourFloats shared[];
  const auto lane = static_cast<int>(threadIdx.x) % kLanes;
  NearRoom& room = reinterpret_cast<NearRoom*>(shared)[threadIdx.x / kLanes];
  const DeviceWarp warp(lane);
  int num_listed = 0;
  for (std::uint32_t row = (blockIdx.x * blockDim.x + threadIdx.x) / kLanes; row < task.batch.size;
       row += gridDim.x * kPartWarps) {
    const RowPose pose = row_pose(task, row);
    if (!pose.good) continue;
    const ObjectRecord &a = task.objects.objects[pose.index_a],
                       &b = task.objects.objects[pose.index_b];
    const ObjectFrames frames = object_frames(relative_pose(pose.X_WA, pose.X_WB), a, b);
    const float limit = limit_of(number_of(task.rows[row].upper), frames);
    const NearCounts counts = gather_objects(warp, room.near, task.objects.bounds, a, b, frames,
                                             limit);
    for (int at = 0; at < counts.a * counts.b; at += kLanes) {
      const unsigned kept = near_pairs(warp, room.near, counts, at, limit);
      if ((kept >> lane & 1U) != 0) {
        room.list.pairs[num_listed + __popc(kept & lanes_before(lane))] = named_pair(
            task, room.near, near_pair(at + lane, counts), row, pose);
      }
      num_listed += __popc(kept);
      __syncwarp();
      if (num_listed < kLanes) continue;
      write_parts(task, room.list, kLanes, lane);
      num_listed -= kLanes;
      const PartPair left = room.list.pairs[kLanes + lane];
      __syncwarp();
      room.list.pairs[lane] = left;
      __syncwarp();
    }
  }
  if (num_listed > 0) write_parts(task, room.list, num_listed, lane);
}

/// Starts the answer of each row with that of its first pair of parts.
__global__ void __launch_bounds__(256) first_answers_kernel(const __grid_constant__ Task task) {
  for (std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < task.batch.size;
       row += gridDim.x * blockDim.x) {
    const unsigned long long most = ordered(kInfinity);
    task.rows[row] = {most, ordered(task.found.upper[row]), ~0ULL};
  }
}

__device__ __forceinline__ std::uint32_t num_found(const Task& task) {
  return min(*task.num_parts, task.most_parts);
}

__global__ void __launch_bounds__(256) smallest_kernel(const __grid_constant__ Task task) {
  const std::uint32_t count = num_found(task);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    ObjectRow& row = task.rows[task.pairs[i].row];
    atomicMin(&row.lower, ordered(task.found.lower[i]));
    atomicMin(&row.upper, ordered(task.found.upper[i]));
  }
}

/// Among pairs of parts with equal upper bounds, the first wins, whatever the order of the batch.
__global__ void __launch_bounds__(256) winner_kernel(const __grid_constant__ Task task) {
  const std::uint32_t count = num_found(task);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    const PartPair pair = task.pairs[i];
    if (task.rows[pair.row].upper != ordered(task.found.upper[i])) continue;
    const unsigned long long name = static_cast<unsigned long long>(pair.a) << 16U | pair.b;
    atomicMin(&task.rows[pair.row].winner, name << 32U | i);
  }
}

__device__ __forceinline__ Vector<double> vector_at(const double* column, std::uint32_t at) {
  const double* const from = column + 3 * static_cast<std::size_t>(at);
  return {from[0], from[1], from[2]};
}

/// The answer of a row in the frame of A, from its nearest pair of parts.
__device__ __forceinline__ PairAnswer answer_of_row(const Task& task, const ObjectRow& row,
                                                    const RowPose& pose, double scale) {
  PairAnswer answer = refused_answer();
  answer.lower = number_of(row.lower);
  answer.upper = number_of(row.upper);
  answer.distance = answer.lower;
  answer.status = Status::not_converged;
  const Quaternion to_a = conjugate(pose.X_WA.rotation);
  if (row.winner != ~0ULL) {
    const auto at = static_cast<std::uint32_t>(row.winner);
    answer.distance = task.found.distance[at];
    answer.status = task.found.status[at];
    answer.normal = rotated(to_a, vector_at(task.found.normal, at));
    answer.point_a = rotated(to_a, vector_at(task.found.point_a, at));
    answer.point_b = rotated(to_a, vector_at(task.found.point_b, at));
    answer.iterations = task.found.iterations[at];
  }
  answer.overlapping = answer.upper < 0.0;
  answer.status = object_status(answer, scale, task.tolerance);
  return answer;
}

__device__ __forceinline__ void write_refused_row(const DistanceColumns& out, std::uint32_t row) {
  const WorldPose here{{0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, true};
  DistanceColumns without = out;
  without.distance_jacobian = nullptr;
  write_row(without, row, here, {}, refused_answer());
  const Vector<double> zero{0.0, 0.0, 0.0};
  put_jacobians(out.distance_jacobian, row, out.distance_jacobian != nullptr,
                {zero, zero, zero, zero});
}

__global__ void __launch_bounds__(256) answer_kernel(const __grid_constant__ Task task) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  RowCounts counts;
  for (std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < task.batch.size;
       row += gridDim.x * blockDim.x) {
    const RowPose pose = row_pose(task, row);
    if (!pose.good) {
      write_refused_row(task.out, row);
      continue;
    }
    const RelativePose<double> X_AB = relative_pose(pose.X_WA, pose.X_WB);
    const double scale = object_scale(task.objects.objects[pose.index_a],
                                      task.objects.objects[pose.index_b], X_AB.translation);
    const PairAnswer answer = answer_of_row(task, task.rows[row], pose, scale);
    write_row(task.out, row, pose.X_WA, X_AB, answer);
    count_row(counts, answer);
  }
  __syncwarp();
  add_counts(task.counters, counts, lane);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    task.counters[0].searched_again += task.counters[1].searched_again;
    task.counters[1].searched_again = 0;
  }
}

void grow_parts(PartBatch& parts, std::size_t rows) {
  parts.pairs.grow(rows);
  for (DeviceArray<std::int32_t>* column : {&parts.index_a, &parts.index_b, &parts.iterations})
    column->grow(rows);
  for (DeviceArray<double>* column : {&parts.distance, &parts.lower, &parts.upper})
    column->grow(rows);
  for (DeviceArray<double>* column : {&parts.normal, &parts.point_a, &parts.point_b})
    column->grow(3 * rows);
  for (DeviceArray<double>* column : {&parts.poses_a, &parts.poses_b}) column->grow(7 * rows);
  parts.status.grow(rows);
}

/// The batch of parts, of as many rows as are counted.
BatchView part_rows(const PartBatch& parts, std::size_t most, const std::uint32_t* counted) {
  return {{parts.index_a.data(), parts.poses_a.data(), 7},
          {parts.index_b.data(), parts.poses_b.data(), 7},
          static_cast<std::uint32_t>(most),
          counted};
}

}  // namespace

void launch_object_distances(const ShapeTable::Memory& memory, const BatchView& rows,
                             const DistancesOptions& options, Workspace::Memory& scratch,
                             const DistanceColumns& out, Stream stream) {
  // few rows may have as many pairs of parts as there are at all
  const std::size_t most_parts = std::min<std::size_t>(
      kPartRows, std::size_t{rows.size} * kMostParts * kMostParts);
  PartBatch& parts = scratch.parts;
  grow_parts(parts, most_parts);
  grow_for_distances(scratch, memory, most_parts);
  scratch.object_rows.grow(rows.size);
  scratch.num_parts.grow(1);
  const DistanceColumns found{
      parts.status.data(),    parts.distance.data(), parts.normal.data(), parts.point_a.data(),
      parts.point_b.data(),   parts.lower.data(),    parts.upper.data(),  nullptr,
      parts.iterations.data()};
  Counters* const counters = scratch.counters.data();
  const Task task{arrays_of(memory),
                  objects_of(memory),
                  rows,
                  out,
                  counters,
                  scratch.object_rows.data(),
                  parts.pairs.data(),
                  parts.index_a.data(),
                  parts.index_b.data(),
                  parts.poses_a.data(),
                  parts.poses_b.data(),
                  found,
                  scratch.num_parts.data(),
                  static_cast<std::uint32_t>(most_parts),
                  options.tolerance};
  check_cuda(cudaMemsetAsync(counters + 1, 0, sizeof(Counters), stream), "the counters");
  check_cuda(cudaMemsetAsync(scratch.num_parts.data(), 0, sizeof(std::uint32_t), stream),
             "the counters");
  const int wide = 8 * memory.num_processors;
  constexpr std::size_t first_bytes = kPartWarps * sizeof(NearObjects),
                        near_bytes = kPartWarps * sizeof(NearRoom);
  allow_shared(first_parts_kernel, first_bytes);
  allow_shared(near_parts_kernel, near_bytes);
  first_parts_kernel<<<wide, kPartThreads, first_bytes, stream>>>(task);
  check_cuda(cudaGetLastError(), "the first parts");
  launch_distances(memory, part_rows(parts, rows.size, nullptr), options, scratch, counters + 1,
                   found, stream);
  first_answers_kernel<<<wide, 256, 0, stream>>>(task);
  near_parts_kernel<<<wide, kPartThreads, near_bytes, stream>>>(task);
  check_cuda(cudaGetLastError(), "the near parts");
  launch_distances(memory, part_rows(parts, most_parts, scratch.num_parts.data()), options, scratch,
                   counters + 1, found, stream);
  smallest_kernel<<<wide, 256, 0, stream>>>(task);
  winner_kernel<<<wide, 256, 0, stream>>>(task);
  answer_kernel<<<wide, 256, 0, stream>>>(task);
  check_cuda(cudaGetLastError(), "the answers of objects");
}

}  // namespace tactum::gpu
