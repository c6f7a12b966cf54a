// SPDX-License-Identifier: BSD-2-Clause
// Refinement at the straight side of a cylinder or a cone: both ends of the side are active pieces.
//
// Why        along the arc of normals of a rim, from that of the cap to that of the side, the
//            separation from a much smaller core changes by less than a search of directions can
//            tell. Newton on the rim alone steps beyond the arc and is refused, although the end of
//            the arc, where the other end of the side becomes active, is the optimum.
// Solves     the conditions of narrow/gjk/newton_refinement.hpp, beginning with both ends of the
// side
//            at the azimuth of the present normal.
// Fails      returns false where no core has a straight side, or no better optimum is found.
#pragma once

#include "narrow/pair/core_optimum.hpp"
#include "narrow/pair/core_pair.hpp"

namespace tactum {

/// Tries the sides of both cores. Returns whether `optimum` was replaced by a stationary point with
/// a larger lower bound.
bool refine_by_side(CorePair& pair, SeparationOptimum& optimum);

}  // namespace tactum
