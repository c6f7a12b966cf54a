// SPDX-License-Identifier: BSD-2-Clause
// What lives on the device between calls, and errors of CUDA as exceptions.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "gpu/distance_pair.hpp"
#include "tactum/gpu/distances.hpp"

namespace tactum::gpu {

inline void check_cuda(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw DeviceError(std::string(what) + ": " + cudaGetErrorString(error));
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
  KindSet kinds = 0;
  int num_shapes = 0;
  int num_records = 0;  ///< of four floats
  int device = 0;
  int num_processors = 0;
  int shared_bytes = 0;  ///< that one block may use
};

/// Numbers of one launch.
struct LaunchCounters {
  std::uint32_t next_row;      ///< that nobody has claimed
  std::uint32_t num_again;     ///< rows to be searched again
  std::uint32_t num_overlaps;  ///< rows whose simplex seems to hold the origin
  std::uint32_t num_deep;      ///< of the rows searched again, those whose depth is to be found
};
struct Counters : LaunchCounters {
  unsigned long long searched_again, not_converged, overlapping;
};

struct Workspace::Memory {
  DeviceArray<Counters> counters;
  DeviceArray<std::uint32_t> again, overlaps;  ///< rows
  DeviceArray<FourFloats> ended, directions;   ///< what searches leave for their proofs, 16 bytes
                                               ///< each
};

/// Rows of one launch. A batch is cut into launches of at most so many rows, which bounds the
/// workspace.
inline constexpr std::size_t kRowsPerLaunch = std::size_t{1} << 24U;

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
  std::uint32_t size;
};

struct TableArrays {
  const CoreRecord<float>* single;
  const CoreRecord<double>* exact;
  const FourFloats* blocks;
  const double* vertices;
  int num_shapes;
  int num_records;

  /// The whole table in the memory of the device.
  TACTUM_HOST_DEVICE TableView<1> view() const { return {single, exact, {blocks, vertices, 0}}; }
};

TableArrays arrays_of(const ShapeTable::Memory& memory);
BatchView rows_of(const PairBatch& pairs, std::size_t first, std::size_t size);
void check_batch(const ShapeTable& table, const PairBatch& pairs);

}  // namespace tactum::gpu
