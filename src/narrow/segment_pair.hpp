// SPDX-License-Identifier: BSD-2-Clause
// Pairs of spheres and capsules without a change of frame: closest points of two segments in the axes of the world.
//
// A point or a segment turns with one product, so nothing is gained by going to the frame of A. The answer is proved on the spot:
// with r from centre to centre and u, v the halves of the segments, sep(n) = n.r - |n.u| - |n.v|.
#pragma once

#include "math/double3.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// Whether the core is a point or a segment.
inline bool is_segment(const CoreShape& core) {
  return core.kind == CoreShape::Kind::point || core.kind == CoreShape::Kind::segment;
}

/// Closest points of two segments at coordinates s, t in [-1, 1].
struct SegmentPairAnswer {
  Double3 normal;  ///< unit, from the first to the second
  double lower;    ///< separation along it: proved
  double upper;    ///< distance of the points: proved
  double s, t;
};

/// Halves u and v, r from centre to centre; zero halves are points. False where bounds 16 eps of the scale apart could not be proved: segments
/// that meet, almost do, or are nearly parallel.
bool solve_segment_pair(Double3 u, Double3 v, Double3 r, double scale, SegmentPairAnswer& answer);

}  // namespace tactum
