// SPDX-License-Identifier: BSD-2-Clause
// Triangles of a convex polygon that is given as a ring of points.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// Splits the convex polygon `ring` (columns of `points`, in order around it) into triangles that
/// turn the same way, and appends them to `faces`.
///
/// The ring is halved again and again, so that the number of triangles at a vertex is logarithmic.
/// A corner on a straight stretch is joined across the ring, so that its triangle has an area
/// wherever one can. A height of `flat` or less counts as zero.
void triangulate_ring(const Points& points, const std::vector<std::int32_t>& ring, double flat,
                      std::vector<std::array<std::int32_t, 3>>& faces);

}  // namespace tactum
