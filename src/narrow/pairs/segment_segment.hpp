// SPDX-License-Identifier: BSD-2-Clause
// Closest points of two segments: the cores of capsules; a segment of no length is a point.
#pragma once

#include "narrow/pair/core_answer.hpp"

namespace tactum {

struct Segment {
  Vector3 center;
  Vector3 half;  ///< from the centre to one end
};

struct SegmentContact {
  Vector3 normal;  ///< unit, from the first to the second; where they meet, a direction in which
                   ///< both stay on their own side
  Vector3 point_a;
  Vector3 point_b;
};

/// The best of four end-to-segment candidates and, unless they are parallel, the common
/// perpendicular: no case distinction that nearly parallel segments could upset.
SegmentContact segment_segment(const Segment& a, const Segment& b);

/// Two points: the cores of spheres. Always an answer, to rounding.
bool solve_points(CorePair& pair, CoreAnswer& answer);

/// Points and segments: the cores of spheres and capsules (segment_pair.hpp answers most of them
/// before). Returns whether the answer is proved: the separation along the normal, n.w - |n.u| -
/// |n.v| for centres w apart and halves u, v, equals the distance of the points within 16 eps of
/// the scale.
bool solve_segments(CorePair& pair, CoreAnswer& answer);

}  // namespace tactum
