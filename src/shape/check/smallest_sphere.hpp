// SPDX-License-Identifier: BSD-2-Clause
// The smallest sphere around points.
#pragma once

#include "tactum/bounding_volume.hpp"

namespace tactum {

/// Finite points, at least one. The radius is the distance of the farthest point from the centre,
/// so that all are inside whatever rounding does.
BoundingSphere smallest_sphere(const Points& points);

}  // namespace tactum
