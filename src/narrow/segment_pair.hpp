// SPDX-License-Identifier: BSD-2-Clause
// Pairs of spheres and capsules without a change of frame: closest points of two segments in the axes of the world.
//
// A point or a segment turns with one product, so nothing is gained by going to the frame of A. The answer is proved on the spot:
// with r from centre to centre and u, v the halves of the segments, sep(n) = n.r - |n.u| - |n.v|.
#pragma once

#include "narrow/newton_finish.hpp"
#include "narrow/segment_segment.hpp"

namespace tactum {

/// Whether the core is a point or a segment.
inline bool is_segment(const CoreShape& core) {
  return core.kind == CoreShape::Kind::point || core.kind == CoreShape::Kind::segment;
}

/// Closest points, proved within 16 eps scale. False where they could not be: segments that meet or almost do.
bool solve_segment_pair(const Segment& a, const Segment& b, double scale, Optimum& optimum, double& upper);

}  // namespace tactum
