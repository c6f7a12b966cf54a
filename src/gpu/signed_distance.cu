// SPDX-License-Identifier: BSD-2-Clause
// Signed distances of points: a kernel that writes points as poses of a shape without extent, and
// the kernels of pairs.
#include "tactum/gpu/signed_distance.hpp"

#include <algorithm>

#include "gpu/objects.cuh"

namespace tactum::gpu {
namespace {

struct PointTask {
  const double* points;
  const std::int32_t* index;  ///< null: the first shape for all
  std::uint32_t size;
  int num_shapes;  ///< that a user can name; the point is the next
  std::int32_t *to_index, *to_point;
  double* to_poses;
};

__global__ void __launch_bounds__(256) point_kernel(const __grid_constant__ PointTask task) {
  for (std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < task.size;
       row += gridDim.x * blockDim.x) {
    const int shape = task.index != nullptr ? task.index[row] : 0;
    task.to_index[row] = shape < task.num_shapes ? shape : -1;
    task.to_point[row] = task.num_shapes;
    const double* const point = task.points + 3 * static_cast<std::size_t>(row);
    double* const pose = task.to_poses + 7 * static_cast<std::size_t>(row);
    for (int i = 0; i < 7; ++i) pose[i] = i < 3 ? point[i] : i < 6 ? 0.0 : 1.0;
  }
}

}  // namespace

void signed_distance(const ShapeTable& table, const PointBatch& points,
                     const DistancesOptions& options, Workspace& work,
                     const SignedDistanceColumns& out, Stream stream) {
  check_tolerance(options.tolerance);
  check_current_device(table.memory().device, "table");
  reset_counts(work.memory(), stream);
  if (points.size == 0) return;
  if (points.shapes.poses == nullptr)
    throw InvalidInput("shapes.poses", "null", "give device memory with seven numbers a pose");
  if (points.points == nullptr)
    throw InvalidInput("points", "null", "give device memory with three numbers a point");
  const ShapeTable::Memory& memory = table.memory().with_point();
  Workspace::Memory& scratch = work.memory();
  PointRows& rows = scratch.points;
  const std::size_t most = std::min(points.size, kRowsPerLaunch);
  rows.index.grow(most);
  rows.point_index.grow(most);
  rows.poses.grow(7 * most);
  DistanceColumns columns{.status = out.status,
                          .distance = out.distance,
                          .normal = out.gradient,
                          .lower = out.lower,
                          .upper = out.upper};
  for (std::size_t first = 0; first < points.size; first += kRowsPerLaunch) {
    const std::size_t count = std::min(kRowsPerLaunch, points.size - first);
    const BatchSide& shapes = points.shapes;
    const PointTask task{points.points + 3 * first,
                         shapes.index != nullptr ? shapes.index + first : nullptr,
                         static_cast<std::uint32_t>(count),
                         static_cast<int>(table.size()),
                         rows.index.data(),
                         rows.point_index.data(),
                         rows.poses.data()};
    point_kernel<<<8 * memory.num_processors, 256, 0, stream>>>(task);
    check_cuda(cudaGetLastError(), "the points");
    const double* const poses = shapes.one_pose ? shapes.poses : shapes.poses + 7 * first;
    launch_rows(memory,
                {count,
                 {rows.index.data(), poses, shapes.one_pose},
                 {rows.point_index.data(), rows.poses.data(), false}},
                options, scratch, columns_from(columns, first), stream);
  }
}

}  // namespace tactum::gpu
