// SPDX-License-Identifier: BSD-2-Clause
// A segment against a box, a cylinder or a cone: the cores of a capsule and of a primitive that do
// not meet, in the frame of the primitive.
//
// Computes   the point c + s e, |s| <= h, of the segment that is nearest to the primitive. With
// w(s)
//            the vector from the primitive to it, |w|^2 / 2 is convex in s with the derivative e.w
//            (point_primitive.hpp), whose root Newton finds between bounds that close in on it.
// Proof      along n = w / |w| the segment reaches nearer than its point at s by s (n.e) + h |n.e|.
//            This loss of separation is zero at the optimum, be it inside or at an end; an answer
//            has a loss within rounding.
// Fails      where they meet or nearly do, near an axis, or after more steps than Newton takes.
#pragma once

#include "math/epsilon.hpp"
#include "narrow/formula/point_primitive.hpp"

namespace tactum {

struct SegmentPrimitiveAnswer {
  PointPrimitiveAnswer nearest;  ///< answer for the point at s
  double s;                      ///< m from the middle of the segment
  double lower;                  ///< proved lower bound: the separation along the normal
};

/// Finds the s of the nearest point, from a first one. `slope_at` sets the slope at s, or returns
/// that there is none; its last call is for the s that is returned. False where the segment meets
/// the primitive or nearly does, or after more steps than Newton takes.
template <class SlopeAt>
[[gnu::always_inline]] inline bool nearest_way(const SlopeAt& slope_at, double h, double first,
                                               double scale, double& s) {
  constexpr int kMostSteps = 16;
  const double rounding = 4.0 * kEpsilon * scale;
  // bounds of s, and the points to which Newton goes from them once they have been evaluated: the
  // slope is almost a straight line on either side
  double low = -h, high = h, from_low = h, from_high = -h;
  bool low_known = false, high_known = false;
  s = first;
  for (int step = 0; step < kMostSteps; ++step) {
    PointPrimitiveSlope slope;
    if (!slope_at(s, slope) || !(slope.squared > 1e-6 * scale * scale)) return false;
    const double loss = s * slope.value + h * std::abs(slope.value);  // loss of separation times
                                                                      // |w|
    if (loss * loss <= rounding * rounding * slope.squared ||
        std::abs(slope.value) <= 0.25 * rounding)
      return true;
    const bool rising = slope.value > 0.0;
    double next = slope.rate > 1e-12 ? s - slope.value / slope.rate : (rising ? -h : h);
    (rising ? high : low) = s;
    (rising ? from_high : from_low) = next;
    (rising ? high_known : low_known) = true;
    if (next >= high) next = high_known ? from_high : high;
    if (next <= low) next = low_known ? from_low : low;
    const bool inside = next > low && next < high;
    s = inside || (next == high && !high_known) || (next == low && !low_known) ? next
                                                                               : 0.5 * (low + high);
  }
  return false;
}

template <class PointPrimitive>
[[gnu::always_inline]] inline bool segment_against(Double3 size, Double3 c, Double3 e, double h,
                                                   double scale, SegmentPrimitiveAnswer& answer) {
  const auto slope_at = [&](double s, PointPrimitiveSlope& slope) {
    return PointPrimitive::slope(size, c + s * e, e, slope);
  };
  if (!nearest_way(slope_at, h, -clamped(dot(c, e), h), scale, answer.s)) return false;
  if (!PointPrimitive::nearest(size, c + answer.s * e, answer.nearest)) return false;
  const double along = answer.nearest.inverse * dot(answer.nearest.along, e),
               loss = answer.s * along + h * std::abs(along);
  answer.lower = answer.nearest.distance - loss;
  return answer.nearest.distance > 0.0 && loss <= 16.0 * kEpsilon * scale;
}

}  // namespace tactum
