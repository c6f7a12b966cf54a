// SPDX-License-Identifier: BSD-2-Clause
// An order in which an incremental construction takes its points.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/double3.hpp"

namespace tactum {

/// Indices of all points in rounds of about doubling size, each round along a space-filling curve
/// [Amenta, Choi, Rote 2003].
///
/// Early points are a random sample of all, so that few points are inserted in vain; neighbors in a
/// round are near each other, so that a search that starts at the last point is short. `extent` is
/// the longest side of the bounding box, whose middle is the origin; it must be positive. The order
/// depends on the points alone.
std::vector<std::int32_t> insertion_order(std::span<const Double3> points, double extent);

}  // namespace tactum
