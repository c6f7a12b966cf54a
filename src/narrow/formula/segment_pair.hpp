// SPDX-License-Identifier: BSD-2-Clause
// Closest points of two segments, the cores of capsules; a segment without length is a point.
//
// Two forms  solve_segment_pair and solve_point_segment are inlined into whole queries and refuse
//            segments that meet or nearly do; segment_segment answers every pair.
//
// A segment is given by its unit direction, a column of a rotation, and its half length, so that a
// projection on it needs no division. Every answer is proved: with r from center to center, e
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
  double upper;        ///< proved upper bound: the length of `separation`
  double inverse;      ///< 1 / the length of `separation`
  double lower;        ///< proved lower bound: the separation along it
  double s, t;         ///< m
};

namespace detail {

/// Sets bounds and inverse of an answer from its separation w. `reach` is sep(w) |w|, so that only
/// one product waits for the square root and the division.
[[gnu::always_inline]] inline bool set_bounds(double reach, double scale,
                                              SegmentPairAnswer& answer) {
  const double squared = answer.separation.squared_norm();
  // squares below this lose digits to underflow
  if (!(squared > std::max(1e-6 * scale * scale, 1e-280))) return false;
  answer.upper = std::sqrt(squared);
  answer.inverse = answer.upper * (1.0 / squared);  // root and division run side by side
  const double lower = answer.inverse * reach;
  answer.lower = std::min(lower, answer.upper);
  return answer.upper - lower <= 16.0 * kEpsilon * scale;
}

}  // namespace detail

/// Solves two segments. False where bounds within 16 eps of the scale cannot be proved: segments
/// that meet, almost meet, or are almost but not quite parallel.
[[gnu::always_inline]] inline bool solve_segment_pair(Double3 e, double h, Double3 f, double k,
                                                      Double3 r, double scale,
                                                      SegmentPairAnswer& answer) {
  // Least squares in the two coordinates with bounds: the free minimum of t, then s and t in turn.
  // This is exact whichever bounds are active, except in rare corners, which fail the proof at the
  // end.
  const double ef = dot(e, f), er = dot(e, r), fr = dot(f, r), determinant = 1.0 - ef * ef;
  // parallel segments leave t free: take the center of the second
  const double free_t = determinant > 1e-6 ? (ef * er - fr) * (1.0 / determinant) : 0.0;
  answer.s = clamped(er + clamped(free_t, k) * ef, h);
  answer.t = clamped(answer.s * ef - fr, k);
  const Double3 w = answer.separation = r + answer.t * f - answer.s * e;
  return detail::set_bounds(dot(w, r) - h * std::abs(dot(w, e)) - k * std::abs(dot(w, f)), scale,
                            answer);
}

/// Solves a point and a segment; r goes from the point to the center. False where they almost meet.
[[gnu::always_inline]] inline bool solve_point_segment(Double3 f, double k, Double3 r, double scale,
                                                       SegmentPairAnswer& answer) {
  answer.s = 0.0;
  answer.t = -clamped(dot(f, r), k);  // a sign instead of a branch
  const Double3 w = answer.separation = r + answer.t * f;
  return detail::set_bounds(dot(w, r) - k * std::abs(dot(w, f)), scale, answer);
}

struct Segment {
  Vector3 center;
  Vector3 half;  ///< from the center to one end
};

struct SegmentContact {
  Vector3 normal;  ///< unit, from the first to the second; where they meet, a direction in which
                   ///< each stays on its own side
  Vector3 point_a;
  Vector3 point_b;
};

/// Closest points of any two segments: the best of four end-to-segment candidates and, unless the
/// segments are parallel, the common perpendicular. No case distinction depends on how parallel
/// they are.
SegmentContact segment_segment(const Segment& a, const Segment& b);

}  // namespace tactum
