// SPDX-License-Identifier: BSD-2-Clause
// What every batched query shares: arrays of poses in the form they are in, and a workspace.
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

  /// From 16 numbers a pose. Throws InvalidInput when they are not a multiple of that.
  static PoseSpan from_matrices(std::span<const double> values);
  /// From 7 numbers a pose. Throws InvalidInput when they are not a multiple of that.
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

/// What a batch needs besides its input and output: threads that wait for the next one. Keep it,
/// and nothing is allocated or started again. One batch at a time; a workspace for each thread that
/// calls. Safe to keep across a fork.
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
