// SPDX-License-Identifier: BSD-2-Clause
// Closest points of two segments, the cores of capsules; a segment without length is a point.
//
// Two forms  solve_segment_pair and solve_point_segment are inlined into whole queries and refuse
//            segments that meet or nearly do; segment_segment answers every pair.
//
// A segment is given by its unit direction, a column of a rotation, and its half length, so that a
// foot on it needs no division. The answer is proved on the spot: with r from center to center, e
// and f the directions and h, k the half lengths, sep(n) = n.r - h |n.e| - k |n.f|.
#pragma once

#include <limits>

#include "math/double3.hpp"
#include "math/epsilon.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// Whether the core is a point or a segment.
inline bool is_segment(const CoreShape& core) {
  return core.kind == CoreShape::Kind::point || core.kind == CoreShape::Kind::segment;
}

/// Closest points of two segments, at s along the first and t along the second from their centers.
struct SegmentPairAnswer {
  Double3 separation;  ///< from the first point to the second
  double upper;        ///< its length: proved
  double inverse;      ///< of its length
  double lower;        ///< separation along it: proved
  double s, t;         ///< m
};

namespace detail {

/// The rest of an answer from its separation w; `reach` is sep(w) |w|, so that nothing but one
/// product waits for root and quotient.
[[gnu::always_inline]] inline bool set_bounds(double reach, double scale,
                                              SegmentPairAnswer& answer) {
  const double squared = answer.separation.squared_norm();
  // squares of less than that lose digits to underflow
  if (!(squared > std::max(1e-6 * scale * scale, 1e-280))) return false;
  answer.upper = std::sqrt(squared);
  answer.inverse = answer.upper * (1.0 / squared);  // side by side, not one after the other
  const double lower = answer.inverse * reach;
  answer.lower = std::min(lower, answer.upper);
  return answer.upper - lower <= 16.0 * kEpsilon * scale;
}

}  // namespace detail

/// Two segments. False where bounds 16 eps of the scale apart could not be proved: segments that
/// meet, almost do, or are almost but not quite parallel.
[[gnu::always_inline]] inline bool solve_segment_pair(Double3 e, double h, Double3 f, double k,
                                                      Double3 r, double scale,
                                                      SegmentPairAnswer& answer) {
  // Least squares in the two coordinates with bounds: the free minimum of t, then s and t in turn.
  // Exact whichever bounds hold but for rare corners, which the proof at the end does not let
  // through.
  const double ef = dot(e, f), er = dot(e, r), fr = dot(f, r), determinant = 1.0 - ef * ef;
  // of parallel segments any t is free: the center of the second
  const double free_t = determinant > 1e-6 ? (ef * er - fr) * (1.0 / determinant) : 0.0;
  answer.s = clamped(er + clamped(free_t, k) * ef, h);
  answer.t = clamped(answer.s * ef - fr, k);
  const Double3 w = answer.separation = r + answer.t * f - answer.s * e;
  return detail::set_bounds(dot(w, r) - h * std::abs(dot(w, e)) - k * std::abs(dot(w, f)), scale,
                            answer);
}

/// A point and a segment; r goes from the point to the center. False where they almost meet.
[[gnu::always_inline]] inline bool solve_point_segment(Double3 f, double k, Double3 r, double scale,
                                                       SegmentPairAnswer& answer) {
  answer.s = 0.0;
  answer.t = -clamped(dot(f, r), k);  // so that the sign is no branch
  const Double3 w = answer.separation = r + answer.t * f;
  return detail::set_bounds(dot(w, r) - k * std::abs(dot(w, f)), scale, answer);
}

struct Segment {
  Vector3 center;
  Vector3 half;  ///< from the center to one end
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

}  // namespace tactum
