// SPDX-License-Identifier: BSD-2-Clause
// A hull and a point apart from it: the core of a sphere.
//
// Computes   the foot of the point (hull_projection.hpp), and the normal from there.
// Proof      the farthest vertex along the normal, over all vertices, against the distance of the
//            point from its foot.
// Fails      where the point is inside or on the surface, where the hull is flat, and where the
//            proof does not hold.
#pragma once

#include "narrow/pairs/curved_pair.hpp"

namespace tactum {

/// The hull is the first of the pair, the point the second.
SolvePair solve_hull_point;

}  // namespace tactum
