// SPDX-License-Identifier: BSD-2-Clause
// Second-order refinement on the active pieces: the exact optimum from an approximate one.
//
// Solves     the optimality conditions of max over unit n of min over k of n.w_k(n) on m = 1 to 3
//            active pieces:
//                sum_k l_k w_k(n) = d n,   n.w_k(n) = d for every k,   sum l = 1,   l >= 0,
//            by Newton. With E = [w_k - w_0], T a basis of the plane orthogonal to n and H = sum_k
//            l_k H_k, one step solves
//                [ -(T'HT + d I)  T'E ] [ delta ]   [ -T'w_0 ]
//                [      E'T        0  ] [   l   ] = [ -E'n   ],      n <- unit(n + T delta),
//            which splits: three pieces determine delta alone, two determine it along their edge,
//            one leaves it to the curvature. The derivative of the distance has the same matrix
//            d I + H, which is valid apart, touching and in penetration.
// Pieces     linear for polytopes (H = 0: with m = 3 this is the plane through three points, exact
//            after one step), smooth for ellipsoids and rims. This is an active-set method: pieces
//            with a negative weight leave, and a piece that cuts lower enters.
// Fails      returns false when the conditions are singular or the pieces cycle; `optimum` is never
//            made worse.
#pragma once

#include "narrow/gjk/simplex.hpp"
#include "narrow/pair/core_optimum.hpp"

namespace tactum {

/// The optimum that a simplex and its weights define; negative weights count as zero.
SeparationOptimum optimum_of(const Simplex& simplex, const Vector3& normal, double lower);

/// Tries to improve `optimum`, starting from the pieces of `simplex` (at most three points are
/// used). Returns whether a stationary point was found to rounding; then `optimum` holds it. A
/// better direction met on the way is kept in any case.
bool refine_by_newton(CorePair& pair, const Simplex& simplex, const Vector3& normal,
                      SeparationOptimum& optimum);

/// Like refine_by_newton(), from an approximate normal alone: the pieces are the support pieces
/// along directions close to it. Returns whether `optimum` is a stationary point to rounding.
bool refine_nearby_by_newton(CorePair& pair, SeparationOptimum& optimum);

/// Refines the normal of an optimum whose points are exact already. The stationary point nearby is
/// taken only if the lower bound does not get worse.
void refine_normal_by_newton(CorePair& pair, SeparationOptimum& optimum);

}  // namespace tactum
