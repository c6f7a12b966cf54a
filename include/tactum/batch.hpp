// SPDX-License-Identifier: BSD-2-Clause
// Input and workspace of batched queries: arrays of poses in the form they are in, and threads.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tactum/pose.hpp"

namespace tactum {

/// Poses in memory that the caller keeps, read in place: one for all rows of a batch, or one for
/// each row.
class PoseSpan {
 public:
  enum class Form : std::uint8_t {
    pose,      ///< tactum::Pose
    matrix,    ///< 16 numbers: homogeneous matrix, row by row
    xyz_xyzw,  ///< 7 numbers: x, y, z, qx, qy, qz, qw
  };

  PoseSpan(const Pose& pose)
      : PoseSpan(std::span(&pose, 1)) {}  // NOLINT(google-explicit-constructor): one pose for all
  template <class Range>
    requires std::convertible_to<const Range&, std::span<const Pose>>
  PoseSpan(const Range& poses)  // NOLINT(google-explicit-constructor): a vector of poses is a span
                                // of them
      : PoseSpan(static_cast<std::span<const Pose>>(poses)) {}
  PoseSpan(std::span<const Pose> poses)  // NOLINT(google-explicit-constructor)
      : data_(poses.data()), size_(poses.size()), form_(Form::pose) {}

  /// Poses given as 16 numbers each. Throws InvalidInput when the count is not a multiple of 16.
  static PoseSpan from_matrices(std::span<const double> values);
  /// Poses given as 7 numbers each. Throws InvalidInput when the count is not a multiple of 7.
  static PoseSpan from_xyz_xyzw(std::span<const double> values);

  std::size_t size() const { return size_; }
  Form form() const { return form_; }
  const void* data() const { return data_; }

 private:
  PoseSpan(const void* data, std::size_t size, Form form) : data_(data), size_(size), form_(form) {}
  const void* data_;
  std::size_t size_;
  Form form_;
};

class ThreadTeam;

/// The threads of batched queries, which wait between batches. A caller that keeps its workspace
/// allocates nothing and starts no thread again. A workspace runs one batch at a time: each calling
/// thread needs its own. It may be kept across a fork.
class BatchWorkspace {
 public:
  BatchWorkspace();
  ~BatchWorkspace();
  BatchWorkspace(BatchWorkspace&&) noexcept;
  BatchWorkspace& operator=(BatchWorkspace&&) noexcept;

  ThreadTeam& team() { return *team_; }  ///< for the batched queries themselves

 private:
  std::unique_ptr<ThreadTeam> team_;
};

}  // namespace tactum
