// SPDX-License-Identifier: BSD-2-Clause
// Which pairs count as within a cutoff: those that are not proved to be farther apart, and those that touch, whatever the cutoff is. So
// shapes for which collide() is true have a contact at a cutoff of zero.
#pragma once

#include <algorithm>

#include "tactum/contact_patch.hpp"

namespace tactum {

inline bool is_within(const Distance& value, double cutoff) {
  return value.status != Status::beyond_cutoff && (value.lower <= cutoff || value.status == Status::touching);
}

/// The options with a cutoff that takes in the witness points of a pair within it.
inline ContactPatchOptions reaching(ContactPatchOptions options, const Distance& value) {
  if (is_within(value, options.cutoff)) options.cutoff = std::max(options.cutoff, value.distance);
  return options;
}

}  // namespace tactum
