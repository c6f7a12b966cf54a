// SPDX-License-Identifier: BSD-2-Clause
// Collisions of many pairs: one kernel that decides in single precision where that can prove its
// answer, one that decides the rest in double.
#include <algorithm>

#include "gpu/collide_pair.hpp"
#include "gpu/lane_pool.cuh"
#include "gpu/objects.cuh"

namespace tactum::gpu {
namespace {

struct Task {
  TableArrays table;
  BatchView batch;
  Status* status;
  Counters* counters;
  std::uint32_t* again;
};

template <KindSet kKinds, TablePlace kPlace>
__global__ void __launch_bounds__(kThreads, 1) collision_kernel(const __grid_constant__ Task task) {
  extern __shared__ FourFloats shared[];
  const int lane = static_cast<int>(threadIdx.x) % kLanes,
            warp = static_cast<int>(threadIdx.x) / kLanes;
  PreparedRows& prepared = reinterpret_cast<PreparedRows*>(shared)[warp];
  const PlacedTable<kPlace> table(task.table, reinterpret_cast<PreparedRows*>(shared) + kWarps,
                                  lane);

  GjkLane<float, PieceTag> search;
  CollisionMargins<float> margins;
  std::uint32_t row = 0;
  int index_a = 0, index_b = 0;
  bool active = false;
  CollisionState state = CollisionState::searching;
  RowSource source(task.batch, task.counters, lane);
  const auto leave = [&] {
    if (state == CollisionState::apart) task.status[row] = Status::separated;
    if (state == CollisionState::overlapping) task.status[row] = Status::penetrating;
    append_row(state == CollisionState::unsure, row, &task.counters->num_again, task.again, lane);
    state = CollisionState::searching;
  };
  const auto take = [&](int at) {
    search.X_AB = pose_at(prepared, at);
    index_a = prepared.a[at];
    index_b = prepared.b[at];
    row = prepared.row[at];
    const CoreRecord<float>&a = table.single[index_a], &b = table.single[index_b];
    begin(search, a, b, prepared.scale[at], 0.0F);
    margins = collision_margins(a, b, search.X_AB);
  };
  const auto put_aside = [&](std::uint32_t aside_row, bool aside) {
    append_row(aside, aside_row, &task.counters->num_again, task.again, lane);
  };
  while (source.refill<kKinds>(task.table, table.single, task.batch, task.counters, prepared, lane,
                               active, leave, take, put_aside)) {
    if (!active) continue;
    state = advance_collision<kKinds>(search, margins, table.single[index_a], table.single[index_b],
                                      table.vertices, kSingleIterations);
    active = state == CollisionState::searching;
  }
}

/// Rows that single precision left open or did not look at, one a thread.
__global__ void __launch_bounds__(128) collision_again_kernel(const __grid_constant__ Task task) {
  const std::uint32_t num_again = task.counters->num_again;
  const TableView<1> table = task.table.view();
  unsigned not_converged = 0;
  const SpreadEntries entries(num_again);
  const std::uint32_t lane = threadIdx.x % kLanes;
  const std::uint32_t end = lane < entries.count ? num_again : 0;
  for (std::uint32_t i = entries.first + lane; i < end; i += entries.step) {
    const std::uint32_t row = task.again[i];
    const int index_a = task.batch.a.shape(row), index_b = task.batch.b.shape(row);
    Status status = Status::invalid_input;
    if (has_shapes(task.table, index_a, index_b)) {
      const WorldPose X_WA = task.batch.a.pose(row), X_WB = task.batch.b.pose(row);
      if (!is_refused<kAllKinds>(X_WA, X_WB, table.exact[index_a].kind,
                                 table.exact[index_b].kind)) {
        const DoublePair pair = double_pair(table, index_a, X_WA, index_b, X_WB,
                                            kCollisionTolerance);
        status = has_half_space<kAllKinds>(pair.a.kind, pair.b.kind)
                     ? half_space_answer<kAllKinds>(pair, table.vertices).status
                     : collision_again<kAllKinds>(pair, table.vertices);
      }
    }
    task.status[row] = status;
    not_converged += status == Status::not_converged ? 1 : 0;
  }
  not_converged = __reduce_add_sync(kAllLanes, not_converged);
  if (threadIdx.x % kLanes == 0 && not_converged != 0)
    atomicAdd(&task.counters->not_converged, static_cast<unsigned long long>(not_converged));
  if (blockIdx.x == 0 && threadIdx.x == 0) task.counters->searched_again += num_again;
}

template <KindSet kKinds, TablePlace kPlace>
void launch(const Task& task, std::size_t table_bytes, int num_processors, Stream stream) {
  const std::size_t bytes = sizeof(PreparedRows) * kWarps + table_bytes;
  allow_shared(collision_kernel<kKinds, kPlace>, bytes);
  collision_kernel<kKinds, kPlace>
      <<<num_blocks(task.batch.size, kThreads, num_processors), kThreads, bytes, stream>>>(task);
  check_cuda(cudaGetLastError(), "the search");
}

template <KindSet kKinds>
void launch_search(const Task& task, const ShapeTable::Memory& memory, Stream stream) {
  const std::size_t table = shared_table_bytes<8>(task.table);
  if constexpr (kKinds == set_of(CoreKind::polytope)) {
    if (fits_listed(task.table, memory.shared_bytes)) {
      launch<kKinds, TablePlace::listed>(task, PlacedTable<TablePlace::listed>::bytes(task.table),
                                         memory.num_processors, stream);
      return;
    }
  }
  if (sizeof(PreparedRows) * kWarps + table <= static_cast<std::size_t>(memory.shared_bytes)) {
    launch<kKinds, TablePlace::shared>(task, table, memory.num_processors, stream);
  } else {
    launch<kKinds, TablePlace::device>(task, 0, memory.num_processors, stream);
  }
}

}  // namespace

void collides(const ShapeTable& table, const PairBatch& pairs, Workspace& work, Status* status,
              Stream stream) {
  check_batch(table, pairs);
  if (status == nullptr && pairs.size != 0)
    throw InvalidInput("status", "null", "give device memory with one status a pair");
  const ShapeTable::Memory& memory = table.memory();
  Workspace::Memory& scratch = work.memory();
  reset_counts(scratch, stream);
  if (memory.num_objects > 0) {
    collide_objects(memory, pairs, scratch, status, stream);
    return;
  }
  scratch.again.grow(std::min(pairs.size, kRowsPerLaunch));
  for (std::size_t first = 0; first < pairs.size; first += kRowsPerLaunch) {
    const std::size_t rows = std::min(kRowsPerLaunch, pairs.size - first);
    if (first > 0)
      check_cuda(cudaMemsetAsync(scratch.counters.data(), 0, sizeof(LaunchCounters), stream),
                 "the counters");
    const Task task{arrays_of(memory), rows_of(pairs, first, rows), status + first,
                    scratch.counters.data(), scratch.again.data()};
    if (memory.kinds == set_of(CoreKind::polytope)) {
      launch_search<set_of(CoreKind::polytope)>(task, memory, stream);
    } else if (memory.kinds == set_of(CoreKind::box)) {
      launch_search<set_of(CoreKind::box)>(task, memory, stream);
    } else {
      launch_search<kAllKinds>(task, memory, stream);
    }
    collision_again_kernel<<<2 * memory.num_processors, 128, 0, stream>>>(task);
    check_cuda(cudaGetLastError(), "the second search");
  }
}

}  // namespace tactum::gpu
