// SPDX-License-Identifier: BSD-2-Clause
// Rows that the device did not prove, answered by the library on the host: a kernel that gathers
// them, tactum::distances, and a kernel that writes the answers to the columns.
#include <algorithm>
#include <vector>

#include "gpu/distance_rows.cuh"
#include "tactum/distances.hpp"

namespace tactum::gpu {
namespace {

/// A row that the host is to solve, with its poses and shapes.
struct OpenRow {
  std::uint32_t row;
  std::int32_t a, b;
  double X_WA[7], X_WB[7];
};

/// The answer that the host sends back for a row.
struct ClosedRow {
  std::uint32_t row;
  Status status;
  std::int32_t iterations;
  double distance, lower, upper;
  double normal[3], point_a[3], point_b[3];
  double distance_jacobian[12], normal_jacobian[36], point_a_jacobian[36], point_b_jacobian[36];
};

__global__ void __launch_bounds__(256)
    count_kernel(const Status* status, std::uint32_t size, std::uint32_t* count) {
  for (std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < size;
       row += gridDim.x * blockDim.x)
    if (status[row] == Status::not_converged) atomicAdd(count, 1U);
}

__device__ void copy_pose(const SideView& side, std::uint32_t row, double* to) {
  const double* const from = side.poses + static_cast<std::size_t>(row) * side.stride;
  for (int i = 0; i < 7; ++i) to[i] = from[i];
}

__global__ void __launch_bounds__(256)
    gather_kernel(const Status* status, BatchView batch, std::uint32_t* count, OpenRow* rows) {
  for (std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < batch.size;
       row += gridDim.x * blockDim.x) {
    if (status[row] != Status::not_converged) continue;
    OpenRow& to = rows[atomicAdd(count, 1U)];
    to.row = row;
    to.a = batch.a.shape(row);
    to.b = batch.b.shape(row);
    copy_pose(batch.a, row, to.X_WA);
    copy_pose(batch.b, row, to.X_WB);
  }
}

__device__ void put_numbers(double* column, std::uint32_t row, const double* from, int count) {
  if (column == nullptr) return;
  double* const to = column + static_cast<std::size_t>(row) * count;
  for (int i = 0; i < count; ++i) to[i] = from[i];
}

__global__ void __launch_bounds__(128)
    scatter_kernel(const ClosedRow* rows, std::uint32_t count, DistanceColumns out) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const ClosedRow& from = rows[i];
  out.status[from.row] = from.status;
  if (out.iterations != nullptr) out.iterations[from.row] = from.iterations;
  put_numbers(out.distance, from.row, &from.distance, 1);
  put_numbers(out.lower, from.row, &from.lower, 1);
  put_numbers(out.upper, from.row, &from.upper, 1);
  put_numbers(out.normal, from.row, from.normal, 3);
  put_numbers(out.point_a, from.row, from.point_a, 3);
  put_numbers(out.point_b, from.row, from.point_b, 3);
  put_numbers(out.distance_jacobian, from.row, from.distance_jacobian, 12);
  put_numbers(out.normal_jacobian, from.row, from.normal_jacobian, 36);
  put_numbers(out.point_a_jacobian, from.row, from.point_a_jacobian, 36);
  put_numbers(out.point_b_jacobian, from.row, from.point_b_jacobian, 36);
}

/// The open rows of one chunk, in the order of rows.
std::vector<OpenRow> open_rows(const BatchView& batch, const Status* status, int num_processors,
                               Stream stream) {
  DeviceArray<std::uint32_t> count;
  count.grow(1);
  const auto counted = [&] {
    std::uint32_t number = 0;
    check_cuda(
        cudaMemcpyAsync(&number, count.data(), sizeof number, cudaMemcpyDeviceToHost, stream),
        "open rows");
    check_cuda(cudaStreamSynchronize(stream), "the batch");
    return number;
  };
  const int wide = 8 * num_processors;
  check_cuda(cudaMemsetAsync(count.data(), 0, sizeof(std::uint32_t), stream), "open rows");
  count_kernel<<<wide, 256, 0, stream>>>(status, batch.size, count.data());
  check_cuda(cudaGetLastError(), "open rows");
  std::vector<OpenRow> rows(counted());
  if (rows.empty()) return rows;
  DeviceArray<OpenRow> gathered;
  gathered.grow(rows.size());
  check_cuda(cudaMemsetAsync(count.data(), 0, sizeof(std::uint32_t), stream), "open rows");
  gather_kernel<<<wide, 256, 0, stream>>>(status, batch, count.data(), gathered.data());
  check_cuda(cudaGetLastError(), "open rows");
  check_cuda(cudaMemcpyAsync(rows.data(), gathered.data(), rows.size() * sizeof(OpenRow),
                             cudaMemcpyDeviceToHost, stream),
             "open rows");
  check_cuda(cudaStreamSynchronize(stream), "open rows");
  std::sort(rows.begin(), rows.end(),
            [](const OpenRow& a, const OpenRow& b) { return a.row < b.row; });
  return rows;
}

/// Columns of the library, as vectors.
struct HostColumns {
  HostColumns(std::size_t size, bool derivatives)
      : status(size),
        distance(size),
        lower(size),
        upper(size),
        iterations(size),
        normal(size),
        point_a(size),
        point_b(size),
        distance_jacobian(size),
        normal_jacobian(derivatives ? size : 0),
        point_a_jacobian(derivatives ? size : 0),
        point_b_jacobian(derivatives ? size : 0) {}

  tactum::DistanceColumns columns() {
    return {.status = status,
            .distance = distance,
            .normal = normal,
            .point_a = point_a,
            .point_b = point_b,
            .lower = lower,
            .upper = upper,
            .iterations = iterations,
            .jacobian = {.distance_jacobian = distance_jacobian,
                         .normal_jacobian = normal_jacobian,
                         .point_a_jacobian = point_a_jacobian,
                         .point_b_jacobian = point_b_jacobian}};
  }

  std::vector<Status> status;
  std::vector<double> distance, lower, upper;
  std::vector<std::int32_t> iterations;
  std::vector<Vector3> normal, point_a, point_b;
  std::vector<PackedRow12> distance_jacobian;
  std::vector<Packed3x12> normal_jacobian, point_a_jacobian, point_b_jacobian;
};

template <class From>
void copy_numbers(double* to, const From& from) {
  std::copy(from.data(), from.data() + from.size(), to);
}

ClosedRow closed_row(std::uint32_t row, const HostColumns& found, std::size_t i) {
  ClosedRow closed{};
  closed.row = row;
  closed.status = found.status[i];
  closed.iterations = found.iterations[i];
  closed.distance = found.distance[i];
  closed.lower = found.lower[i];
  closed.upper = found.upper[i];
  copy_numbers(closed.normal, found.normal[i]);
  copy_numbers(closed.point_a, found.point_a[i]);
  copy_numbers(closed.point_b, found.point_b[i]);
  copy_numbers(closed.distance_jacobian, found.distance_jacobian[i]);
  if (found.normal_jacobian.empty()) return closed;
  copy_numbers(closed.normal_jacobian, found.normal_jacobian[i]);
  copy_numbers(closed.point_a_jacobian, found.point_a_jacobian[i]);
  copy_numbers(closed.point_b_jacobian, found.point_b_jacobian[i]);
  return closed;
}

/// The library's answers of the open rows.
std::vector<ClosedRow> closed_rows(const tactum::ShapeTable& table,
                                   const std::vector<OpenRow>& rows, double tolerance,
                                   bool derivatives) {
  std::vector<std::int32_t> index_a, index_b;
  std::vector<double> poses_a, poses_b;
  for (const OpenRow& row : rows) {
    index_a.push_back(row.a);
    index_b.push_back(row.b);
    poses_a.insert(poses_a.end(), row.X_WA, row.X_WA + 7);
    poses_b.insert(poses_b.end(), row.X_WB, row.X_WB + 7);
  }
  HostColumns found(rows.size(), derivatives);
  BatchWorkspace work;
  const auto side = [&table](std::span<const std::int32_t> index, std::span<const double> poses) {
    return tactum::BatchSide{table.shapes(), index, PoseSpan::from_xyz_xyzw(poses),
                             table.geometries()};
  };
  tactum::distances({.size = rows.size(), .a = side(index_a, poses_a), .b = side(index_b, poses_b)},
                    {.tolerance = tolerance}, work, found.columns());
  std::vector<ClosedRow> closed;
  for (std::size_t i = 0; i < rows.size(); ++i) closed.push_back(closed_row(rows[i].row, found, i));
  return closed;
}

}  // namespace

std::size_t finish_on_cpu(const ShapeTable& table, const PairBatch& pairs,
                          const DistancesOptions& options, Workspace& work,
                          const DistanceColumns& out, Stream stream) {
  check_tolerance(options.tolerance);
  check_batch(table, pairs);
  if (out.status == nullptr)
    throw InvalidInput("out.status", "null", "give the status that `distances` wrote");
  const ShapeTable::Memory& memory = table.memory();
  const bool derivatives = out.normal_jacobian != nullptr || out.point_a_jacobian != nullptr ||
                           out.point_b_jacobian != nullptr;
  const tactum::ShapeTable library = tactum::ShapeTable::of_geometries(memory.geometries);
  std::size_t total = 0;
  for (std::size_t first = 0; first < pairs.size; first += kRowsPerLaunch) {
    const DistanceColumns columns = columns_from(out, first);
    const BatchView batch = rows_of(pairs, first, std::min(kRowsPerLaunch, pairs.size - first));
    const std::vector<OpenRow> rows = open_rows(batch, columns.status, memory.num_processors,
                                                stream);
    if (rows.empty()) continue;
    const std::vector<ClosedRow> closed = closed_rows(
        library, rows, std::min(options.tolerance, 1e-10), derivatives);
    DeviceArray<ClosedRow> sent;
    sent.grow(closed.size());
    check_cuda(cudaMemcpyAsync(sent.data(), closed.data(), closed.size() * sizeof(ClosedRow),
                               cudaMemcpyHostToDevice, stream),
               "rows of the host");
    const auto count = static_cast<std::uint32_t>(closed.size());
    scatter_kernel<<<(count + 127) / 128, 128, 0, stream>>>(sent.data(), count, columns);
    check_cuda(cudaGetLastError(), "rows of the host");
    check_cuda(cudaStreamSynchronize(stream), "rows of the host");
    total += closed.size();
  }
  work.memory().on_cpu = total;
  return total;
}

}  // namespace tactum::gpu
