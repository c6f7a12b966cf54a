// SPDX-License-Identifier: BSD-2-Clause
// Pairs of spheres and capsules without a change of frame: closest points of two segments in the axes of the world.
//
// A point or a segment turns with one product, so nothing is gained by going to the frame of A. The answer is proved on the spot:
// with r from centre to centre and u, v the halves of the segments, sep(n) = n.r - |n.u| - |n.v|.
#pragma once

#include <limits>

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
inline bool solve_segment_pair(Double3 u, Double3 v, Double3 r, double scale, SegmentPairAnswer& answer) {
  // Least squares in the two coordinates with bounds: the free minimum of t, then s and t in turn. Exact whichever bounds hold but for
  // rare corners, which the proof at the end does not let through.
  const auto clamped = [](double value) { return std::min(1.0, std::max(-1.0, value)); };
  const auto inverse_or_zero = [](double value) { return value > 0.0 ? 1.0 / value : 0.0; };
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ur = dot(u, r), vr = dot(v, r);
  const double determinant = uu * vv - uv * uv;
  if (uu * vv > 0.0 && !(determinant > 1e-6 * uu * vv)) return false;
  // side by side, not one after the other: a division takes as long as the rest of the step
  const double inverse = inverse_or_zero(determinant), inverse_uu = inverse_or_zero(uu), inverse_vv = inverse_or_zero(vv);
  answer.s = clamped((ur + clamped((uv * ur - uu * vr) * inverse) * uv) * inverse_uu);
  answer.t = clamped((answer.s * uv - vr) * inverse_vv);
  const Double3 separation = r + answer.t * v - answer.s * u;
  const double squared = separation.squared_norm();
  if (!(squared > std::max(1e-6 * scale * scale, 1e-280))) return false;  // squares of less than that lose digits to underflow
  answer.upper = std::sqrt(squared);
  answer.normal = (1.0 / answer.upper) * separation;
  const double lower = dot(answer.normal, r) - std::abs(dot(answer.normal, u)) - std::abs(dot(answer.normal, v));
  answer.lower = std::min(lower, answer.upper);
  return answer.upper - lower <= 16.0 * std::numeric_limits<double>::epsilon() * scale;
}

}  // namespace tactum
