// SPDX-License-Identifier: BSD-2-Clause
// Distances of many pairs: one kernel that searches in single precision and proves in double, one
// that searches again in double what was not proved.
#include <algorithm>
#include <utility>

#include "gpu/lane_pool.cuh"

namespace tactum::gpu {
namespace {

/// What a search leaves for its proof: how it ended and the names of its points, eight bits for
/// each piece.
struct alignas(16) EndedSearch {
  std::uint32_t info, tags_01, tags_23, unused;
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
          (result.tag_2.pieces & 0xFFFFU) | (result.tag_3.pieces << 16U), 0};
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
struct Task {
  TableArrays table;
  BatchView batch;
  DistanceColumns out;
  EndedRows ended;
  Counters* counters;
  std::uint32_t* again;
  std::uint32_t* overlaps;
  double tolerance;
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

/// One vector of each lane, written as they lie in a column: 32 rows from `first` on. All lanes
/// call it together.
__device__ __forceinline__ void put_vectors(double* column, std::uint32_t first, std::uint32_t size,
                                            Vector<double> value, PoseStage& stage, int lane) {
  stage.numbers[3 * lane] = value.x;
  stage.numbers[3 * lane + 1] = value.y;
  stage.numbers[3 * lane + 2] = value.z;
  __syncwarp();
  const int count = 3 * static_cast<int>(min(static_cast<std::uint32_t>(kLanes), size - first));
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const int at = i * kLanes + lane;
    if (at < count) column[3 * static_cast<std::size_t>(first) + at] = stage.numbers[at];
  }
  __syncwarp();
}

/// A row after its proof.
struct ProvedRow {
  PairAnswer answer;
  RelativePose<double> X_AB;
  bool again;     ///< to be searched in double, and written then
  bool overlaps;  ///< to be looked at by the kernel of such rows, and written then
  bool refused;   ///< has no answer: zeros for points and derivatives
};

/// Writes the rows of a warp. Those that are looked at again are written once more later.
__device__ __forceinline__ void write_rows(const DistanceColumns& out, std::uint32_t first,
                                           std::uint32_t size, const WorldPose& X_WA,
                                           const ProvedRow& proved, PoseStage& stage, int lane) {
  const std::uint32_t row = first + static_cast<std::uint32_t>(lane);
  const bool mine = row < size;
  const PairAnswer& answer = proved.answer;
  const Vector<double> zero{0.0, 0.0, 0.0};
  if (mine && out.status != nullptr) out.status[row] = answer.status;
  if (mine && out.distance != nullptr) out.distance[row] = answer.distance;
  if (mine && out.lower != nullptr) out.lower[row] = answer.lower;
  if (mine && out.upper != nullptr) out.upper[row] = answer.upper;
  if (mine && out.iterations != nullptr) out.iterations[row] = answer.iterations;
  if (out.normal != nullptr)
    put_vectors(out.normal, first, size, rotated(X_WA.rotation, answer.normal), stage, lane);
  if (out.point_a != nullptr) {
    put_vectors(out.point_a, first, size,
                proved.refused ? zero : rotated(X_WA.rotation, answer.point_a) + X_WA.translation,
                stage, lane);
  }
  if (out.point_b != nullptr) {
    put_vectors(out.point_b, first, size,
                proved.refused ? zero : rotated(X_WA.rotation, answer.point_b) + X_WA.translation,
                stage, lane);
  }
  if (out.distance_jacobian != nullptr) {
    put_jacobians(out.distance_jacobian, row, mine,
                  proved.refused ? DistanceJacobian{zero, zero, zero, zero}
                                 : distance_jacobian(proved.X_AB, answer));
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

/// Proves the answer of one ended search.
template <KindSet kKinds, class Tag, int kReplicas>
__device__ __forceinline__ ProvedRow proved_row(const Task& task,
                                                const VertexView<kReplicas>& vertices, int index_a,
                                                const WorldPose& X_WA, int index_b,
                                                const WorldPose& X_WB,
                                                const LaneResult<Tag>& result) {
  ProvedRow row{refused_answer(), {}, false, false, true};
  const CoreRecord<double>* const exact = task.table.exact;
  if (!has_shapes(task.table, index_a, index_b)) return row;
  if (is_refused<kKinds>(X_WA, X_WB, exact[index_a].kind, exact[index_b].kind)) return row;
  row.refused = false;
  const TableView<kReplicas> table{nullptr, exact, vertices};
  const DoublePair pair = double_pair(table, index_a, X_WA, index_b, X_WB, task.tolerance);
  row.X_AB = pair.X_AB;
  if (has_half_space<kKinds>(pair.a.kind, pair.b.kind)) {
    row.answer = half_space_answer<kKinds>(pair, vertices);
  } else if (result.size == 0) {
    row.again = true;
  } else if (result.state == LaneState::overlapping) {
    row.overlaps = true;
  } else {
    row.answer = certified_apart<kKinds>(pair, vertices, result);
    row.again = wants_more(row.answer);
  }
  return row;
}

template <KindSet kKinds, TablePlace kPlace>
__global__ void __launch_bounds__(kThreads, 1) search_kernel(const __grid_constant__ Task task) {
  using Tag = typename TagOf<float, kKinds>::Type;
  extern __shared__ FourFloats shared[];
  const int lane = static_cast<int>(threadIdx.x) % kLanes,
            warp = static_cast<int>(threadIdx.x) / kLanes;
  PreparedRows& prepared = reinterpret_cast<PreparedRows*>(shared)[warp];
  const PlacedTable<kPlace> table(task.table, reinterpret_cast<PreparedRows*>(shared) + kWarps,
                                  lane);

  GjkLane<float, Tag> search;
  std::uint32_t row = 0;
  int index_a = 0, index_b = 0;
  bool active = false;
  RowSource source(task.counters, lane);
  const auto take = [&](int at) {
    search.X_AB = pose_at(prepared, at);
    index_a = prepared.a[at];
    index_b = prepared.b[at];
    row = prepared.row[at];
    begin(search, table.single[index_a], table.single[index_b], prepared.scale[at],
          static_cast<float>(0.5 * task.tolerance));
  };
  const auto put_aside = [&](std::uint32_t aside_row, bool aside) {
    if (aside) task.ended.searches[aside_row] = {0, 0, 0, 0};
  };
  while (source.refill<kKinds>(task.table, table.single, task.batch, task.counters, prepared, lane,
                               active, take, put_aside)) {
    if (!active) continue;
    const LaneState state = advance<kKinds>(search, table.single[index_a], table.single[index_b],
                                            table.vertices, kSingleIterations);
    if (state == LaneState::searching) continue;
    put(task.ended, row, search.result(state));
    active = false;
  }
}

/// Proves the answers of the searches, 32 rows a warp.
template <KindSet kKinds>
__global__ void __launch_bounds__(kProofThreads, kProofBlocks)
    proof_kernel(const __grid_constant__ Task task) {
  __shared__ PoseStage stages[kProofWarps];
  const int lane = static_cast<int>(threadIdx.x) % kLanes,
            warp = static_cast<int>(threadIdx.x) / kLanes;
  PoseStage& stage = stages[warp];
  const TableView<1> table = task.table.view();
  RowCounts counts;
  const std::uint32_t size = task.batch.size, step = gridDim.x * blockDim.x;
  for (std::uint32_t first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < size;
       first += step) {
    const std::uint32_t row = first + static_cast<std::uint32_t>(lane);
    const bool mine = row < size;
    LaneResult<typename TagOf<float, kKinds>::Type> result;
    get(task.ended, min(row, size - 1), result);
    const int index_a = mine ? task.batch.a.shape(row) : -1,
              index_b = mine ? task.batch.b.shape(row) : -1;
    const PoseNumbers numbers_a = load_poses(task.batch.a, first, size, lane),
                      numbers_b = load_poses(task.batch.b, first, size, lane);
    fetch_poses(task.batch, first + step, lane);
    const WorldPose X_WA = sorted_pose(task.batch.a, numbers_a, stage, lane),
                    X_WB = sorted_pose(task.batch.b, numbers_b, stage, lane);
    const ProvedRow proved = proved_row<kKinds>(task, table.vertices, index_a, X_WA, index_b, X_WB,
                                                result);
    write_rows(task.out, first, size, X_WA, proved, stage, lane);
    if (mine && !proved.again && !proved.overlaps) count_row(counts, proved.answer);
    append_row(mine && proved.again, row, &task.counters->num_again, task.again, lane);
    append_row(mine && proved.overlaps, row, &task.counters->num_overlaps, task.overlaps, lane);
  }
  add_counts(task.counters, counts, lane);
}

/// Rows whose simplex seems to hold the origin, one a thread: few of them among the others would
/// keep whole warps busy.
template <KindSet kKinds>
__global__ void __launch_bounds__(kProofThreads, kProofBlocks)
    overlap_kernel(const __grid_constant__ Task task) {
  const std::uint32_t num_overlaps = task.counters->num_overlaps, step = gridDim.x * blockDim.x;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const TableView<1> table = task.table.view();
  RowCounts counts;
  for (std::uint32_t first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < num_overlaps;
       first += step) {
    bool again = false;
    const std::uint32_t row = task.overlaps[min(first + lane, num_overlaps - 1)];
    if (first + lane < num_overlaps) {
      LaneResult<typename TagOf<float, kKinds>::Type> result;
      get(task.ended, row, result);
      const WorldPose X_WA = task.batch.a.pose(row), X_WB = task.batch.b.pose(row);
      const DoublePair pair = double_pair(table, task.batch.a.shape(row), X_WA,
                                          task.batch.b.shape(row), X_WB, task.tolerance);
      const PairAnswer answer = certified_overlap<kKinds>(pair, table.vertices, result);
      again = wants_more(answer);
      if (!again) {
        write_row(task.out, row, X_WA, pair.X_AB, answer);
        count_row(counts, answer);
      }
    }
    append_row(again, row, &task.counters->num_again, task.again, lane);
  }
  add_counts(task.counters, counts, lane);
}

/// Rows that single precision left open, one a thread.
__global__ void __launch_bounds__(128) again_kernel(const __grid_constant__ Task task) {
  const std::uint32_t num_again = task.counters->num_again;
  const TableView<1> table = task.table.view();
  RowCounts counts;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < num_again;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t row = task.again[i];
    const WorldPose X_WA = task.batch.a.pose(row), X_WB = task.batch.b.pose(row);
    const DoublePair pair = double_pair(table, task.batch.a.shape(row), X_WA,
                                        task.batch.b.shape(row), X_WB, task.tolerance);
    const PairAnswer answer = searched_again<kAllKinds>(pair, table.vertices);
    write_row(task.out, row, X_WA, pair.X_AB, answer);
    count_row(counts, answer);
  }
  add_counts(task.counters, counts, static_cast<int>(threadIdx.x) % kLanes);
  if (blockIdx.x == 0 && threadIdx.x == 0) task.counters->searched_again += num_again;
}

template <KindSet kKinds, TablePlace kPlace>
void launch_search(const Task& task, std::size_t table_bytes, int num_processors, Stream stream) {
  const std::size_t bytes = sizeof(PreparedRows) * kWarps + table_bytes;
  allow_shared(search_kernel<kKinds, kPlace>, bytes);
  search_kernel<kKinds, kPlace>
      <<<num_blocks(task.batch.size, kThreads, num_processors), kThreads, bytes, stream>>>(task);
  check_cuda(cudaGetLastError(), "the search");
}

/// The kernels of one launch.
template <KindSet kKinds>
void launch(const Task& task, const ShapeTable::Memory& memory, Stream stream) {
  const int num_processors = memory.num_processors, most_proofs = kProofBlocks * num_processors;
  const std::size_t table = shared_table_bytes<8>(task.table);
  if (sizeof(PreparedRows) * kWarps + table <= static_cast<std::size_t>(memory.shared_bytes)) {
    launch_search<kKinds, TablePlace::shared>(task, table, num_processors, stream);
  } else {
    launch_search<kKinds, TablePlace::device>(task, 0, num_processors, stream);
  }
  proof_kernel<kKinds>
      <<<num_blocks(task.batch.size, kProofThreads, most_proofs), kProofThreads, 0, stream>>>(task);
  check_cuda(cudaGetLastError(), "the proof");
  overlap_kernel<kKinds><<<most_proofs, kProofThreads, 0, stream>>>(task);
  check_cuda(cudaGetLastError(), "the proof of overlaps");
  again_kernel<<<2 * num_processors, 128, 0, stream>>>(task);
  check_cuda(cudaGetLastError(), "the second search");
}

template <class T>
T* moved(T* column, std::size_t rows) {
  return column != nullptr ? column + rows : nullptr;
}

DistanceColumns columns_from(const DistanceColumns& out, std::size_t first) {
  return {moved(out.status, first),      moved(out.distance, first),
          moved(out.normal, 3 * first),  moved(out.point_a, 3 * first),
          moved(out.point_b, 3 * first), moved(out.lower, first),
          moved(out.upper, first),       moved(out.distance_jacobian, 12 * first),
          moved(out.iterations, first)};
}

}  // namespace

void distances(const ShapeTable& table, const PairBatch& pairs, const DistancesOptions& options,
               Workspace& work, const DistanceColumns& out, Stream stream) {
  constexpr double smallest = 64.0 * std::numeric_limits<double>::epsilon();
  if (!(options.tolerance >= smallest && options.tolerance <= 1.0)) {
    throw InvalidInput("options.tolerance", std::to_string(options.tolerance),
                       "give a number from 64 eps to 1");
  }
  check_batch(table, pairs);
  const ShapeTable::Memory& memory = table.memory();
  Workspace::Memory& scratch = work.memory();
  scratch.counters.grow(1);
  const std::size_t most_rows = std::min(pairs.size, kRowsPerLaunch);
  scratch.again.grow(most_rows);
  scratch.overlaps.grow(most_rows);
  scratch.ended.grow(most_rows);
  if (memory.kinds != set_of(CoreKind::polytope) && memory.kinds != set_of(CoreKind::box))
    scratch.directions.grow(4 * most_rows);
  check_cuda(cudaMemsetAsync(scratch.counters.data(), 0, sizeof(Counters), stream), "the counters");
  for (std::size_t first = 0; first < pairs.size; first += kRowsPerLaunch) {
    const std::size_t rows = std::min(kRowsPerLaunch, pairs.size - first);
    if (first > 0)
      check_cuda(cudaMemsetAsync(scratch.counters.data(), 0, sizeof(LaunchCounters), stream),
                 "the counters");
    const Task task{arrays_of(memory),
                    rows_of(pairs, first, rows),
                    columns_from(out, first),
                    {reinterpret_cast<EndedSearch*>(scratch.ended.data()),
                     reinterpret_cast<EndedDirection*>(scratch.directions.data())},
                    scratch.counters.data(),
                    scratch.again.data(),
                    scratch.overlaps.data(),
                    options.tolerance};
    if (memory.kinds == set_of(CoreKind::polytope)) {
      launch<set_of(CoreKind::polytope)>(task, memory, stream);
    } else if (memory.kinds == set_of(CoreKind::box)) {
      launch<set_of(CoreKind::box)>(task, memory, stream);
    } else {
      launch<kAllKinds>(task, memory, stream);
    }
  }
}

}  // namespace tactum::gpu
