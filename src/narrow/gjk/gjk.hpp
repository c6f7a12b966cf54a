// SPDX-License-Identifier: BSD-2-Clause
// Distance between two convex cores by GJK, resumable.
//
// Computes   min |w| over w in M = B - A, in the frame of A.
// Source     GJK++ Alg. 4: fully corrective Frank-Wolfe whose active set is a simplex; on request
//            with momentum while that pays (Alg. 6 and 7); stop on the duality gap (eq. 15-18) in
//            the form lower = max over k of n_k.w_k, upper = |v_k|, which bounds the distance
//            itself and not its square.
// Invariants |v| never increases beyond rounding; the simplex is affinely independent; weights are
//            positive and sum to one.
// Fails      `stalled` when rounding stops progress, `iteration_limit` at the cap; never loops for
//            ever, never allocates.
// Cost       one support of each core and one projection on a simplex an iteration.
#pragma once

#include "narrow/gjk/simplex.hpp"

namespace tactum {

enum class GjkOutcome : std::uint8_t {
  converged,    ///< upper - lower <= gap
  overlapping,  ///< the simplex holds the origin within rounding
  above_limit,  ///< lower > stop_above: enough for a cutoff or a boolean answer
  below_limit,  ///< upper < stop_below: enough for a boolean answer
  stalled,      ///< no further progress in floating point
  iteration_limit,
};

/// Progress of one query; pass it to run_gjk() again to continue with a smaller gap.
struct GjkState {
  Simplex simplex;
  Vector3 normal = Vector3::UnitZ();  ///< unit, from A to B: the direction that proved `lower`
  double lower = -std::numeric_limits<double>::infinity();  ///< proved: lower <= distance of the
                                                            ///< cores
  double upper = std::numeric_limits<double>::infinity();   ///< proved: distance of the cores <=
                                                            ///< upper
  int iterations = 0;
};

struct GjkLimits {
  double gap = 0.0;  ///< m
  int max_iterations = 128;
  double stop_above = std::numeric_limits<double>::infinity();
  double stop_below = -std::numeric_limits<double>::infinity();
  bool momentum = false;
};

/// A state with one point, the support along the unit vector `direction` (from A to B).
GjkState start_gjk(CorePair& pair, const Vector3& direction);

/// Iterates until one of the limits is met.
GjkOutcome run_gjk(CorePair& pair, const GjkLimits& limits, GjkState& state);

}  // namespace tactum
