// SPDX-License-Identifier: BSD-2-Clause
// Moments of polytopes with a ball swept around them.
#pragma once

#include "shape/mass/moments.hpp"

namespace tactum {

class ConvexPolytope;

/// Hull of dimension 2 or 3 with a ball of radius `margin` swept around it, about its centroid().
Moments rounded_polytope_moments(const ConvexPolytope& polytope, double margin);

/// Box with a ball of radius `margin` swept around it, about its center.
Moments rounded_box_moments(const Vector3& half_extents, double margin);

}  // namespace tactum
