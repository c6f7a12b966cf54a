// SPDX-License-Identifier: BSD-2-Clause
// Vertices that lie in one place.
#pragma once

#include <cstdint>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// For every point the first one within `tolerance` of it in every coordinate, or itself. A point
/// that is merged with another is no target for later ones. Near linear time.
std::vector<std::int32_t> welded(const Points& points, double tolerance);

/// m: 4 eps of the longest side of the bounding box.
double weld_tolerance(const Points& points);

}  // namespace tactum
