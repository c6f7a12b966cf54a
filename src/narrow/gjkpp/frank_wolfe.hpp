// SPDX-License-Identifier: BSD-2-Clause
// Frank-Wolfe without a simplex, as the GJK++ paper writes it: Alg. 1, eq. 12 and Alg. 5.
//
// Computes   min |x| over M. x is a mixture of the support points so far, of which only the sum is
//            kept: each pass moves x towards one more. Cheap, needs no projection, and zigzags
//            where M is flat: about 1 / epsilon passes for polytopes.
// Momentum   Alg. 5 mixes the directions of the supports. Its gap g (eq. 32) is at most the
//            Frank-Wolfe gap, so where it closes the support along x is asked for, which either
//            proves the end or is the pass to make.
// Ends       converged at a Frank-Wolfe gap of at most epsilon. Overlap is never proved: x only
//            tends to the origin.
#pragma once

#include "narrow/gjkpp/search_state.hpp"

namespace tactum {

enum class FrankWolfeStep : std::uint8_t {
  line_search,  ///< the point of [x, s] nearest to the origin (Alg. 1, line 6)
  open_loop,    ///< (k + 1) / (k + 2) of x and the rest of s (eq. 12)
  polyak,       ///< line search along supports with momentum, y = x (Alg. 5)
  nesterov,     ///< the same with y between x and the last support
};

/// `x0` is a point of M.
GjkOutcome run_frank_wolfe(ClimbingPair& pair, FrankWolfeStep step, const MinkowskiPoint& x0,
                           const MethodLimits& limits, GjkState& state);

}  // namespace tactum
