// SPDX-License-Identifier: BSD-2-Clause
// Penetration depth of two convex cores by the expanding polytope algorithm.
//
// Computes   max over unit n of sep(n), the signed distance of overlapping cores (<= 0), globally.
// Method     A polytope inside M grows by support points. Each face has a normal n (pointing
//            inwards, from A to B) and the value n.w of its plane: no direction does better than
//            the largest value, so that is the upper bound, and the best sep(n) seen is the lower
//            one. The face with the largest value is expanded until both meet.
// Details    The start may have the origin on a face, an edge or a vertex, or just outside: values
//            are signed. Every face the new point sees is removed, faces in the plane of the point
//            included. The face normal is returned, never a difference of nearby points. Newton
//            refines optima on smooth pieces, so the polytope only has to prove the answer. For
//            smooth cores, faces in cones of directions proved about an optimum
//            (narrow/depth/depth_bound_cone.hpp) are passed over.
// Planes     A plain cross product is exact while the sine of its corner is above 0.1. The plane of
//            a sliver is off by rounding over that sine, which its bound allows for; it is made
//            exact when the face becomes the best, so the plane that is returned is exact.
// Polyhedra  go to narrow/depth/epa_polyhedral.hpp first, which stores less for each face. A query
//            that it does not decide begins anew here.
// Fails      `false` when rounding breaks the polytope or it outgrows its storage; the optimum
//            found so far is kept and stays valid.
#pragma once

#include "narrow/gjk/newton_refinement.hpp"

namespace tactum {

/// Grows a polytope from `start` (one to four points of M whose hull holds the origin within
/// rounding). On success upper - optimum.lower <= gap. `optimum` is improved, never worsened.
bool expand_polytope(CorePair& pair, const Simplex& start, double gap, SeparationOptimum& optimum,
                     double& upper, int& iterations);

}  // namespace tactum
