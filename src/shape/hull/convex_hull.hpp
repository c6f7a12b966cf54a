// SPDX-License-Identifier: BSD-2-Clause
// Convex hull of points in space, of whatever dimension they have.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// Vertices and triangles of a hull. `ring` and `faces` hold indices into `vertices`.
struct HullTopology {
  int dimension = 0;                   ///< 0 point, 1 segment, 2 polygon, 3 solid
  std::vector<std::int32_t> vertices;  ///< columns of the input that are vertices, ascending
  std::vector<std::int32_t> ring;  ///< of a polygon: its vertices in order around it; else empty
  std::vector<std::array<std::int32_t, 3>> faces;  ///< outward and closed in dimension 3, one side
                                                   ///< in dimension 2, else empty
};

/// Hull of at least one point, all coordinates finite and at most 1e30.
///
/// Every point lies in the hull within 16 eps times the larger of the extent and of the largest
/// coordinate. The dimension is lower than 3 only where a width of the points is within 8 eps of
/// the same measure, or below 1e-30 m. Throws InvalidInput when no method reaches that accuracy.
HullTopology convex_hull(const Points& points);

}  // namespace tactum
