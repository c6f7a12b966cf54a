// SPDX-License-Identifier: BSD-2-Clause
// Answers a query of polyhedral cores from the record of the last query of the pair, if that record
// proves the answer again.
//
// Apart      GJK continues from the simplex where it ended, whose points are computed again from
// the
//            vertices that name them.
// Contact    The points of the polytope that proved the last depth are computed again. sep(n) of
// its
//            first face bounds the signed distance from below. The value of that plane bounds it
//            from above when every triangle lies beyond the ball of that radius around the origin:
//            the triangles are a closed surface (WarmPolytope), all turned outwards as seen from
//            the origin, so they wind around it at least once and every ray from it meets one of
//            them; all are in M, so the ball is. Nothing has to be convex. Where the first face is
//            no longer the answer, the polytope is expanded from there (epa_polyhedral.hpp).
// Cost       in the common case one support of each core and a few products for each triangle;
//            nothing is sorted, searched or divided.
#pragma once

#include "narrow/pair/core_optimum.hpp"

namespace tactum {

struct WarmLimits {
  double gap;          ///< m: upper - lower that counts as exact
  int max_iterations;  ///< of GJK
  double stop_above;   ///< m: stop as soon as lower is larger
};

/// Tries to answer from `last`. Where that proves nothing, returns false and sets `direction` to
/// the best one found, if there was one. Vertices that the cores do not have are detected.
bool solve_from_last(CorePair& pair, const WarmPolytope& last, const WarmLimits& limits,
                     CoreDistance& answer, Vector3& direction);

}  // namespace tactum
