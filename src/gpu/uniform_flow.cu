// SPDX-License-Identifier: BSD-2-Clause
// The baseline in uniform flow: a warp a row, a lane a pair of parts, all pairs of parts.
#include "tactum/gpu/uniform_flow.hpp"

#include <algorithm>

#include "gpu/objects.cuh"
#include "gpu/uniform_flow.hpp"

namespace tactum::gpu {
namespace {

struct Task {
  TableArrays table;
  ObjectArrays objects;
  BatchView batch;
  std::uint8_t* hits;
  int num_parts, num_blocks;  ///< the largest of the table
  int iterations;
};

/// First part of the object of a row, and how many it has; a convex shape is its only part.
struct PartRange {
  int first, count;
};
__device__ __forceinline__ PartRange parts_of(const Task& task, int index) {
  if (task.objects.num_objects == 0) return {index, 1};
  const ObjectRecord& object = task.objects.objects[index];
  return {object.first_part, object.num_parts};
}

constexpr int kFlowThreads = 128;

__global__ void __launch_bounds__(kFlowThreads) flow_kernel(const __grid_constant__ Task task) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int count = task.objects.num_objects > 0 ? task.objects.num_objects : task.table.num_shapes;
  const TableView<1> table = task.table.view();
  for (std::uint32_t row = (blockIdx.x * blockDim.x + threadIdx.x) / kLanes; row < task.batch.size;
       row += gridDim.x * (kFlowThreads / kLanes)) {
    const int index_a = task.batch.a.shape(row), index_b = task.batch.b.shape(row);
    const WorldPose X_WA = task.batch.a.pose(row), X_WB = task.batch.b.pose(row);
    const bool good = static_cast<unsigned>(index_a) < static_cast<unsigned>(count) &&
                      static_cast<unsigned>(index_b) < static_cast<unsigned>(count) && X_WA.valid &&
                      X_WB.valid;
    bool hit = false;
    if (good) {
      const RelativePose<float> X_AB = converted<float>(relative_pose(X_WA, X_WB));
      const PartRange a = parts_of(task, index_a), b = parts_of(task, index_b);
      for (int at = lane; at < task.num_parts * task.num_parts; at += kLanes) {
        const int part_a = min(at / task.num_parts, a.count - 1),
                  part_b = min(at % task.num_parts, b.count - 1);
        hit = uniform_flow_hit(table.single[a.first + part_a], table.single[b.first + part_b],
                               table.vertices, X_AB, task.num_blocks, task.iterations) ||
              hit;
      }
    }
    const bool any = __any_sync(kAllLanes, hit);
    if (lane == 0) task.hits[row] = any ? 1 : 0;
  }
}

}  // namespace

void uniform_flow_collides(const ShapeTable& table, const PairBatch& pairs, int iterations,
                           std::uint8_t* hits, Stream stream) {
  check_batch(table, pairs);
  const ShapeTable::Memory& memory = table.memory();
  if (memory.kinds != set_of(CoreKind::polytope))
    throw InvalidInput("table", "parts other than hulls",
                       "give hulls, or compounds of hulls and boxes");
  if (iterations < 1 || iterations > 64)
    throw InvalidInput("iterations", std::to_string(iterations), "give a number from 1 to 64");
  if (pairs.size == 0) return;
  if (hits == nullptr) throw InvalidInput("hits", "null", "give device memory with a byte a pair");
  for (std::size_t first = 0; first < pairs.size; first += kRowsPerLaunch) {
    const std::size_t rows = std::min(kRowsPerLaunch, pairs.size - first);
    const Task task{arrays_of(memory), objects_of(memory), rows_of(pairs, first, rows),
                    hits + first,      memory.most_parts,  memory.most_blocks,
                    iterations};
    flow_kernel<<<8 * memory.num_processors, kFlowThreads, 0, stream>>>(task);
    check_cuda(cudaGetLastError(), "the search");
  }
}

}  // namespace tactum::gpu
