// SPDX-License-Identifier: BSD-2-Clause
// Vectors of unit length on plain numbers, where the caller knows that the length is not zero.
#pragma once

#include "math/double3.hpp"

namespace tactum {

/// The direction of v, whose square neither underflows nor overflows. The root and the division do
/// not wait for each other.
inline Double3 unit(Double3 v) {
  const double square = v.squared_norm();
  return (std::sqrt(square) * (1.0 / square)) * v;
}

}  // namespace tactum
