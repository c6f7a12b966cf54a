// SPDX-License-Identifier: BSD-2-Clause
// Oriented boxes and swept boxes around the hull of points.
#pragma once

#include "tactum/bounding_volume.hpp"

namespace tactum {

/// The box of least volume (and surface, where the points are flat) of those with an axis along the
/// normal of a face and one along an edge of it, along the principal axes, and along the axes of
/// the frame, improved by small rotations.
OrientedBox oriented_fit(const Convex& hull);

/// The swept box of least volume, of several radii, along the axes of `box`.
SweptBox swept_fit(const Convex& hull, const OrientedBox& box);

}  // namespace tactum
