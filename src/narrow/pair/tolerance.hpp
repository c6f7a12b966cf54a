// SPDX-License-Identifier: BSD-2-Clause
// The lengths below which the narrow phase does not tell numbers apart, relative to the scale of a
// pair (pair_frame.hpp).
#pragma once

#include "math/epsilon.hpp"

namespace tactum {

/// Shapes whose distance is at most this fraction of the scale are touching.
inline constexpr double kContactBand = 64.0 * kEpsilon;

/// Rounding can move a proved bound by at most this fraction of the scale.
inline constexpr double kBoundSlack = 8.0 * kEpsilon;

/// A closed form proves its answer when its bounds meet within this fraction of the scale.
inline constexpr double kRounding = 16.0 * kEpsilon;

/// The bounds of overlapping curved cores meet within this fraction of the scale.
inline constexpr double kProvedGap = 56.0 * kEpsilon;

/// A query accepts tolerances from this one to 1.
inline constexpr double kSmallestTolerance = 64.0 * kEpsilon;

/// The most iterations that a query can be allowed.
inline constexpr unsigned kMostIterations = 100000;

}  // namespace tactum
