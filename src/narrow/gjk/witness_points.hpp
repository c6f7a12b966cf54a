// SPDX-License-Identifier: BSD-2-Clause
// Witness points for a normal and a signed distance that are already known.
//
// First way    B is moved along the normal until the cores just touch, and GJK finds the common
//              point.
// Second way   Where the contact is flat, or almost, the two support faces along the normal, seen
//              along it, are convex sets in a plane that have a point in common. GJK in that plane
//              finds it: the iterates are tangential parts of points of M, the supports stay on the
//              faces (shape/support/face_support.hpp).
#pragma once

#include "narrow/gjk/newton_refinement.hpp"

namespace tactum {

/// Replaces the points of `optimum` when better ones are found: point_b - point_a nearer to lower *
/// normal. Returns whether the points are within rounding.
bool find_witness_points(CorePair& pair, SeparationOptimum& optimum);

}  // namespace tactum
