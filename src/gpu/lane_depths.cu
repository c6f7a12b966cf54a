// SPDX-License-Identifier: BSD-2-Clause
// Depths of polyhedral cores, one lane a row: a kernel that grows polytopes in single precision,
// lanes refilled as they finish, and one that proves in double what they leave.
#include "gpu/depths.cuh"

namespace tactum::gpu {
namespace {

/// One block a processor: the polytopes of its lanes fill shared memory.
constexpr int kPolytopeThreads = 256;
using SharedPolytope = LanePolytope<kPolytopeThreads>;
constexpr std::size_t kPolytopeBytes = sizeof(std::uint32_t) * SharedPolytope::kWords *
                                       kPolytopeThreads;

/// Which of the overlapping rows a launch works on.
struct Share {
  std::uint32_t first, most;
  int number;
};

__device__ __forceinline__ std::uint32_t num_rows(const DistanceTask& task, const Share& share) {
  const std::uint32_t all = task.counters->num_overlaps;
  return all > share.first ? min(all - share.first, share.most) : 0;
}

struct LaneRow {
  LanePair pair;
  int index_a, index_b;
};

/// Reads a row and begins its polytope.
template <KindSet kKinds, class View>
__device__ __forceinline__ LaneRow begun_row(const DistanceTask& task, const View& view,
                                             std::uint32_t row, SharedPolytope& polytope) {
  LaneRow mine{{}, task.batch.a.shape(row), task.batch.b.shape(row)};
  const RelativePose<float> X_AB = converted<float>(
      relative_pose(task.batch.a.pose(row), task.batch.b.pose(row)));
  const CoreRecord<float>&a = task.table.single[mine.index_a], &b = task.table.single[mine.index_b];
  const float scale = larger(norm(X_AB.translation),
                             larger(a.reach + a.radius, b.reach + b.radius));
  mine.pair = lane_pair(X_AB, scale, static_cast<float>(task.tolerance));
  LaneResult<PieceTag> result;
  get(task.ended, row, result);
  begin_polytope<kKinds>(polytope, mine.pair, a, b, view, result);
  return mine;
}

/// Bytes of the vertices that polytopes are grown with.
std::size_t vertex_bytes(const TableArrays& arrays) {
  return sizeof(FourFloats) * static_cast<std::size_t>(arrays.num_records);
}

/// The vertices, behind the polytopes where there is room; lists stay in the memory of the device.
template <TablePlace kPlace>
__device__ __forceinline__ auto growing_view(const TableArrays& arrays, std::uint32_t* words) {
  VertexView<1> view = arrays.view().vertices;
  if constexpr (kPlace != TablePlace::device) {
    auto* const blocks = reinterpret_cast<FourFloats*>(words +
                                                       SharedPolytope::kWords * kPolytopeThreads);
    for (int i = static_cast<int>(threadIdx.x); i < arrays.num_records; i += kPolytopeThreads)
      blocks[i] = arrays.blocks[i];
    __syncthreads();
    view.blocks = blocks;
  }
  if constexpr (kPlace == TablePlace::listed) {
    return ListedBlocks{view, arrays.lists};
  } else {
    return view;
  }
}

template <KindSet kKinds, TablePlace kPlace>
__global__ void __launch_bounds__(kPolytopeThreads, 1)
    polytope_kernel(const __grid_constant__ DistanceTask task,
                    const __grid_constant__ Share share) {
  extern __shared__ FourFloats shared[];
  auto* const words = reinterpret_cast<std::uint32_t*>(shared);
  const auto lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::uint32_t size = num_rows(task, share);
  if (size == 0) return;
  const auto view = growing_view<kPlace>(task.table, words);
  const CoreRecord<float>* const single = task.table.single;
  SharedPolytope polytope(words + threadIdx.x);
  LaneRow mine{};
  std::uint32_t at = 0;
  bool active = false, ended = false, more = true;
  while (true) {
    const unsigned idle = __ballot_sync(kAllLanes, !active);
    if ((__popc(idle) >= kRefill && more) || idle == kAllLanes) {
      if (ended) polytope.write_to(task.polytopes[at]);
      ended = false;
      if (!more) break;
      std::uint32_t first = 0;
      if (lane == 0)
        first = atomicAdd(&task.counters->next_polytope[share.number],
                          static_cast<std::uint32_t>(__popc(idle)));
      first = __shfl_sync(kAllLanes, first, 0);
      more = first + __popc(idle) < size;
      const std::uint32_t next = first + __popc(idle & lanes_before(lane));
      if (!active && next < size) {
        at = next;
        mine = begun_row<kKinds>(task, view, task.overlaps[share.first + at], polytope);
        active = true;
      }
      __syncwarp();
    }
    if (!active) continue;
    if (polytope.state == PolytopeState::growing) {
      grow_polytope<kKinds>(polytope, mine.pair, single[mine.index_a], single[mine.index_b], view);
    }
    active = polytope.state == PolytopeState::growing;
    ended = !active;
  }
}

/// Proves what lanes left, one row a thread.
template <KindSet kKinds, TablePlace kPlace>
__global__ void __launch_bounds__(kProofThreads, 1)
    polytope_proof_kernel(const __grid_constant__ DistanceTask task,
                          const __grid_constant__ Share share) {
  extern __shared__ FourFloats shared[];
  const std::uint32_t size = num_rows(task, share), step = gridDim.x * blockDim.x;
  if (blockIdx.x * blockDim.x >= size) return;
  const auto lane = static_cast<int>(threadIdx.x) % kLanes;
  const auto table = ProofTable<kPlace>::placed(task.table, shared);
  RowCounts counts;
  for (std::uint32_t first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < size;
       first += step) {
    bool left = false;
    const std::uint32_t at = min(first + lane, size - 1), row = task.overlaps[share.first + at];
    if (first + lane < size) {
      const WorldPose X_WA = task.batch.a.pose(row), X_WB = task.batch.b.pose(row);
      const DoublePair pair = double_pair(table, task.batch.a.shape(row), X_WA,
                                          task.batch.b.shape(row), X_WB, task.tolerance);
      const DeepestFace<PieceTag> found = deepest_face_of_lane<kKinds>(task.polytopes[at], pair,
                                                                       table.vertices);
      const auto iterations = static_cast<int>(task.ended.searches[row].info >> 8U);
      const PairAnswer answer = certified_depth<kKinds>(pair, table.vertices, found, iterations);
      left = answer.status == Status::not_converged;
      if (!left) {
        write_row(task.out, row, X_WA, pair.X_AB, answer);
        count_row(counts, answer);
      }
    }
    append_row(left, row, &task.counters->num_left, task.left, lane);
  }
  add_counts(task.counters, counts, lane);
}

template <KindSet kKinds, TablePlace kPlace>
void launch_growth(const DistanceTask& task, const Share& share, int num_processors,
                   Stream stream) {
  const std::size_t bytes = kPolytopeBytes +
                            (kPlace == TablePlace::device ? 0 : vertex_bytes(task.table));
  allow_shared(polytope_kernel<kKinds, kPlace>, bytes);
  polytope_kernel<kKinds, kPlace><<<num_blocks(share.most, kPolytopeThreads, num_processors),
                                    kPolytopeThreads, bytes, stream>>>(task, share);
  check_cuda(cudaGetLastError(), "the depths of lanes");
}

/// The growth, with the table where it fits.
template <KindSet kKinds>
void launch_growth(const DistanceTask& task, const Share& share, const ShapeTable::Memory& memory,
                   Stream stream) {
  const int num_processors = memory.num_processors;
  if (kPolytopeBytes + vertex_bytes(task.table) > static_cast<std::size_t>(memory.shared_bytes)) {
    launch_growth<kKinds, TablePlace::device>(task, share, num_processors, stream);
    return;
  }
  if constexpr (kKinds == set_of(CoreKind::polytope)) {
    if (task.table.lists != nullptr) {
      launch_growth<kKinds, TablePlace::listed>(task, share, num_processors, stream);
      return;
    }
  }
  launch_growth<kKinds, TablePlace::shared>(task, share, num_processors, stream);
}

template <KindSet kKinds, TablePlace kPlace>
void launch_proof(const DistanceTask& task, const Share& share, int num_processors, Stream stream) {
  const std::size_t bytes = ProofTable<kPlace>::bytes(task.table);
  allow_shared(polytope_proof_kernel<kKinds, kPlace>, bytes);
  polytope_proof_kernel<kKinds, kPlace>
      <<<num_blocks(share.most, kProofThreads, num_processors), kProofThreads, bytes, stream>>>(
          task, share);
  check_cuda(cudaGetLastError(), "the proof of depths");
}

template <KindSet kKinds>
void launch(const DistanceTask& task, const ShapeTable::Memory& memory, Stream stream) {
  const auto room = static_cast<std::size_t>(memory.shared_bytes);
  const int num_processors = memory.num_processors;
  for (std::size_t first = 0, number = 0; first < task.batch.size;
       first += kPolytopesAtOnce, ++number) {
    const std::size_t most = std::min(kPolytopesAtOnce, task.batch.size - first);
    const Share share{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(most),
                      static_cast<int>(number)};
    launch_growth<kKinds>(task, share, memory, stream);
    if (ProofTable<TablePlace::shared>::bytes(task.table) <= room) {
      launch_proof<kKinds, TablePlace::shared>(task, share, num_processors, stream);
    } else {
      launch_proof<kKinds, TablePlace::device>(task, share, num_processors, stream);
    }
  }
}

}  // namespace

void launch_lane_depths(const DistanceTask& task, const ShapeTable::Memory& memory, Stream stream) {
  if (memory.kinds == set_of(CoreKind::polytope)) {
    launch<set_of(CoreKind::polytope)>(task, memory, stream);
  } else {
    launch<set_of(CoreKind::box)>(task, memory, stream);
  }
}

}  // namespace tactum::gpu
