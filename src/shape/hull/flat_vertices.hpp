// SPDX-License-Identifier: BSD-2-Clause
// Vertices of a triangulated hull that are none: they lie in a face or on an edge, to rounding.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// The columns that corner a triangle, ascending, without those that are within `flat` of the
/// segment of two neighbours or of the plane of all of them. The triangles are the closed outward
/// surface of a convex solid. Points next to each other may go together: whether those that stay
/// have the same hull is to be checked.
std::vector<std::int32_t> without_flat_vertices(
    const Points& points, const std::vector<std::array<std::int32_t, 3>>& faces, double flat);

}  // namespace tactum
