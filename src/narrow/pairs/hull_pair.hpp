// SPDX-License-Identifier: BSD-2-Clause
// A hull and a point apart from it: the core of a sphere.
//
// Computes   the projection of the point on the hull (hull_projection.hpp), and the normal there.
// Proof      the farthest vertex along the normal, over all vertices, against the distance of the
//            point from its projection.
// Fails      where the point is inside or on the surface, where the hull is flat, and where the
//            proof does not hold.
#pragma once

#include "narrow/pairs/curved_pair.hpp"

namespace tactum {

/// Solves a hull as the first and a point as the second of the pair.
SolvePair solve_hull_point;

}  // namespace tactum
