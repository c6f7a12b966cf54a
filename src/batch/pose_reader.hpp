// SPDX-License-Identifier: BSD-2-Clause
// The poses of one side of a batch, whatever their form, as values.
#pragma once

#include <cstddef>

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

  /// Pose of a row, in the caller's memory or in `scratch`; null when its numbers cannot be read as one. Whether its rotation is one
  /// is not looked at; a quaternion is checked and normalised, and `scratch.corrected` says that it needed it.
  const Pose* read(std::size_t row, CheckedPose& scratch) const {
    if (poses_.size() != 1) return load(row, scratch);
    scratch.corrected = single_.corrected;
    return good_ ? &single_.pose : nullptr;
  }

 private:
  const Pose* load(std::size_t row, CheckedPose& scratch) const {
    const double* const numbers = static_cast<const double*>(poses_.data());
    const Pose* pose = &scratch.pose;
    scratch.corrected = false;
    switch (poses_.form()) {
      case PoseSpan::Form::pose: pose = static_cast<const Pose*>(poses_.data()) + row; break;
      case PoseSpan::Form::matrix: {
        const double* const m = numbers + 16 * row;
        if (!is_homogeneous_row(m + 12)) return nullptr;
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

  PoseSpan poses_;
  CheckedPose single_;
  bool good_ = false;
};

}  // namespace tactum
