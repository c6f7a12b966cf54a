// SPDX-License-Identifier: BSD-2-Clause
// Convex hull by exact predicates on slightly moved points: slower than Qhull, and always right.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// Outward triangles, as columns of `points`, of the hull of the points after each was moved by
/// less than `rounding` / 2 along each axis. The box around them has sides of at most one,
/// `rounding` is 2^-53 to 1e-3. Empty when even the moved points lie in a plane.
std::vector<std::array<std::int32_t, 3>> exact_hull(const Points& points, double rounding);

}  // namespace tactum
