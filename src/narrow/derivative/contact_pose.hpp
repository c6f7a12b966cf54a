// SPDX-License-Identifier: BSD-2-Clause
// The search behind contact_pose() in two parts, so that batches check once and then search without
// exceptions.
#pragma once

#include "tactum/contact_pose.hpp"

namespace tactum {

/// Checks the options of contact_pose(); throws InvalidInput that names the option.
void check_contact_pose_options(const ContactPoseOptions& options);

/// Throws InvalidInput where the estimator cannot be used for this shape.
void check_contact_pose_shape(const ContactPoseOptions& options, const Shape& shape);

/// Runs the search, for options, shapes and a start that have been checked. False for two
/// half-spaces and for a target that is not finite. Never allocates, never throws.
bool try_contact_pose(const Shape& a, const Shape& b, const Vector3& target_a,
                      const Vector3& target_b, const Pose& start, const ContactPoseOptions& options,
                      std::span<double> history, ContactPose& result);

}  // namespace tactum
