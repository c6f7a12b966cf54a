// SPDX-License-Identifier: BSD-2-Clause
// Scales of the first-order estimators, as seen by a unit direction.
#pragma once

#include <algorithm>

#include "narrow/derivative/witness_jacobian.hpp"

namespace tactum {

/// A scale that acts on the separation vector d n acts on n divided by |d|; at contact, where there
/// is no separation, it is bounded.
inline double angle_of(double scale, RelativeTo relative_to, const WitnessPair& pair) {
  if (relative_to == RelativeTo::direction) return scale;
  return scale / std::max(std::abs(pair.distance), 1e-9 * pair.scale);
}

}  // namespace tactum
