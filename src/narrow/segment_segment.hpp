// SPDX-License-Identifier: BSD-2-Clause
// Closest points of two segments: the cores of capsules; a segment of no length is a point.
#pragma once

#include "tactum/pose.hpp"

namespace tactum {

struct Segment {
  Vector3 center;
  Vector3 half;  ///< from the centre to one end
};

struct SegmentContact {
  Vector3 normal;  ///< unit, from the first to the second; where they meet, a direction in which both stay on their own side
  Vector3 point_a;
  Vector3 point_b;
};

/// The best of four end-to-segment candidates and, unless they are parallel, the common perpendicular: no case distinction that
/// nearly parallel segments could upset.
SegmentContact segment_segment(const Segment& a, const Segment& b);

}  // namespace tactum
