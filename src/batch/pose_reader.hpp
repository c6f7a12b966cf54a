// SPDX-License-Identifier: BSD-2-Clause
// Poses of one side of a batch, in any of the three forms, as values.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "math/pose_check.hpp"
#include "tactum/batch.hpp"

namespace tactum {

class PoseReader {
 public:
  explicit PoseReader(const PoseSpan& poses) : poses_(poses) {
    if (poses.size() != 1) return;
    const Pose* const pose = load(0, single_);
    good_ = pose != nullptr;
    if (good_) single_.pose = *pose;
  }

  /// Pose of a row, in the caller's memory or in `scratch`; null when its numbers cannot be read as
  /// a pose. The rotation of a matrix is not checked; a quaternion is checked and normalized, and
  /// `scratch.corrected` says whether its norm was off.
  const Pose* read(std::size_t row, CheckedPose& scratch) const {
    if (poses_.size() != 1) return load(row, scratch);
    scratch.corrected = single_.corrected;
    return good_ ? &single_.pose : nullptr;
  }

 private:
  /// Decides like is_homogeneous_row(); the row of nearly all matrices is recognized by its bits.
  static bool is_last_row(const double* row) {
    const auto bits = [row](int i) { return std::bit_cast<std::uint64_t>(row[i]); };
    const bool is_usual = (bits(0) | bits(1) | bits(2)) == 0 &&
                          bits(3) == std::bit_cast<std::uint64_t>(1.0);
    return is_usual || is_homogeneous_row(row);
  }

  const Pose* load(std::size_t row, CheckedPose& scratch) const {
    const double* const numbers = static_cast<const double*>(poses_.data());
    const Pose* pose = &scratch.pose;
    scratch.corrected = false;
    switch (poses_.form()) {
      case PoseSpan::Form::pose: pose = static_cast<const Pose*>(poses_.data()) + row; break;
      case PoseSpan::Form::matrix: {
        const double* const m = numbers + 16 * row;
        if (!is_last_row(m + 12)) return nullptr;
        scratch.pose.rotation << m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10];
        scratch.pose.translation << m[3], m[7], m[11];
        break;
      }
      case PoseSpan::Form::xyz_xyzw: {
        const auto made = try_pose_from_xyz_xyzw(Eigen::Map<const Vector7>(numbers + 7 * row));
        if (made) scratch = *made;
        return made ? pose : nullptr;
      }
    }
    return pose;
  }

  friend class PoseBlock;

  PoseSpan poses_;
  CheckedPose single_;
  bool good_ = false;
};

/// The poses of a few rows, read before the first is used: numbers that were just stored one by one
/// cannot be loaded as vectors at once.
class PoseBlock {
 public:
  static constexpr std::size_t kMaxRows = 16;

  // every pose is written before it is read
  explicit PoseBlock(const PoseReader& reader) : reader_(reader) {}

  /// Reads rows from `begin` on: at most kMaxRows, or any number where nothing has to be copied.
  std::size_t read(std::size_t begin, std::size_t end) {
    if (reader_.poses_.size() == 1) {
      first_ = &reader_.single_.pose;
      step_ = 0;
      state_ = !reader_.good_              ? State::bad
               : reader_.single_.corrected ? State::corrected
                                           : State::good;
      return end;
    }
    step_ = 1;
    if (reader_.poses_.form() == PoseSpan::Form::pose) {
      first_ = static_cast<const Pose*>(reader_.poses_.data()) + begin;
      return end;
    }
    end = std::min(end, begin + kMaxRows);
    read_one_by_one(begin, end);
    return end;
  }

  const Pose& pose(std::size_t i) const { return first_[i * step_]; }
  bool is_good(std::size_t i) const { return state(i) != State::bad; }
  bool is_corrected(std::size_t i) const { return state(i) == State::corrected; }

 private:
  enum class State : std::uint8_t { good, corrected, bad };

  State state(std::size_t i) const { return states_are_own_ ? states_[i] : state_; }

  void read_one_by_one(std::size_t begin, std::size_t end) {
    CheckedPose scratch;
    states_are_own_ = true;
    first_ = poses_.data();
    for (std::size_t row = begin; row < end; ++row) {
      const Pose* const pose = reader_.load(row, scratch);
      states_[row - begin] = pose == nullptr     ? State::bad
                             : scratch.corrected ? State::corrected
                                                 : State::good;
      poses_[row - begin] = scratch.pose;
    }
  }

  const PoseReader& reader_;
  const Pose* first_ = nullptr;
  std::size_t step_ = 0;
  bool states_are_own_ = false;
  State state_ = State::good;  ///< of all rows
  std::array<State, kMaxRows> states_;
  std::array<Pose, kMaxRows> poses_;
};

}  // namespace tactum
