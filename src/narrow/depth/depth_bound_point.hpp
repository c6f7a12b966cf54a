// SPDX-License-Identifier: BSD-2-Clause
// Proof of a penetration depth from one point of contact.
//
// Idea   A translation that separates the cores takes every point of B out of A. So the depth is at
//        least that of any point of B in A, which is a closed form for boxes, cylinders, cones and
//        STP volumes, and has a bound for ellipsoids that is exact at the optimum. Where a corner
//        of one core lies in a face or a side of the other, both depths agree, and the depth is
//        proved to be global. This includes optima that fill a curve, as when the point lies on the
//        axis of a cylinder.
#pragma once

#include "narrow/gjk/newton_refinement.hpp"

namespace tactum {

/// Upper bound of the signed distance of cores that overlap along the normal of `optimum`, from its
/// two points, each in the other core; infinite where neither core has a bound.
double upper_bound_by_points(const CorePair& pair, const SeparationOptimum& optimum);

}  // namespace tactum
