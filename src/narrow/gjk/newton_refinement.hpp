// SPDX-License-Identifier: BSD-2-Clause
// Second-order finish on the active pieces: the exact optimum from an approximate one.
//
// Solves     the optimality conditions of max over unit n of min over k of n.w_k(n) on m = 1 to 3
//            active pieces:
//                sum_k l_k w_k(n) = d n,   n.w_k(n) = d for every k,   sum l = 1,   l >= 0,
//            by Newton. With E = [w_k - w_0], T a basis of the plane orthogonal to n and H = sum_k
//            l_k H_k, one step solves
//                [ -(T'HT + d I)  T'E ] [ delta ]   [ -T'w_0 ]
//                [      E'T        0  ] [   l   ] = [ -E'n   ],      n <- unit(n + T delta),
//            which splits: three pieces fix delta alone, two fix it along their edge, one leaves it
//            to the curvature. d I + H is the matrix of the derivative of the distance too, so it
//            is valid apart, touching and in penetration.
// Pieces     linear for polytopes (H = 0: with m = 3 this is the plane through three points, exact
//            after one step), smooth for ellipsoids and rims. Pieces with a negative weight are
//            dropped, a piece that cuts lower is taken in: an active-set method.
// Fails      returns false when the conditions are singular or the pieces cycle; `optimum` is never
//            made worse.
#pragma once

#include "narrow/gjk/simplex.hpp"
#include "narrow/pair/core_optimum.hpp"

namespace tactum {

/// SeparationOptimum made of a simplex and its weights; negative ones count as zero.
SeparationOptimum optimum_of(const Simplex& simplex, const Vector3& normal, double lower);

/// Tries to improve `optimum`, starting from the pieces of `simplex` (at most three points are
/// used). Returns whether a stationary point was found to rounding; then `optimum` holds it. A
/// better direction met on the way is kept in any case.
bool refine_by_newton(CorePair& pair, const Simplex& simplex, const Vector3& normal,
                      SeparationOptimum& optimum);

/// The same from an approximate normal alone: the pieces are those met in directions close to it.
bool refine_nearby_by_newton(CorePair& pair, SeparationOptimum& optimum);

/// The stationary point beside an optimum that is exact but for its normal; taken only if it loses
/// nothing.
void refine_normal_by_newton(CorePair& pair, SeparationOptimum& optimum);

}  // namespace tactum
