// SPDX-License-Identifier: BSD-2-Clause
// Distances and collisions of many pairs on an NVIDIA GPU: arrays that live there go in and come
// out, nothing is copied.
//
// Names, frames and conventions are those of tactum::distances. Every pointer of a batch and of its
// columns is device memory of the device that the shape table was made on. Calls return at once;
// their work is done in the order of the stream. Row i depends on row i alone: same input, same
// bits, for any batch. There is one exception. `distances` of tables with compounds takes 131,072
// rows at a time, with room for 32 pairs of parts a row on average; where more pairs of parts are
// near, rows that find no room are bounded and not_converged, and which rows these are may change
// from one call to the next. finish_on_cpu answers them.
//
// Search is in single precision, with relative poses formed in double; the plane and the points it
// finds are proved in double, and what is not proved is searched again in double. So `lower <=
// distance <= upper` holds as on the CPU. Rows whose bounds are wider than the tolerance have the
// status not_converged; where cores overlap, as some curved ones do, `upper < 0` proves the
// overlap, `distance = lower` is a translation along the normal that separates them, and
// tactum::distance finds the depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "tactum/geometry.hpp"
#include "tactum/shape.hpp"
#include "tactum/status.hpp"

struct CUstream_st;  // what a cudaStream_t points to

namespace tactum::gpu {

using Stream = CUstream_st*;

/// A call of CUDA failed: no device, out of memory, or an error of earlier work.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How many devices there are; 0 where CUDA finds none.
int num_devices();

/// Shapes copied to the current device, constant from then on. Cheap to copy.
class ShapeTable {
 public:
  /// Throws InvalidInput for an empty list, for an Stp and for a hull of more than 256 vertices;
  /// DeviceError when the device refuses.
  explicit ShapeTable(std::span<const Shape> shapes);
  /// Objects: convex shapes and compounds of up to 64 parts. The distance of two objects is the
  /// smallest over all pairs of parts, as on the CPU.
  explicit ShapeTable(std::span<const Geometry> objects);

  std::size_t size() const;
  std::size_t nbytes() const;  ///< on the device

  struct Memory;
  const Memory& memory() const { return *memory_; }  ///< for the queries themselves

 private:
  std::shared_ptr<const Memory> memory_;
};

/// The shapes A or the shapes B of all pairs.
struct BatchSide {
  const std::int32_t* index = nullptr;  ///< into the table, one for each pair; null: shape 0 for
                                        ///< all
  const double* poses = nullptr;        ///< x, y, z, qx, qy, qz, qw for each pair
  bool one_pose = false;                ///< seven numbers for all pairs instead
};

struct PairBatch {
  std::size_t size = 0;
  BatchSide a;
  BatchSide b;
};

/// Where the answers go, one column for each field. Null: not wanted.
struct DistanceColumns {
  Status* status = nullptr;
  double* distance = nullptr;
  double* normal = nullptr;   ///< three for each pair
  double* point_a = nullptr;  ///< three for each pair
  double* point_b = nullptr;  ///< three for each pair
  double* lower = nullptr;
  double* upper = nullptr;
  double* distance_jacobian = nullptr;  ///< twelve for each pair: [v; w] of A, then of B, each in
                                        ///< its own frame
  std::int32_t* iterations = nullptr;
  double* normal_jacobian = nullptr;   ///< 3 x 12 for each pair, row after row: world axes by the
                                       ///< same twelve motions
  double* point_a_jacobian = nullptr;  ///< likewise
  double* point_b_jacobian = nullptr;  ///< likewise
};

struct DistancesOptions {
  double tolerance = 1e-6;  ///< upper - lower <= tolerance * scale, or not_converged; at least 64
                            ///< eps
  bool depth = true;  ///< false: where cores overlap, depths are bounded and not found, which is
                      ///< faster; such rows have the status not_converged, with upper < 0
};

/// Counts of the rows of the last call: how many were proved by which kernel.
struct Counts {
  std::uint64_t searched_again = 0;  ///< rows that single precision could not prove
  std::uint64_t not_converged = 0;   ///< rows with that status, overlapping ones included
  std::uint64_t overlapping = 0;     ///< of these, rows that are proved to overlap: the CPU finds
                                     ///< their depth
  std::uint64_t on_cpu = 0;          ///< rows that finish_on_cpu() has answered since
};

/// Memory on the device that calls use and keep: nothing is allocated once it has served a batch as
/// large. One call at a time.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  Counts counts(Stream stream = nullptr) const;  ///< of the last call; waits for it

  struct Memory;
  Memory& memory() { return *memory_; }  ///< for the queries themselves

 private:
  std::unique_ptr<Memory> memory_;
};

/// Signed distances of all pairs. Throws InvalidInput on a bad option or a missing pointer,
/// DeviceError when the device refuses. A row with a bad pose or an index out of range, and one of
/// two half-spaces, has the status invalid_input.
void distances(const ShapeTable& table, const PairBatch& pairs, const DistancesOptions& options,
               Workspace& work, const DistanceColumns& out, Stream stream = nullptr);

/// Rows of a call of `distances` that have the status not_converged, answered by tactum::distances
/// on all cores of the host: to a tolerance of 1e-10, or that of the call if it is smaller. Takes
/// the arguments of that call, waits for it, and returns how many rows there were. The columns must
/// have a status.
std::size_t finish_on_cpu(const ShapeTable& table, const PairBatch& pairs,
                          const DistancesOptions& options, Workspace& work,
                          const DistanceColumns& out, Stream stream = nullptr);

/// Whether the shapes of each pair share a point: `penetrating` where overlap is proved,
/// `separated` where a plane separates them, `touching` within 1e-10 of the scale, `not_converged`
/// where double precision cannot decide, `invalid_input` as above. `status` has one entry for each
/// pair.
void collides(const ShapeTable& table, const PairBatch& pairs, Workspace& work, Status* status,
              Stream stream = nullptr);

}  // namespace tactum::gpu
