// SPDX-License-Identifier: BSD-2-Clause
// Distances of many pairs: kernels that search in single precision and prove in double, and one
// that searches again in double what was not proved. Depths of cores that overlap are found in
// depths.cu.
#include <algorithm>
#include <utility>

#include "gpu/depths.cuh"
#include "gpu/jacobians.cuh"

namespace tactum::gpu {
namespace {

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

/// Proves the answer of one ended search.
template <KindSet kKinds, class Tag, class Table>
__device__ __forceinline__ ProvedRow proved_row(const DistanceTask& task, const Table& table,
                                                int index_a, const WorldPose& X_WA, int index_b,
                                                const WorldPose& X_WB,
                                                const LaneResult<Tag>& result) {
  ProvedRow row{refused_answer(), {}, false, false, true};
  if (!has_shapes(task.table, index_a, index_b)) return row;
  if (is_refused<kKinds>(X_WA, X_WB, table.exact[index_a].kind, table.exact[index_b].kind))
    return row;
  row.refused = false;
  const DoublePair pair = double_pair(table, index_a, X_WA, index_b, X_WB, task.tolerance);
  row.X_AB = pair.X_AB;
  if (has_half_space<kKinds>(pair.a.kind, pair.b.kind)) {
    row.answer = half_space_answer<kKinds>(pair, table.vertices);
  } else if (result.size == 0) {
    row.again = true;
  } else if (result.state == LaneState::overlapping && !(result.inside > 0.0F)) {
    row.overlaps = true;
  } else {
    row.answer = certified_by_face<kKinds>(pair, table.vertices, result);
    row.overlaps = result.inside > 0.0F && may_be_deepest(pair, row.answer);
    row.again = !row.overlaps && wants_more(row.answer);
  }
  return row;
}

template <KindSet kKinds, TablePlace kPlace>
__global__ void __launch_bounds__(kThreads, 1)
    search_kernel(const __grid_constant__ DistanceTask task) {
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
  LaneState state = LaneState::searching;
  RowSource source(task.batch, task.counters, lane);
  const auto leave = [&] {
    if (state == LaneState::searching) return;
    put(task.ended, row,
        ended(search, state, table.single[index_a], table.single[index_b], task.depth));
    state = LaneState::searching;
  };
  const auto take = [&](int at) {
    search.X_AB = pose_at(prepared, at);
    index_a = prepared.a[at];
    index_b = prepared.b[at];
    row = prepared.row[at];
    begin(search, table.single[index_a], table.single[index_b], prepared.scale[at],
          static_cast<float>(0.5 * task.tolerance));
  };
  const auto put_aside = [&](std::uint32_t aside_row, bool aside) {
    if (aside) task.ended.searches[aside_row] = {0, 0, 0, 0.0F};
  };
  while (source.refill<kKinds>(task.table, table.single, task.batch, task.counters, prepared, lane,
                               active, leave, take, put_aside)) {
    if (!active) continue;
    state = advance<kKinds>(search, table.single[index_a], table.single[index_b], table.vertices,
                            kSingleIterations);
    active = state == LaneState::searching;
  }
}

/// Proves the answers of the searches, 32 rows a warp.
template <KindSet kKinds, TablePlace kPlace>
__global__ void __launch_bounds__(kProofThreads, 1)
    proof_kernel(const __grid_constant__ DistanceTask task) {
  extern __shared__ FourFloats shared[];
  const int lane = static_cast<int>(threadIdx.x) % kLanes,
            warp = static_cast<int>(threadIdx.x) / kLanes;
  PoseStage& stage = reinterpret_cast<PoseStage*>(shared)[warp];
  const auto table = ProofTable<kPlace>::placed(task.table,
                                                reinterpret_cast<PoseStage*>(shared) + kProofWarps);
  RowCounts counts;
  const std::uint32_t size = task.batch.num_rows(), step = gridDim.x * blockDim.x;
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
    fetch_poses(task.batch, first + step, size, lane);
    const WorldPose X_WA = sorted_pose(task.batch.a, numbers_a, stage, lane),
                    X_WB = sorted_pose(task.batch.b, numbers_b, stage, lane);
    const ProvedRow proved = proved_row<kKinds>(task, table, index_a, X_WA, index_b, X_WB, result);
    write_rows(task.out, first, size, X_WA, proved, stage, lane);
    if (mine && !proved.again && !proved.overlaps) count_row(counts, proved.answer);
    append_row(mine && proved.again, row, &task.counters->num_again, task.again, lane);
    append_row(mine && proved.overlaps, row, &task.counters->num_overlaps, task.overlaps, lane);
  }
  add_counts(task.counters, counts, lane);
}

/// Rows whose simplex seems to hold the origin, and whose depth the search has not bounded or
/// nearly found, one a thread: few of them among the others would keep whole warps busy.
template <KindSet kKinds, TablePlace kPlace>
__global__ void __launch_bounds__(kProofThreads, 1)
    overlap_kernel(const __grid_constant__ DistanceTask task) {
  extern __shared__ FourFloats shared[];
  const std::uint32_t num_overlaps = task.counters->num_overlaps, step = gridDim.x * blockDim.x;
  if (blockIdx.x * blockDim.x >= num_overlaps) return;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const auto table = ProofTable<kPlace>::placed(task.table, shared);
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
__global__ void __launch_bounds__(128) again_kernel(const __grid_constant__ DistanceTask task) {
  const std::uint32_t num_again = task.counters->num_again;
  const SpreadEntries entries(num_again);
  const auto lane = static_cast<unsigned>(threadIdx.x) % kLanes;
  const TableView<1> table = task.table.view();
  RowCounts counts;
  for (std::uint32_t first = entries.first; first < num_again; first += entries.step) {
    bool deep = false;
    const std::uint32_t row = task.again[min(first + lane, num_again - 1)];
    if (lane < entries.count && first + lane < num_again) {
      const WorldPose X_WA = task.batch.a.pose(row), X_WB = task.batch.b.pose(row);
      const DoublePair pair = double_pair(table, task.batch.a.shape(row), X_WA,
                                          task.batch.b.shape(row), X_WB, task.tolerance);
      const auto result = searched_again<kAllKinds>(pair, table.vertices);
      const PairAnswer answer = certified<kAllKinds>(pair, table.vertices, result);
      write_row(task.out, row, X_WA, pair.X_AB, answer);
      deep = task.depth && wants_depth(result, answer);
      if (deep) {
        put(task.ended, row, result);
        task.ended.searches[row].inside = answer.overlapping ? 1.0F : 0.0F;
      } else {
        count_row(counts, answer);
      }
    }
    append_row(deep, row, &task.counters->num_deep, task.overlaps, lane);
  }
  add_counts(task.counters, counts, lane);
  if (blockIdx.x == 0 && threadIdx.x == 0) task.counters->searched_again += num_again;
}

template <KindSet kKinds, TablePlace kPlace>
void launch_search(const DistanceTask& task, std::size_t table_bytes, int num_processors,
                   Stream stream) {
  const std::size_t bytes = sizeof(PreparedRows) * kWarps + table_bytes;
  allow_shared(search_kernel<kKinds, kPlace>, bytes);
  search_kernel<kKinds, kPlace>
      <<<num_blocks(task.batch.size, kThreads, num_processors), kThreads, bytes, stream>>>(task);
  check_cuda(cudaGetLastError(), "the search");
}

/// The proof of rows apart and, where no depths are wanted, that of overlaps.
template <KindSet kKinds, TablePlace kPlace>
void launch_proofs(const DistanceTask& task, int num_processors, Stream stream) {
  const std::size_t table_bytes = ProofTable<kPlace>::bytes(task.table),
                    bytes = sizeof(PoseStage) * kProofWarps + table_bytes;
  allow_shared(proof_kernel<kKinds, kPlace>, bytes);
  proof_kernel<kKinds, kPlace><<<num_blocks(task.batch.size, kProofThreads, num_processors),
                                 kProofThreads, bytes, stream>>>(task);
  check_cuda(cudaGetLastError(), "the proof");
  if (task.depth) return;
  allow_shared(overlap_kernel<kKinds, kPlace>, table_bytes);
  overlap_kernel<kKinds, kPlace><<<num_processors, kProofThreads, table_bytes, stream>>>(task);
  check_cuda(cudaGetLastError(), "the proof of overlaps");
}

/// The search, with the table where it fits.
template <KindSet kKinds>
void launch_first_search(const DistanceTask& task, const ShapeTable::Memory& memory,
                         Stream stream) {
  const int num_processors = memory.num_processors;
  if constexpr (kKinds == set_of(CoreKind::polytope)) {
    if (fits_listed(task.table, memory.shared_bytes)) {
      launch_search<kKinds, TablePlace::listed>(
          task, PlacedTable<TablePlace::listed>::bytes(task.table), num_processors, stream);
      return;
    }
  }
  const std::size_t table = shared_table_bytes<8>(task.table);
  if (sizeof(PreparedRows) * kWarps + table <= static_cast<std::size_t>(memory.shared_bytes)) {
    launch_search<kKinds, TablePlace::shared>(task, table, num_processors, stream);
  } else {
    launch_search<kKinds, TablePlace::device>(task, 0, num_processors, stream);
  }
}

/// The proofs, with the table where it fits.
template <KindSet kKinds>
void launch_first_proofs(const DistanceTask& task, const ShapeTable::Memory& memory,
                         Stream stream) {
  const int num_processors = memory.num_processors;
  const std::size_t room = static_cast<std::size_t>(memory.shared_bytes) -
                           sizeof(PoseStage) * kProofWarps;
  if constexpr (kKinds == set_of(CoreKind::polytope)) {
    if (task.table.lists != nullptr && ProofTable<TablePlace::listed>::bytes(task.table) <= room) {
      launch_proofs<kKinds, TablePlace::listed>(task, num_processors, stream);
      return;
    }
  }
  if (ProofTable<TablePlace::shared>::bytes(task.table) <= room) {
    launch_proofs<kKinds, TablePlace::shared>(task, num_processors, stream);
  } else {
    launch_proofs<kKinds, TablePlace::device>(task, num_processors, stream);
  }
}

/// The kernels of one launch.
template <KindSet kKinds>
void launch(const DistanceTask& task, const ShapeTable::Memory& memory, Stream stream) {
  const int num_processors = memory.num_processors;
  launch_first_search<kKinds>(task, memory, stream);
  launch_first_proofs<kKinds>(task, memory, stream);
  if (task.depth) launch_depths(task, memory, stream);
  again_kernel<<<2 * num_processors, 128, 0, stream>>>(task);
  check_cuda(cudaGetLastError(), "the second search");
  if (task.depth) launch_deep_rows(task, memory, stream);
}

}  // namespace

/// Whether the kernels are those of hulls or of boxes alone.
static bool is_polyhedral(const ShapeTable::Memory& memory) {
  return memory.kinds == set_of(CoreKind::polytope) || memory.kinds == set_of(CoreKind::box);
}

void grow_for_distances(Workspace::Memory& scratch, const ShapeTable::Memory& memory,
                        std::size_t rows) {
  scratch.again.grow(rows);
  scratch.overlaps.grow(rows);
  scratch.ended.grow(rows);
  if (is_polyhedral(memory)) {
    scratch.left.grow(rows);
    scratch.polytopes.grow(std::min(rows, kPolytopesAtOnce));
  } else {
    scratch.directions.grow(4 * rows);
  }
}

void launch_distances(const ShapeTable::Memory& memory, const BatchView& rows,
                      const DistancesOptions& options, Workspace::Memory& scratch,
                      Counters* counters, const DistanceColumns& out, Stream stream) {
  const DistanceTask task{arrays_of(memory),
                          rows,
                          out,
                          {reinterpret_cast<EndedSearch*>(scratch.ended.data()),
                           reinterpret_cast<EndedDirection*>(scratch.directions.data())},
                          counters,
                          scratch.again.data(),
                          scratch.overlaps.data(),
                          scratch.left.data(),
                          is_polyhedral(memory) ? scratch.polytopes.data() : nullptr,
                          options.tolerance,
                          options.depth};
  check_cuda(cudaMemsetAsync(counters, 0, sizeof(LaunchCounters), stream), "the counters");
  if (memory.kinds == set_of(CoreKind::polytope)) {
    launch<set_of(CoreKind::polytope)>(task, memory, stream);
  } else if (memory.kinds == set_of(CoreKind::box)) {
    launch<set_of(CoreKind::box)>(task, memory, stream);
  } else {
    launch<kAllKinds>(task, memory, stream);
  }
}

void launch_rows(const ShapeTable::Memory& memory, const PairBatch& pairs,
                 const DistancesOptions& options, Workspace::Memory& scratch,
                 const DistanceColumns& out, Stream stream) {
  const std::size_t most_rows = memory.num_objects > 0 ? kObjectRows : kRowsPerLaunch;
  if (memory.num_objects == 0) grow_for_distances(scratch, memory, std::min(pairs.size, most_rows));
  for (std::size_t first = 0; first < pairs.size; first += most_rows) {
    const std::size_t count = std::min(most_rows, pairs.size - first);
    const BatchView rows = rows_of(pairs, first, count);
    DistanceColumns columns = columns_from(out, first);
    if (wants_jacobians(out)) columns = completed_columns(columns, count, scratch);
    DistanceColumns first_columns = columns;
    // the kernel of the other Jacobians writes this one as well
    if (wants_jacobians(out)) first_columns.distance_jacobian = nullptr;
    if (memory.num_objects > 0) {
      launch_object_distances(memory, rows, options, scratch, first_columns, stream);
    } else {
      launch_distances(memory, rows, options, scratch, scratch.counters.data(), first_columns,
                       stream);
    }
    if (wants_jacobians(out))
      launch_jacobians(memory, rows, options.tolerance, scratch, columns, stream);
  }
}

void distances(const ShapeTable& table, const PairBatch& pairs, const DistancesOptions& options,
               Workspace& work, const DistanceColumns& out, Stream stream) {
  check_tolerance(options.tolerance);
  check_batch(table, pairs);
  reset_counts(work.memory(), stream);
  launch_rows(table.memory(), pairs, options, work.memory(), out, stream);
}

}  // namespace tactum::gpu
