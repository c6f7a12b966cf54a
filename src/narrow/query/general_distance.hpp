// SPDX-License-Identifier: BSD-2-Clause
// The general solution of a distance query: both shapes in the frame of A, any poses, any options.
#pragma once

#include "narrow/pairs/pair_solvers.hpp"
#include "tactum/momentum_weight.hpp"

namespace tactum {

/// Solves any pair, for options that have been checked. Returns false for a pair or poses that
/// distance() refuses; otherwise writes every field of the result.
bool try_general_distance(const PairSolvers& solvers, const CoreShape& a, const Pose& X_WA,
                          const CoreShape& b, const Pose& X_WB, const DistanceOptions& options,
                          Distance& result, MomentumWeight weight = MomentumWeight::chosen);

/// Like try_general_distance(), but throws InvalidInput that says why a pair or a pose is refused.
void general_distance(const PairSolvers& solvers, const Shape& a, const Pose& X_WA, const Shape& b,
                      const Pose& X_WB, const DistanceOptions& options, Distance& result,
                      MomentumWeight weight = MomentumWeight::chosen);

}  // namespace tactum
