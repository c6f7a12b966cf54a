// SPDX-License-Identifier: BSD-2-Clause
// Signed distance of two cores by iteration: GJK, second-order refinement, EPA, and the stages that
// follow where these prove nothing.
#pragma once

#include "narrow/pair/core_optimum.hpp"
#include "narrow/pair/tolerance.hpp"

namespace tactum {

struct CoreLimits {
  double gap;          ///< m: upper - lower to reach
  int max_iterations;  ///< of GJK; the search over all directions may visit 1000 times as many
                       ///< cells
  double stop_above;   ///< m: stop as soon as lower is larger
  bool second_order;  ///< refine early by Newton on smooth pieces; false: GJK runs to the gap first
};

/// Signed distance of the cores. `direction` is a unit vector from A to B to begin with. The bounds
/// have upper - lower <= gap unless the stages failed to prove that much.
CoreDistance solve_iteratively(CorePair& pair, const Vector3& direction, const CoreLimits& limits);

/// Whether `answer.optimum`, a stationary point of cores that overlap along its normal, is proved
/// to be the global optimum within kProvedGap of the scale. If so, sets the upper bound. The
/// optimum of a nearby cap may replace it.
bool prove_overlap(CorePair& pair, CoreDistance& answer);

}  // namespace tactum
