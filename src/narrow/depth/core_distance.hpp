// SPDX-License-Identifier: BSD-2-Clause
// Signed distance of two cores by iteration: GJK, second-order finish, EPA, and the ladder behind
// them.
#pragma once

#include "narrow/pair/core_optimum.hpp"
#include "narrow/pair/tolerance.hpp"

namespace tactum {

struct CoreLimits {
  double gap;          ///< m: upper - lower to reach
  int max_iterations;  ///< of GJK; the search of last resort may look at 1000 times as many cells
  double stop_above;   ///< m: stop as soon as lower is larger
  bool second_order;   ///< finish early by Newton on smooth pieces; else GJK runs to the gap first
};

/// `direction` is a unit vector from A to B to begin with. The answer has upper - lower <= gap, or
/// says so by a wider gap.
CoreDistance solve_iteratively(CorePair& pair, const Vector3& direction, const CoreLimits& limits);

/// Whether `answer.optimum`, a stationary point of cores that overlap along its normal, is proved
/// to be the global optimum, within kProvedGap of the scale; then its upper bound is set. A cap
/// beside it may take its place.
bool prove_overlap(CorePair& pair, CoreDistance& answer);

}  // namespace tactum
