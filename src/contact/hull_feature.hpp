// SPDX-License-Identifier: BSD-2-Clause
// The part of a hull that faces a direction within an angle: its outline seen along the direction, and its height in between.
//
// Outline    all vertices that can be reached from the support vertex along edges that are orthogonal to the direction within the
//            angle (and are not lower than twice the angle, seen from there); the convex hull of their projections. Triangles of
//            one facet are thereby merged, and so are those of a facet that is flat but for the noise of a scan. Of more than 32
//            corners, or 64 vertices, those are kept that are farthest along 32 directions.
// Height     that of the triangle of the hull above the point, found by a walk from triangle to triangle: each step crosses the
//            edge that the point is farthest beyond. Seen along a direction the upper triangles of a convex hull are a regular
//            triangulation, on which such walks end (Edelsbrunner 1990).
// Cost       the neighbours of the vertices found. Nothing allocates.
#pragma once

#include "contact/flat_feature.hpp"

namespace tactum {

/// For a hull of dimension 2 or 3.
void add_hull_feature(const SeenCore& seen, const FeatureReach& reach, FlatFeature& feature);

FeatureHeight hull_height_at(const SeenCore& seen, const FlatFeature& feature, Double2 at);

}  // namespace tactum
