// SPDX-License-Identifier: BSD-2-Clause
// distance() without exceptions, for callers inside the library that check the options once and run
// many queries.
//
// The functions return false, instead of an exception, for a pair or poses that distance() would
// refuse. The caller must not pass a warm start that is not finite.
#pragma once

#include "tactum/distance.hpp"

namespace tactum {

/// Throws the exception that distance() throws for these options.
void check_distance_options(const DistanceOptions& options);

/// Tries the direct form of this pair of kinds, if it has one, then the general solution. Writes
/// every field of the result.
bool try_distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const DistanceOptions& options, Distance& result);

}  // namespace tactum
