// SPDX-License-Identifier: BSD-2-Clause
// Two meshes of which the surfaces cross, or of which one is solid: what is proved of their depth.
#pragma once

#include "mesh/query/placed_meshes.hpp"

namespace tactum {

/// The answer for surfaces that cross, or for a solid with something inside that is `depth` m deep
/// for sure.
GeometryDistance overlap_answer(const PlacedMeshes& pair, const NearestPair& nearest, double depth,
                                const DistanceOptions& options);

/// The answer where a solid takes part and no two triangles cross beyond rounding. `nearest` has
/// seen all pairs.
GeometryDistance solid_answer(const PlacedMeshes& pair, const NodePairBound& bound,
                              const NearestPair& nearest, const DistanceOptions& options);

}  // namespace tactum
