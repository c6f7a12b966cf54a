// SPDX-License-Identifier: BSD-2-Clause
// Whether the distance of two geometries is attained by several pairs of parts.
#pragma once

#include "geometry/placed_geometry.hpp"
#include "tactum/geometry.hpp"

namespace tactum {

/// The quantity in which two equally near pairs of parts must differ to count as a tie.
enum class TieIn : std::uint8_t { points_or_normal, normal };

/// Whether a pair of parts other than that of `value` is as near and differs in what is asked for.
/// Parts that share the point, such as the triangles around a vertex, are no tie.
bool has_tie(const PlacedGeometryPair& pair, const GeometryDistance& value,
             const DistanceOptions& query, TieIn what);

}  // namespace tactum
