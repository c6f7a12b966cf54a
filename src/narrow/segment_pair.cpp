// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/segment_pair.hpp"

#include <Eigen/Geometry>
#include <algorithm>

namespace tactum {
namespace {

double clamp_to_segment(double s) { return std::min(1.0, std::max(-1.0, s)); }

/// Coordinates s, t in [-1, 1] of the closest points: the common perpendicular, clamped to A, followed by the best t, and once
/// more the best s where t had to be clamped. Degenerate directions have coordinate 0.
struct Coordinates {
  double s = 0.0, t = 0.0;

  Coordinates(const Vector3& u, const Vector3& v, const Vector3& r) {
    const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v), ur = u.dot(r), vr = v.dot(r);
    const double determinant = uu * vv - uv * uv;
    if (determinant > 1e-14 * uu * vv) {
      s = clamp_to_segment((ur * vv - uv * vr) / determinant);
    } else if (uu > 0.0) {
      s = clamp_to_segment(ur / uu);
    }
    if (!(vv > 0.0)) return;
    const double free_t = (s * uv - vr) / vv;
    t = clamp_to_segment(free_t);
    if (t != free_t && uu > 0.0) s = clamp_to_segment((ur + t * uv) / uu);
  }
};

}  // namespace

bool solve_segment_pair(const Segment& a, const Segment& b, double scale, Optimum& optimum, double& upper) {
  const Vector3 r = b.center - a.center;
  const Coordinates at(a.half, b.half, r);
  const Vector3 separation = r + at.t * b.half - at.s * a.half;
  const double squared = separation.squaredNorm();
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * scale;
  if (!(squared > rounding * rounding)) return false;
  const double length = std::sqrt(squared);
  optimum.normal = separation / length;
  const double lower = optimum.normal.dot(r) - std::abs(optimum.normal.dot(a.half)) - std::abs(optimum.normal.dot(b.half));
  if (!(length - lower <= rounding)) return false;
  optimum.lower = std::min(lower, length);
  optimum.point_a = a.center + at.s * a.half;
  optimum.point_b = b.center + at.t * b.half;
  optimum.residual = length - optimum.lower;
  upper = length;
  return true;
}

}  // namespace tactum
