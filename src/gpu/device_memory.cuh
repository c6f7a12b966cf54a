// SPDX-License-Identifier: BSD-2-Clause
// Memory that lives on the device between calls, and errors of CUDA as exceptions.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gpu/lane_polytope.hpp"
#include "gpu/object_pair.hpp"
#include "tactum/gpu/distances.hpp"

namespace tactum::gpu {

/// Throws DeviceError. CUDA keeps the last error until it is asked for, so it is asked for here:
/// otherwise the check behind the next launch would report this one again.
inline void check_cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw DeviceError(std::string(what) + ": " + cudaGetErrorString(error));
}

/// An array on the device that grows and never shrinks.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  void grow(std::size_t size) {
    if (size <= size_) return;
    cudaFree(data_);
    data_ = nullptr;
    size_ = 0;
    check_cuda(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)),
               "memory on the device");
    size_ = size;
  }
  void copy_from(std::span<const T> values) {
    grow(values.size());
    if (!values.empty()) {
      check_cuda(cudaMemcpy(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice),
                 "copy to the device");
    }
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

struct ShapeTable::Memory {
  DeviceArray<CoreRecord<float>> single;
  DeviceArray<CoreRecord<double>> exact;
  DeviceArray<FourFloats> blocks;
  DeviceArray<double> vertices;
  DeviceArray<DirectionList> lists;   ///< of small tables of hulls alone
  DeviceArray<ObjectRecord> objects;  ///< none in a table of convex shapes
  DeviceArray<PartBounds> bounds;
  DeviceArray<double> part_poses;
  KindSet kinds = 0;
  int num_objects = 0;
  int num_shapes = 0;   ///< convex ones, parts of objects counted
  int most_parts = 1;   ///< that an object has
  int most_blocks = 0;  ///< of four vertices, that a hull has
  int num_records = 0;  ///< of four floats
  int device = 0;
  int num_processors = 0;
  int shared_bytes = 0;              ///< that one block may use
  std::vector<Geometry> geometries;  ///< on the host

  /// This table with a point behind its last shape, made when points are first asked for.
  const Memory& with_point() const;

 private:
  mutable std::once_flag point_made_;
  mutable std::unique_ptr<Memory> with_point_;
};

/// Rows of one launch. A batch is cut into launches of at most so many rows, which bounds the
/// workspace; and polytopes that lanes leave for their proof, so many at a time.
inline constexpr std::size_t kRowsPerLaunch = std::size_t{1} << 24U;
inline constexpr std::size_t kPolytopesAtOnce = std::size_t{1} << 21U;

/// Numbers of one launch.
struct LaunchCounters {
  std::uint32_t next_row;      ///< that nobody has claimed
  std::uint32_t num_again;     ///< rows to be searched again
  std::uint32_t num_overlaps;  ///< rows whose simplex seems to hold the origin
  std::uint32_t num_deep;      ///< of the rows searched again, those whose depth is to be found
  std::uint32_t num_left;      ///< rows whose polytope is too large for a lane
  std::uint32_t unused;
  std::uint32_t next_polytope[kRowsPerLaunch / kPolytopesAtOnce];  ///< that no lane has claimed
};
struct Counters : LaunchCounters {
  unsigned long long searched_again, not_converged, overlapping;
};

/// A pair of parts of a row: which of the parts of its two objects.
struct PartPair {
  std::uint32_t row;
  std::uint16_t a, b;
};

/// Pairs of parts as a batch of their own, and their answers (object_distances.cu).
struct PartBatch {
  DeviceArray<PartPair> pairs;
  DeviceArray<std::int32_t> index_a, index_b, iterations;
  DeviceArray<double> poses_a, poses_b, distance, lower, upper, normal, point_a, point_b;
  DeviceArray<Status> status;
};

/// The bounds found so far for a row of objects, as integers in the order of the doubles, so that
/// integer operations find the smallest.
struct ObjectRow {
  unsigned long long lower, upper;
  unsigned long long winner;  ///< parts, then place in the batch of parts
};

/// One counter for the rows of a call, and one for its pairs of parts.
inline constexpr std::size_t kNumCounters = 2;

/// Columns that a call needs and does not return, of one launch.
struct InnerColumns {
  DeviceArray<Status> status;
  DeviceArray<double> distance, normal, point_a, point_b;
};

/// Points as a batch of shapes.
struct PointRows {
  DeviceArray<std::int32_t> index, point_index;
  DeviceArray<double> poses;
};

struct Workspace::Memory {
  DeviceArray<Counters> counters;
  DeviceArray<std::uint32_t> num_parts;  ///< rows of the batch of parts
  PartBatch parts;
  DeviceArray<PartPair> again_parts;
  DeviceArray<ObjectRow> object_rows;
  DeviceArray<std::uint32_t> row_weights;
  DeviceArray<std::uint32_t> again, overlaps, left;  ///< rows
  DeviceArray<EndedPolytope> polytopes;
  InnerColumns inner;
  PointRows points;
  std::uint64_t on_cpu = 0;                   ///< rows of the last call that the host has answered
  DeviceArray<FourFloats> ended, directions;  ///< what searches leave for their proofs, 16 bytes
                                              ///< each
};

/// A side as the kernels read it.
struct SideView {
  const std::int32_t* index;
  const double* poses;
  int stride;  ///< 7, or 0 for one pose

  TACTUM_HOST_DEVICE int shape(std::uint32_t row) const {
    return index != nullptr ? index[row] : 0;
  }
  TACTUM_HOST_DEVICE WorldPose pose(std::uint32_t row) const {
    return read_pose(poses + static_cast<std::size_t>(row) * stride);
  }
};

struct BatchView {
  SideView a, b;
  std::uint32_t size;            ///< how many rows there are, or may be
  const std::uint32_t* counted;  ///< on the device; null: as many as there may be

  TACTUM_HOST_DEVICE std::uint32_t num_rows() const {
    return counted != nullptr && *counted < size ? *counted : size;
  }
};

struct TableArrays {
  const CoreRecord<float>* single;
  const CoreRecord<double>* exact;
  const FourFloats* blocks;
  const double* vertices;
  const DirectionList* lists;  ///< or null
  int num_lists;
  int num_shapes;
  int num_records;

  /// The whole table in the memory of the device.
  TACTUM_HOST_DEVICE TableView<1> view() const { return {single, exact, {blocks, vertices, 0}}; }
};

TableArrays arrays_of(const ShapeTable::Memory& memory);
ObjectArrays objects_of(const ShapeTable::Memory& memory);
BatchView rows_of(const PairBatch& pairs, std::size_t first, std::size_t size);
/// Forgets the counts of the last call.
void reset_counts(Workspace::Memory& scratch, Stream stream);

/// The columns from a row on.
DistanceColumns columns_from(const DistanceColumns& out, std::size_t first);

/// Throw InvalidInput.
void check_batch(const ShapeTable& table, const PairBatch& pairs);
void check_current_device(int made_on, const char* field);
void check_pairs(const PairBatch& pairs);
void check_tolerance(double tolerance);

}  // namespace tactum::gpu
