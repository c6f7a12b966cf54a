// SPDX-License-Identifier: BSD-2-Clause
// Orientation of a triangulated surface, and the check that it is the hull of given points.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "shape/check/affine_frame.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// Orients the triangles `faces` (columns of `points`) outward, and returns whether they are then
/// the hull of all `columns` to within `slack`.
///
/// The surface has to be closed and connected with V - E + F = 2, no edge may be dented, and each
/// point has to lie inside or within the slack of a face. `vertices` holds the corners of the
/// faces, ascending; `frame` is the frame of the points. Where the result is false, `faces` may
/// have been turned in part.
bool orient_hull_surface(const Points& points, const std::vector<std::int32_t>& columns,
                         const AffineFrame& frame, double slack,
                         const std::vector<std::int32_t>& vertices,
                         std::vector<std::array<std::int32_t, 3>>& faces);

}  // namespace tactum
