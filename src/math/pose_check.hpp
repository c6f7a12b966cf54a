// SPDX-License-Identifier: BSD-2-Clause
// Checks of a pose without exceptions. check_pose and pose_from_xyz_xyzw decide by them, and
// batches use them, where a bad row is a status and must cost no more than a good one.
#pragma once

#include <cstdint>
#include <optional>

#include "tactum/pose.hpp"

namespace tactum {

enum class PoseQuality : std::uint8_t {
  exact,        ///< max|R^T R - I| / 2 at most 1e-12: used as it is
  correctable,  ///< at most 1e-6: the nearest rotation is used
  bad,          ///< worse, mirrored, not finite, or a coordinate beyond 1e30 m
};

/// Quality of a pose; never traps and never throws, whatever the numbers are.
PoseQuality pose_quality(const Pose& pose) noexcept;

/// The pose of (x, y, z, qx, qy, qz, qw), or nothing where pose_from_xyz_xyzw would throw.
/// `corrected` means that the norm of the quaternion was off by more than 1e-12.
std::optional<CheckedPose> try_pose_from_xyz_xyzw(const Vector7& xyz_xyzw) noexcept;

/// Whether a point is finite and no coordinate beyond 1e30 m.
bool is_point(const Vector3& point) noexcept;

/// Whether the last row of a homogeneous matrix is (0, 0, 0, 1) within 1e-12.
bool is_homogeneous_row(const double* row) noexcept;

}  // namespace tactum
