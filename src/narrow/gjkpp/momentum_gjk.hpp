// SPDX-License-Identifier: BSD-2-Clause
// GJK and its accelerations as the GJK++ paper writes them, to be read beside Alg. 4, 6 and 7.
//
// Computes   min |x| over M by fully corrective Frank-Wolfe: x is the point nearest to the origin
//            of a simplex W, and each pass adds the support point of a direction d. GJK takes d =
//            x; momentum mixes d with the directions before (eq. 28).
// Weights    Without a choice of the caller, Nesterov's delta_k = (k + 1) / (k + 3) is that of Alg.
// 6
//            and Polyak's is 1 / (k + 1): with the weight printed for both it would lag as far
//            behind as Nesterov's on distant shapes, where the paper's figures show it level with
//            GJK.
// Fallback   With momentum the gap g (eq. 32) proves nothing, since s is not the support along x.
//            Where it closes (fixed point, eq. 31) the support along x is computed, and the
//            remaining passes run without momentum (Alg. 6, lines 5 to 7).
// Ends       converged: the gap is at most epsilon, with the support taken along x;
//            overlapping: the simplex contains the origin;
//            stalled: rounding lets no pass come nearer. It never loops for ever.
#pragma once

#include "narrow/gjkpp/search_state.hpp"
#include "tactum/momentum_weight.hpp"

namespace tactum {

enum class MomentumKind : std::uint8_t {
  none,      ///< Alg. 4: GJK
  polyak,    ///< Alg. 6 with y = x
  nesterov,  ///< Alg. 6 with y between x and the last support
};

struct MomentumRule {
  MomentumKind kind = MomentumKind::none;
  bool normalized = false;  ///< Alg. 7: directions are normalized before they are mixed
  MomentumWeight weight = MomentumWeight::chosen;

  double delta(int k) const;
};

/// Runs the search from `x0`, the paper's x_0: the first direction, not zero; with momentum its
/// length matters too.
GjkOutcome run_momentum_gjk(ClimbingPair& pair, MomentumRule rule, const Vector3& x0,
                            const MethodLimits& limits, GjkState& state);

}  // namespace tactum
