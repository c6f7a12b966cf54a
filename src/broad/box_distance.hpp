// SPDX-License-Identifier: BSD-2-Clause
// Two oriented boxes: whether an axis separates them, and how far apart they are. Boxes may be
// flat, segments or points, but not infinite.
#pragma once

#include "tactum/bounding_volume.hpp"

namespace tactum {

/// The largest gap along the 15 axes of the separating axis theorem; negative where none separates.
/// It is a lower bound of the distance.
double separating_gap(const OrientedBox& a, const OrientedBox& b);

/// Distance of a point from a box, 0 inside.
double point_distance(const OrientedBox& box, const Vector3& point);

/// Distance of two boxes, 0 where they overlap.
double box_distance(const OrientedBox& a, const OrientedBox& b);

}  // namespace tactum
