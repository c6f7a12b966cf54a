// SPDX-License-Identifier: BSD-2-Clause
// The part of a hull that faces a direction within an angle: its outline seen along the direction,
// and the surface above a place.
//
// Level      a vertex is level where it is the support point of some direction u' within the angle
//            of the direction u; an edge where all of it is. So an edge is level where the arc
//            between the normals of its two triangles comes that close to u. The level vertices are
//            connected by level edges, because the directions within an angle are: a search along
//            level edges finds all of them from any one, and what it finds does not depend on where
//            it began.
// Outline    the convex hull of the level vertices as seen along the direction. This merges the
//            triangles of one facet, also of a facet that is flat but for the noise of a scan. Of
//            more corners than a feature holds, those are kept that are farthest along 32
//            directions fixed to the shape; of more level vertices than the search holds, the
//            support points of 32 directions at the given angle from u.
// Surface    seen along a direction the surface of a hull is the least of the planes that face it.
//            Its triangle above a place is found by a walk from triangle to triangle across the
//            edge that the place is farthest beyond. The triangles are a regular triangulation of
//            the plane, on which such walks end (Edelsbrunner 1990). Where rounding leads a walk
//            astray, all planes are tried.
// Cost       in proportion to the triangles around the vertices found. Nothing allocates.
#pragma once

#include "contact/feature.hpp"

namespace tactum {

/// The feature of a hull of dimension 2 or 3.
void add_hull_feature(const SeenCore& seen, const FeatureReach& reach, FlatFeature& feature);

/// The surface above a place of the outline, of a hull of dimension 3.
FeatureHeight hull_height_at(const SeenCore& seen, const FlatFeature& feature, Double2 at);

/// Whether a triangle beside that of the surface is as high at a place, with another slope, or the
/// surface is seen edge-on.
bool is_on_crease(const SeenCore& seen, const FeatureHeight& surface, Double2 at);

/// Whether two vertices are the ends of one edge of the hull.
bool is_hull_edge(const ConvexPolytope& hull, std::uint32_t vertex, std::uint32_t other);

}  // namespace tactum
