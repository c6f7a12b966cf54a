// SPDX-License-Identifier: BSD-2-Clause
// Pairs of convex parts of two geometries that are near, triangles of meshes among them.
#pragma once

#include "geometry/placed_geometry.hpp"
#include "mesh/query/near_triangles.hpp"

namespace tactum {

/// A part as a convex shape at a pose.
struct ConvexPart {
  Shape shape;
  Pose X;
};

inline ConvexPart convex_part(const PlacedGeometry& geometry, std::int32_t part) {
  if (geometry.mesh() != nullptr) return {triangle_shape(*geometry.mesh(), part), geometry.X()};
  return {geometry.shape(part), geometry.pose(part)};
}

/// Calls visit(part_a, part_b) for all pairs of parts that may be within `farthest` m; of equal
/// parts of a compound for the first alone.
template <class Visit>
void visit_near_pairs(const PlacedGeometryPair& pair, double farthest, Visit&& visit) {
  const PlacedGeometry &a = pair.a, &b = pair.b;
  visit_near(pair, farthest, [&](std::int32_t piece_a, std::int32_t piece_b) {
    if (a.mesh() != nullptr && b.mesh() != nullptr) {
      visit_near_mesh(*a.mesh(), *b.mesh(), b.X(), farthest, visit);
    } else if (a.mesh() != nullptr) {
      visit_near_shape(*a.mesh(), b.shape(piece_b), b.pose(piece_b), farthest,
                       [&](std::int32_t triangle) { visit(triangle, piece_b); });
    } else if (b.mesh() != nullptr) {
      visit_near_shape(*b.mesh(), a.shape(piece_a), inverse(b.X()) * a.pose(piece_a), farthest,
                       [&](std::int32_t triangle) { visit(piece_a, triangle); });
    } else {
      visit(piece_a, piece_b);
    }
    return farthest;
  });
}

}  // namespace tactum
