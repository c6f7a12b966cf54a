// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/segment_pair.hpp"

#include <limits>

namespace tactum {
namespace {

double clamped(double value) { return std::min(1.0, std::max(-1.0, value)); }
double inverse_or_zero(double value) { return value > 0.0 ? 1.0 / value : 0.0; }

}  // namespace

// Least squares in the two coordinates with bounds: the free minimum of t, then s and t in turn. Exact whichever bounds hold but for rare
// corners, which the proof at the end does not let through.
bool solve_segment_pair(Double3 u, Double3 v, Double3 r, double scale, SegmentPairAnswer& answer) {
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ur = dot(u, r), vr = dot(v, r);
  const double determinant = uu * vv - uv * uv;
  if (uu * vv > 0.0 && !(determinant > 1e-6 * uu * vv)) return false;
  // side by side, not one after the other: a division takes as long as the rest of the step
  const double inverse = inverse_or_zero(determinant), inverse_uu = inverse_or_zero(uu), inverse_vv = inverse_or_zero(vv);
  answer.s = clamped((ur + clamped((uv * ur - uu * vr) * inverse) * uv) * inverse_uu);
  answer.t = clamped((answer.s * uv - vr) * inverse_vv);
  const Double3 separation = r + answer.t * v - answer.s * u;
  const double squared = separation.squared_norm();
  if (!(squared > 1e-6 * scale * scale)) return false;
  answer.upper = std::sqrt(squared);
  answer.normal = (1.0 / answer.upper) * separation;
  const double lower = dot(answer.normal, r) - std::abs(dot(answer.normal, u)) - std::abs(dot(answer.normal, v));
  answer.lower = std::min(lower, answer.upper);
  return answer.upper - lower <= 16.0 * std::numeric_limits<double>::epsilon() * scale;
}

}  // namespace tactum
