// SPDX-License-Identifier: BSD-2-Clause
// Removal of flat vertices of a triangulated hull, which lie in a face or on an edge to rounding.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// The corners of the triangles, ascending, without those that are within `flat` of the segment of
/// two neighbors or of the plane of all of them. The triangles are the closed outward surface of a
/// convex solid. Adjacent points may be removed together, so the caller has to check that the rest
/// has the same hull.
std::vector<std::int32_t> without_flat_vertices(
    const Points& points, const std::vector<std::array<std::int32_t, 3>>& faces, double flat);

}  // namespace tactum
