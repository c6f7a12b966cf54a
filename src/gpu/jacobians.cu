// SPDX-License-Identifier: BSD-2-Clause
// Jacobians of normals and witness points, a kernel of its own behind the others: a row starts from
// its answer, whichever kernel proved it, and those kernels keep their registers.
#include "gpu/jacobians.cuh"
#include "gpu/witness_jacobian.hpp"

namespace tactum::gpu {
namespace {

constexpr int kJacobianThreads = 384;
constexpr int kJacobianWarps = kJacobianThreads / kLanes;
constexpr int kNumbers = 36;  ///< of one Jacobian

/// One Jacobian of each lane: numbers that lie row after row in memory are written as they lie. The
/// odd length of a row keeps lanes out of each other's banks.
struct JacobianStage {
  double rows[kLanes][kNumbers + 1];
};

struct JacobianTask {
  TableArrays table;
  ObjectArrays objects;
  const ObjectRow* object_rows;  ///< null: the table is one of convex shapes
  BatchView batch;
  DistanceColumns out;
  double tolerance;
};

struct WitnessParts {
  int a, b;  ///< records; -1: the row has no answer
  WitnessPoses of_part, moving;
};

/// The parts that the answer of a row is about.
__device__ __forceinline__ WitnessParts witness_parts(const JacobianTask& task, std::uint32_t row,
                                                      Status status, const WitnessPoses& moving) {
  const int index_a = task.batch.a.shape(row), index_b = task.batch.b.shape(row);
  if (status == Status::invalid_input) return {-1, -1, moving, moving};
  if (task.object_rows == nullptr) return {index_a, index_b, moving, moving};
  const unsigned long long winner = task.object_rows[row].winner;
  if (winner == ~0ULL) return {-1, -1, moving, moving};
  const int part_a = task.objects.objects[index_a].first_part + static_cast<int>(winner >> 48U),
            part_b = task.objects.objects[index_b].first_part +
                     static_cast<int>((winner >> 32U) & 0xFFFFU);
  const ObjectPoses poses = poses_of_parts(task.objects, {moving.X_WA, moving.X_WB}, part_a,
                                           part_b);
  return {part_a, part_b, {poses.a, poses.b}, moving};
}

/// Three numbers for each of the 32 rows from `first` on, as they lie.
__device__ __forceinline__ Vector<double> load_vectors(const double* column, std::uint32_t first,
                                                       std::uint32_t size, int lane) {
  const int last = 3 * static_cast<int>(min(static_cast<std::uint32_t>(kLanes), size - first)) - 1;
  const double* const from = column + 3 * static_cast<std::size_t>(first);
  return {from[min(lane, last)], from[min(kLanes + lane, last)],
          from[min(2 * kLanes + lane, last)]};
}

/// The three numbers of each lane's row, of those that the warp has loaded. All lanes call it
/// together.
__device__ __forceinline__ Vector<double> sorted_vector(Vector<double> loaded, JacobianStage& stage,
                                                        int lane) {
  double* const room = stage.rows[0];
  room[lane] = loaded.x;
  room[kLanes + lane] = loaded.y;
  room[2 * kLanes + lane] = loaded.z;
  __syncwarp();
  const Vector<double> value{room[3 * lane], room[3 * lane + 1], room[3 * lane + 2]};
  __syncwarp();
  return value;
}

/// Writes so many numbers of each of 32 rows from the stage, as they lie in the column.
template <int kCount>
__device__ __forceinline__ void write_staged(double* column, std::uint32_t first,
                                             std::uint32_t size, JacobianStage& stage, int lane) {
  __syncwarp();
  const int count = kCount *
                    static_cast<int>(min(static_cast<std::uint32_t>(kLanes), size - first));
  double* const to = column + kCount * static_cast<std::size_t>(first);
#pragma unroll 4
  for (int at = lane; at < count; at += kLanes) to[at] = stage.rows[at / kCount][at % kCount];
  __syncwarp();
}

/// The Jacobian of the distance of 32 rows. All lanes call it together.
__device__ __forceinline__ void write_distance_jacobians(double* column, std::uint32_t first,
                                                         std::uint32_t size, bool answered,
                                                         const WitnessPair& pair,
                                                         JacobianStage& stage, int lane) {
  if (column == nullptr) return;
#pragma unroll
  for (int k = 0; k < 12; ++k) stage.rows[lane][k] = answered ? distance_column(pair, k) : 0.0;
  write_staged<12>(column, first, size, stage, lane);
}

/// Writes one Jacobian of 32 rows. All lanes call it together.
template <WitnessValue kValue>
__device__ __forceinline__ void write_jacobians(double* column, std::uint32_t first,
                                                std::uint32_t size, bool answered,
                                                const PreparedWitness& witness,
                                                JacobianStage& stage, int lane) {
  if (column == nullptr) return;
#pragma unroll
  for (int k = 0; k < 12; ++k) {
    const Vector<double> motion = answered
                                      ? witness_column<kValue>(witness.pair, witness.response, k)
                                      : Vector<double>{0.0, 0.0, 0.0};
    stage.rows[lane][k] = motion.x;
    stage.rows[lane][12 + k] = motion.y;
    stage.rows[lane][24 + k] = motion.z;
  }
  write_staged<kNumbers>(column, first, size, stage, lane);
}

template <KindSet kKinds, TablePlace kPlace>
__global__ void __launch_bounds__(kJacobianThreads, 1)
    jacobian_kernel(const __grid_constant__ JacobianTask task) {
  extern __shared__ FourFloats shared[];
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  auto* const stages = reinterpret_cast<JacobianStage*>(shared);
  JacobianStage& stage = stages[threadIdx.x / kLanes];
  const auto table = ProofTable<kPlace>::placed(task.table, stages + kJacobianWarps);
  const std::uint32_t size = task.batch.size, step = gridDim.x * blockDim.x;
  for (std::uint32_t first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < size;
       first += step) {
    const std::uint32_t row = min(first + static_cast<std::uint32_t>(lane), size - 1);
    static_assert(sizeof(PoseStage) <= sizeof(JacobianStage));
    PoseStage& pose_stage = reinterpret_cast<PoseStage&>(stage);
    const PoseNumbers numbers_a = load_poses(task.batch.a, first, size, lane),
                      numbers_b = load_poses(task.batch.b, first, size, lane);
    // all of them are on their way before the first is waited for
    const Vector<double> normals = load_vectors(task.out.normal, first, size, lane),
                         points_a = load_vectors(task.out.point_a, first, size, lane),
                         points_b = load_vectors(task.out.point_b, first, size, lane);
    const double distance = task.out.distance[row];
    const Status status = task.out.status[row];
    fetch_poses(task.batch, first + step, size, lane);
    const WitnessPoses moving{sorted_pose(task.batch.a, numbers_a, pose_stage, lane),
                              sorted_pose(task.batch.b, numbers_b, pose_stage, lane)};
    const WitnessAnswer answer{distance, sorted_vector(normals, stage, lane),
                               sorted_vector(points_a, stage, lane),
                               sorted_vector(points_b, stage, lane)};
    const WitnessParts parts = witness_parts(task, row, status, moving);
    const bool answered = parts.a >= 0;
    PreparedWitness witness;
    if (answered) {
      witness = prepared_witness<kKinds>(table.exact[parts.a], table.exact[parts.b], table.vertices,
                                         parts.of_part, parts.moving, answer, task.tolerance,
                                         status != Status::not_converged);
    }
    write_distance_jacobians(task.out.distance_jacobian, first, size, answered, witness.pair, stage,
                             lane);
    write_jacobians<WitnessValue::normal>(task.out.normal_jacobian, first, size, answered, witness,
                                          stage, lane);
    write_jacobians<WitnessValue::point_a>(task.out.point_a_jacobian, first, size, answered,
                                           witness, stage, lane);
    write_jacobians<WitnessValue::point_b>(task.out.point_b_jacobian, first, size, answered,
                                           witness, stage, lane);
  }
}

template <KindSet kKinds, TablePlace kPlace>
void launch_at(const JacobianTask& task, const ShapeTable::Memory& memory, Stream stream) {
  const std::size_t bytes = sizeof(JacobianStage) * kJacobianWarps +
                            ProofTable<kPlace>::bytes(task.table);
  allow_shared(jacobian_kernel<kKinds, kPlace>, bytes);
  jacobian_kernel<kKinds, kPlace>
      <<<num_blocks(task.batch.size, kJacobianThreads, memory.num_processors), kJacobianThreads,
         bytes, stream>>>(task);
  check_cuda(cudaGetLastError(), "the Jacobians");
}

template <KindSet kKinds>
void launch(const JacobianTask& task, const ShapeTable::Memory& memory, Stream stream) {
  const std::size_t shared = sizeof(JacobianStage) * kJacobianWarps +
                             ProofTable<TablePlace::shared>::bytes(task.table);
  if (shared <= static_cast<std::size_t>(memory.shared_bytes)) {
    launch_at<kKinds, TablePlace::shared>(task, memory, stream);
  } else {
    launch_at<kKinds, TablePlace::device>(task, memory, stream);
  }
}

}  // namespace

DistanceColumns completed_columns(const DistanceColumns& out, std::size_t rows,
                                  Workspace::Memory& scratch) {
  DistanceColumns columns = out;
  InnerColumns& inner = scratch.inner;
  const auto complete = [](auto*& column, auto& own, std::size_t numbers) {
    if (column != nullptr) return;
    own.grow(numbers);
    column = own.data();
  };
  complete(columns.status, inner.status, rows);
  complete(columns.distance, inner.distance, rows);
  complete(columns.normal, inner.normal, 3 * rows);
  complete(columns.point_a, inner.point_a, 3 * rows);
  complete(columns.point_b, inner.point_b, 3 * rows);
  return columns;
}

void launch_jacobians(const ShapeTable::Memory& memory, const BatchView& rows, double tolerance,
                      const Workspace::Memory& scratch, const DistanceColumns& out, Stream stream) {
  const JacobianTask task{arrays_of(memory),
                          objects_of(memory),
                          memory.num_objects > 0 ? scratch.object_rows.data() : nullptr,
                          rows,
                          out,
                          tolerance};
  if (memory.kinds == set_of(CoreKind::polytope)) {
    launch<set_of(CoreKind::polytope)>(task, memory, stream);
  } else if (memory.kinds == set_of(CoreKind::box)) {
    launch<set_of(CoreKind::box)>(task, memory, stream);
  } else {
    launch<kAllKinds>(task, memory, stream);
  }
}

}  // namespace tactum::gpu
