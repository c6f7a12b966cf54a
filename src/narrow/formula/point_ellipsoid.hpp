// SPDX-License-Identifier: BSD-2-Clause
// A point or a segment against an ellipsoid, in the frame of its axes: the cores of spheres and
// capsules, by one equation in one unknown.
//
// Computes   the nearest point x of the surface sum (x_i / a_i)^2 = 1 to p. Stationarity, p - x = t
//            A^-2 x, gives m = A^-2 x = p / (a^2 + t) entry by entry, along the normal, and t from
//            |A m| = 1: the secular equation of trust regions. 1 / |A m| is almost a straight line
//            in t, so Newton on it (Hebden; Moré and Sorensen, SIAM J. Sci. Stat. Comput. 1983)
//            takes three or four steps.
// Segment    p = c + s e with |s| <= h. For every t the best s is known: that of e.m = 0, clamped.
//            Along it
//                d |A m|^2 / dt = -2 (sum (A m)_i^2 r_i + t E s'^2), r_i = 1 / (a_i^2 + t), E = sum
//                e_i^2 r_i, s' = sum e_i m_i r_i / E.
// Proof      n.p - |A n| along n = m / |m| is a lower bound, whatever m is; it is the distance from
//            the point A^2 m of the surface, if |A m| = 1. Inside, t > -min a^2 makes the
//            Lagrangian convex: no point of the surface is nearer, so this is the depth.
// Fails      inside a segment that meets the ellipsoid, near the middle of the shortest axis, for
//            axes out of proportion.
#pragma once

#include "math/epsilon.hpp"
#include "narrow/formula/segment_primitive.hpp"

namespace tactum {

/// The core of a sphere against an ellipsoid with the semi axes `size`.
struct PointEllipsoid {
  static bool nearest(Double3 axes, Double3 p, PointPrimitiveAnswer& answer);
};

namespace detail {

inline constexpr double kShortestRatio = 1e-12;  ///< smallest ratio of squared semi axes
inline constexpr double kSmallestSquare = 1e-60, kLargestSquare = 1e60;
inline constexpr double kLeastShift = 0.99;  ///< t is larger than this fraction of -min a^2
inline constexpr double kLastStep = 2e-8;    ///< value of | |A m| - 1 | below which one more step
                                             ///< ends at rounding
inline constexpr int kMostSecularSteps = 12;

/// The point p = c + s e for a given t, and its derivatives by t.
struct SecularView {
  Double3 p, r;
  double s, rate;  ///< s and s' of the header comment
  double step;     ///< Newton step for t
  double excess;   ///< |A m| - 1
};

template <bool is_segment>
[[gnu::always_inline]] inline SecularView secular_view(Double3 axes, Double3 squares, Double3 c,
                                                       Double3 e, double h, double t) {
  SecularView view;
  const Double3 r = {1.0 / (squares.x + t), 1.0 / (squares.y + t), 1.0 / (squares.z + t)};
  double curvature = 0.0;
  view.r = r;
  view.p = c;
  view.s = view.rate = 0.0;
  if constexpr (is_segment) {
    const Double3 er = e * r;
    const double inverse = 1.0 / dot(e, er), best = -inverse * dot(c, er);
    view.s = clamped(best, h);
    view.p = c + view.s * e;
    const double turn = dot(er, view.p * r);
    view.rate = view.s == best ? inverse * turn : 0.0;
    curvature = t * turn * view.rate;
  }
  const Double3 q = axes * view.p * r, q2 = q * q;
  const double square = q2.x + q2.y + q2.z;
  view.excess = std::sqrt(square) - 1.0;
  view.step = view.excess * (square / (dot(q2, r) + curvature));
  return view;
}

/// Takes the last Newton step, and computes the distance along the m after it; false unless |A m| =
/// 1 within rounding.
template <bool is_segment>
[[gnu::always_inline]] inline bool end_secular(Double3 axes, Double3 e, double h,
                                               const SecularView& view,
                                               PointPrimitiveAnswer& answer, double& s) {
  Double3 p = view.p;
  if constexpr (is_segment) {
    s = clamped(view.s + view.rate * view.step, h);
    p = p + (s - view.s) * e;
  }
  answer.along = p * (view.r - view.step * (view.r * view.r));
  const double height = 0.5 * (1.0 + (axes * answer.along).squared_norm());  // |A m|, which is
                                                                             // close to one
  if (!(std::abs(height - 1.0) <= 4.0 * kEpsilon)) return false;
  const double squared = answer.along.squared_norm();
  answer.inverse = std::sqrt(squared) * (1.0 / squared);
  answer.distance = answer.inverse * (dot(answer.along, p) - height);
  return true;
}

template <bool is_segment>
[[gnu::always_inline]] inline bool solve_secular(Double3 axes, Double3 c, Double3 e, double h,
                                                 PointPrimitiveAnswer& answer, double& s) {
  const Double3 squares = axes * axes;
  const double least = squares.smallest(), most = squares.largest();
  const Double3 p = is_segment ? c - clamped(dot(c, e), h) * e : c;
  const double squared = p.squared_norm(), lowest = is_segment ? 0.0 : -kLeastShift * least;
  if (!(least > kShortestRatio * most && least > kSmallestSquare && squared > kSmallestSquare &&
        squared < kLargestSquare))
    return false;
  if (is_segment && !(e.squared_norm() > 0.5))
    return false;  // e comes from a matrix that is no rotation
  // start: the distance from a ball with about the radius of the ellipsoid along p
  const Double3 image = axes * p;
  const double height = image.squared_norm();
  double t = std::max(std::sqrt(height) - height / squared, 0.9 * lowest);
  for (int i = 0; i < kMostSecularSteps; ++i) {
    const SecularView view = secular_view<is_segment>(axes, squares, c, e, h, t);
    if (std::abs(view.excess) <= kLastStep && end_secular<is_segment>(axes, e, h, view, answer, s))
      return true;
    if (is_segment && t == 0.0 && view.excess <= 0.0)
      return false;  // the segment meets the ellipsoid
    t = std::max(t + view.step, lowest);
  }
  return false;
}

}  // namespace detail

[[gnu::always_inline]] inline bool PointEllipsoid::nearest(Double3 axes, Double3 p,
                                                           PointPrimitiveAnswer& answer) {
  double s;
  return detail::solve_secular<false>(axes, p, {0.0, 0.0, 0.0}, 0.0, answer, s);
}

/// A segment that does not meet the ellipsoid, against the ellipsoid.
template <>
[[gnu::always_inline]] inline bool segment_against<PointEllipsoid>(Double3 axes, Double3 c,
                                                                   Double3 e, double h,
                                                                   double scale,
                                                                   SegmentPrimitiveAnswer& answer) {
  if (!detail::solve_secular<true>(axes, c, e, h, answer.nearest, answer.s)) return false;
  const double along = answer.nearest.inverse * dot(answer.nearest.along, e),
               loss = answer.s * along + h * std::abs(along);
  answer.lower = answer.nearest.distance - loss;
  return answer.lower > 0.0 && loss <= 16.0 * kEpsilon * scale;
}

}  // namespace tactum
