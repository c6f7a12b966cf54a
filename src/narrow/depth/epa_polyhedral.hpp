// SPDX-License-Identifier: BSD-2-Clause
// Penetration depth of two polyhedral cores by a polytope around the origin that stays small:
// epa.hpp for the common case.
//
// Invariant  The triangles are a closed surface and every one has the origin strictly behind it, so
//            the surface winds around the origin and every ray from there meets it
//            (narrow/depth/warm_start.hpp). The largest value of a plane is therefore an upper
//            bound of the signed distance, whether the polytope is convex or, taken up from an
//            earlier pose, is not.
// Planes     A plane need not be exact to bound: its value is the largest over its corners, and any
//            unit normal will do. Planes are made from differences of rounded points; that of the
//            face that is returned is made again to rounding (facet.hpp).
// Arrays     At most 64 points by coordinates and names, 128 triangles of three bytes, planes as
//            separate arrays. No adjacency: the horizon is what is left of the directed edges of
//            the visible faces when those that are there both ways have been struck out, in one row
//            of 64 bits for each vertex.
// Fails      `false` for a start that does not hold the origin, slivers, or too many points; the
//            caller has slower ways.
#pragma once

#include "narrow/depth/triangle_kernels.hpp"
#include "narrow/gjk/newton_refinement.hpp"

namespace tactum {

/// Grows the polytope from four points in general position. On success upper - optimum.lower <=
/// gap; `optimum` is improved, never worsened.
bool expand_small_polytope(CorePair& pair, const Simplex& tetrahedron, double gap,
                           SeparationOptimum& optimum, double& upper, int& iterations);

/// Like expand_small_polytope(), from the polytope of an earlier query, whose points are given for
/// the present pose.
bool resume_small_polytope(CorePair& pair, const WarmPolytope& last, const PackedPoint* points,
                           double gap, SeparationOptimum& optimum, double& upper, int& iterations);

}  // namespace tactum
