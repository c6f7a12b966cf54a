// SPDX-License-Identifier: BSD-2-Clause
// Machine epsilon of double: the distance from 1 to the next number.
#pragma once

#include <limits>

namespace tactum {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace tactum
