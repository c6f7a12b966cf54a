// SPDX-License-Identifier: BSD-2-Clause
// Scales of the first-order estimators for a unit direction.
#pragma once

#include <algorithm>

#include "narrow/derivative/witness_jacobian.hpp"

namespace tactum {

/// Converts a scale to an angle of the unit normal. A scale that acts on the separation vector d n
/// acts on n divided by |d|; at contact, where there is no separation, the angle is bounded.
inline double angle_of(double scale, RelativeTo relative_to, const WitnessPair& pair) {
  if (relative_to == RelativeTo::direction) return scale;
  return scale / std::max(std::abs(pair.distance), 1e-9 * pair.scale);
}

}  // namespace tactum
