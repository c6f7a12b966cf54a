// SPDX-License-Identifier: BSD-2-Clause
// Points of A against the grid of B: a warp a row, a lane a point.
#include "tactum/gpu/implicit_surface.hpp"

#include <algorithm>

#include "gpu/lane_pool.cuh"
#include "gpu/packed_grids.hpp"

namespace tactum::gpu {

struct ImplicitSurfaces::Memory {
  DeviceArray<GridRecord> grids;
  DeviceArray<float> values;
  DeviceArray<Vector<float>> points;
  int device = 0;
  int num_processors = 0;
};

namespace {

constexpr int kPointThreads = 256;

struct Task {
  const GridRecord* grids;
  const float* values;
  const Vector<float>* points;
  int num_grids;
  BatchView batch;
  float* distance;
};

__device__ __forceinline__ float smallest_of_warp(float value) {
  for (int step = kLanes / 2; step > 0; step /= 2)
    value = fminf(value, __shfl_xor_sync(kAllLanes, value, step));
  return value;
}

__global__ void __launch_bounds__(kPointThreads) point_kernel(const __grid_constant__ Task task) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const auto count = static_cast<unsigned>(task.num_grids);
  for (std::uint32_t row = (blockIdx.x * blockDim.x + threadIdx.x) / kLanes; row < task.batch.size;
       row += gridDim.x * (kPointThreads / kLanes)) {
    const int index_a = task.batch.a.shape(row), index_b = task.batch.b.shape(row);
    const WorldPose X_WA = task.batch.a.pose(row), X_WB = task.batch.b.pose(row);
    const bool good = static_cast<unsigned>(index_a) < count &&
                      static_cast<unsigned>(index_b) < count && X_WA.valid && X_WB.valid;
    float smallest = std::numeric_limits<float>::infinity();
    if (good) {
      const GridRecord a = task.grids[index_a], b = task.grids[index_b];
      const RelativePose<float> X_BA = converted<float>(relative_pose(X_WB, X_WA));
      const Vector<float>* const points = task.points + a.first_point;
      float mine = kLargest<float>;
      for (int i = lane; i < a.num_points; i += kLanes)
        mine = fminf(mine, grid_distance(b, task.values, moved_to_a(X_BA, points[i])));
      smallest = smallest_of_warp(mine);
    }
    if (lane == 0) task.distance[row] = smallest;
  }
}

}  // namespace

ImplicitSurfaces::ImplicitSurfaces(std::span<const Mesh> meshes,
                                   const ImplicitSurfaceOptions& options) {
  const PackedGrids packed = pack_grids(meshes, options);
  auto memory = std::make_shared<Memory>();
  check_cuda(cudaGetDevice(&memory->device), "the current device");
  check_cuda(cudaDeviceGetAttribute(&memory->num_processors, cudaDevAttrMultiProcessorCount,
                                    memory->device),
             "the device");
  memory->grids.copy_from(packed.grids);
  memory->values.copy_from(packed.values);
  memory->points.copy_from(packed.points);
  memory_ = std::move(memory);
}

std::size_t ImplicitSurfaces::size() const { return memory_->grids.size(); }

std::size_t ImplicitSurfaces::nbytes() const {
  return memory_->grids.size() * sizeof(GridRecord) + memory_->values.size() * sizeof(float) +
         memory_->points.size() * sizeof(Vector<float>);
}

void implicit_surface_distances(const ImplicitSurfaces& surfaces, const PairBatch& pairs,
                                float* distance, Stream stream) {
  const ImplicitSurfaces::Memory& memory = surfaces.memory();
  check_current_device(memory.device, "surfaces");
  check_pairs(pairs);
  if (pairs.size == 0) return;
  if (distance == nullptr)
    throw InvalidInput("distance", "null", "give device memory with a float a pair");
  for (std::size_t first = 0; first < pairs.size; first += kRowsPerLaunch) {
    const std::size_t rows = std::min(kRowsPerLaunch, pairs.size - first);
    const Task task{memory.grids.data(),         memory.values.data(),
                    memory.points.data(),        static_cast<int>(memory.grids.size()),
                    rows_of(pairs, first, rows), distance + first};
    point_kernel<<<8 * memory.num_processors, kPointThreads, 0, stream>>>(task);
    check_cuda(cudaGetLastError(), "the points");
  }
}

}  // namespace tactum::gpu
