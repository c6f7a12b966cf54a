// SPDX-License-Identifier: BSD-2-Clause
// The smallest sphere around points.
#pragma once

#include "tactum/bounding_volume.hpp"

namespace tactum {

/// Smallest sphere around finite points, at least one. The radius is the distance of the farthest
/// point from the center, so that all points are inside whatever the rounding.
BoundingSphere smallest_sphere(const Points& points);

}  // namespace tactum
