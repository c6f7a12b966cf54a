// SPDX-License-Identifier: BSD-2-Clause
// Moments of sphere-torus-patch volumes.
#pragma once

#include "shape/mass/moments.hpp"

namespace tactum {

class StpSurface;

/// Moments of the surface with a ball of the given radius swept around it, about `reference`. The
/// relative error is about 1e-13.
Moments stp_moments(const StpSurface& surface, double radius, const Vector3& reference);

}  // namespace tactum
