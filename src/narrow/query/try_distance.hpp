// SPDX-License-Identifier: BSD-2-Clause
// distance() for those inside the library who have checked the options once and ask many times: no
// exceptions.
//
// Each returns false, instead of an exception, for a pair or poses that distance() would refuse. A
// warm start that is not finite is the caller's to keep out.
#pragma once

#include "tactum/distance.hpp"

namespace tactum {

/// Throws what distance() throws on these options.
void check_distance_options(const DistanceOptions& options);

/// The direct form of this pair of kinds, if it has one, then the general road. Writes every field
/// of the result.
bool try_distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const DistanceOptions& options, Distance& result);

}  // namespace tactum
