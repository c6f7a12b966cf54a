// SPDX-License-Identifier: BSD-2-Clause
// A segment against a box, a cylinder or a cone: the cores of a capsule and of a solid that do not meet, in the frame of the solid.
//
// Computes   the point c + s e, |s| <= h, of the segment that is nearest to the solid. With w(s) the vector from the solid to it, |w|^2 / 2 is
//            convex in s with the derivative e.w (point_solid.hpp), whose root Newton finds between bounds that close in on it.
// Proof      along n = w / |w| the segment reaches nearer than its point at s by s (n.e) + h |n.e|: what is lost of the separation, and zero at
//            the optimum, be it inside or at an end. An answer has a loss within rounding.
// Fails      where they meet or nearly do, near an axis, or after more steps than Newton takes.
#pragma once

#include "narrow/point_solid.hpp"

namespace tactum {

struct SegmentSolidAnswer {
  PointSolidAnswer nearest;  ///< of the point at s
  double s;                  ///< m from the middle of the segment
  double lower;              ///< separation along the normal: proved
};

template <class PointSolid>
[[gnu::always_inline]] inline bool segment_against(Double3 size, Double3 c, Double3 e, double h, double scale,
                                                   SegmentSolidAnswer& answer) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  constexpr int kMostSteps = 16;
  const double rounding = 4.0 * kEpsilon * scale;
  double low = -h, high = h, s = -clamped(dot(c, e), h);
  for (int step = 0; step < kMostSteps; ++step) {
    PointSolidSlope slope;
    if (!PointSolid::slope(size, c + s * e, e, slope)) return false;
    if (!(slope.squared > 1e-6 * scale * scale)) return false;
    const double loss = s * slope.value + h * std::abs(slope.value);  // times |w|
    if (loss * loss <= rounding * rounding * slope.squared || std::abs(slope.value) <= 0.25 * rounding) break;
    (slope.value < 0.0 ? low : high) = s;
    const double middle = 0.5 * (low + high);
    double next = slope.rate > 1e-12 ? s - slope.value / slope.rate : middle;
    next = std::min(high, std::max(low, next));
    s = next != s ? next : middle;
  }
  if (!PointSolid::nearest(size, c + s * e, answer.nearest)) return false;
  const double along = answer.nearest.inverse * dot(answer.nearest.along, e), loss = s * along + h * std::abs(along);
  answer.s = s;
  answer.lower = answer.nearest.distance - loss;
  return answer.nearest.distance > 0.0 && loss <= 4.0 * rounding;
}

}  // namespace tactum
