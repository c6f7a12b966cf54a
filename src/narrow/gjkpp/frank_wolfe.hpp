// SPDX-License-Identifier: BSD-2-Clause
// Frank-Wolfe without a simplex, as the GJK++ paper writes it: Alg. 1, eq. 12 and Alg. 5.
//
// Computes   min |x| over M. x is a mixture of the support points so far, of which only the sum is
//            kept: each pass moves x towards one more. A pass is cheap and needs no projection, but
//            x zigzags where M is flat: about 1 / epsilon passes for polytopes.
// Momentum   Alg. 5 mixes the directions of the supports. Its gap g (eq. 32) is at most the
//            Frank-Wolfe gap, so where it closes the support along x is computed, which either
//            proves convergence or serves as the next pass.
// Ends       converged at a Frank-Wolfe gap of at most epsilon. Overlap is never proved: x only
//            tends to the origin.
#pragma once

#include "narrow/gjkpp/search_state.hpp"

namespace tactum {

enum class FrankWolfeStep : std::uint8_t {
  line_search,  ///< the point of [x, s] nearest to the origin (Alg. 1, line 6)
  open_loop,    ///< x with the weight (k + 1) / (k + 2), s with the rest (eq. 12)
  polyak,       ///< line search along supports with momentum, y = x (Alg. 5)
  nesterov,  ///< line search along supports with momentum, y between x and the last support (Alg.
             ///< 5)
};

/// Runs Frank-Wolfe from `x0`, a point of M.
GjkOutcome run_frank_wolfe(ClimbingPair& pair, FrankWolfeStep step, const MinkowskiPoint& x0,
                           const MethodLimits& limits, GjkState& state);

}  // namespace tactum
