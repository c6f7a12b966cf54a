// SPDX-License-Identifier: BSD-2-Clause
// The answer of polyhedral cores from what the last query of the pair left, if that proves it
// again.
//
// Apart      The simplex where GJK ended, its points taken anew from the vertices they are named
//            by: GJK goes on from there.
// Contact    The polytope that proved the last depth, its points taken anew. sep(n) of its first
//            face bounds the signed distance from below. It bounds it from above by the value of
//            that plane when every triangle lies beyond the ball of that radius around the origin:
//            the triangles are a closed surface (WarmPolytope), all turned outwards as seen from
//            the origin, so they wind around it at least once and every ray from it meets one of
//            them; all are in M, so the ball is. Nothing has to be convex. Where the first face is
//            no longer the answer, the polytope is expanded from there (epa_polyhedral.hpp).
// Cost       in the plain case one support of each core and a few products for each triangle;
//            nothing is sorted, searched or divided.
#pragma once

#include "narrow/pair/core_optimum.hpp"

namespace tactum {

struct WarmLimits {
  double gap;          ///< m: upper - lower that counts as exact
  int max_iterations;  ///< of GJK
  double stop_above;   ///< m: stop as soon as lower is larger
};

/// Tries to answer from `last`; false where that proves nothing, and then `direction` is set to the
/// best one seen, if there was one. Vertices that the cores do not have are noticed.
bool solve_from_last(CorePair& pair, const WarmPolytope& last, const WarmLimits& limits,
                     CoreDistance& answer, Vector3& direction);

}  // namespace tactum
