// SPDX-License-Identifier: BSD-2-Clause
// Penetration of two boxes by separating axes.
#pragma once

#include <optional>

#include "narrow/newton_finish.hpp"

namespace tactum {

/// Direction and (negative) separation of overlapping boxes: the largest separation over the 15 candidate axes is the global optimum.
/// Empty when an axis separates them. The witness points are left to the caller.
struct BoxAxis {
  Vector3 normal;
  double separation;
};
std::optional<BoxAxis> box_box_axis(const Vector3& half_a, const Vector3& half_b, const Pose& X_AB);

}  // namespace tactum
