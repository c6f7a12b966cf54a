// SPDX-License-Identifier: BSD-2-Clause
// Moments of an ellipsoid with a ball swept around it, about its center.
#pragma once

#include "shape/mass/moments.hpp"

namespace tactum {

Moments ellipsoid_moments(const Vector3& semi_axes, double margin);

}  // namespace tactum
