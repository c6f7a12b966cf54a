// SPDX-License-Identifier: BSD-2-Clause
// Numbers that more than one file needs.
#pragma once

#include <limits>
#include <numbers>

namespace tactum {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kPi = std::numbers::pi;

/// Lengths below this have no direction, because their squares underflow.
inline constexpr double kShortest = 1e-140;

}  // namespace tactum
