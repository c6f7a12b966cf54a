// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/formula/segment_pair.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "math/epsilon.hpp"
#include "math/tangent_plane.hpp"

namespace tactum {
namespace {

/// Closest pair so far, by segment coordinates s, t in [-1, 1].
struct Best {
  double squared_distance = std::numeric_limits<double>::infinity();
  double s = 0.0, t = 0.0;

  void offer(const Segment& a, const Segment& b, double s_new, double t_new) {
    const double value = (b.center + t_new * b.half - a.center - s_new * a.half).squaredNorm();
    if (value < squared_distance) *this = {value, s_new, t_new};
  }
};

double clamped_projection(const Segment& segment, const Vector3& p) {
  const double squared = segment.half.squaredNorm();
  return squared > 0.0 ? std::clamp((p - segment.center).dot(segment.half) / squared, -1.0, 1.0)
                       : 0.0;
}

/// Part of v along a segment.
Vector3 along(const Vector3& v, const Segment& segment) {
  const double squared = segment.half.squaredNorm();
  return squared > 0.0 ? Vector3((v.dot(segment.half) / squared) * segment.half)
                       : Vector3(Vector3::Zero());
}

bool inside(double s) { return std::abs(s) < 1.0; }

/// Unit vector into a segment from the end at s = +-1.
Vector3 inward(const Segment& segment, double s) {
  return s > 0.0 ? Vector3(-segment.half.normalized()) : segment.half.normalized();
}

Vector3 perpendicular(const Vector3& v) {
  return v.squaredNorm() > 0.0 ? Vector3(tangent_basis(v.normalized()).col(0)) : Vector3::UnitZ();
}

/// Part of v orthogonal to the axis; any orthogonal vector where there is none.
Vector3 orthogonal_part(const Vector3& v, const Vector3& axis) {
  const Vector3 unit = axis.normalized();
  Vector3 rest = v - v.dot(unit) * unit;
  rest -= rest.dot(unit) * unit;
  const double length = rest.norm();
  return length > 1e-14 ? Vector3(rest / length) : perpendicular(axis);
}

/// A normal where the two points coincide, such that each segment stays on its own side.
Vector3 touching_normal(const Segment& a, const Segment& b, double s, double t) {
  const bool point_a = !(a.half.squaredNorm() > 0.0), point_b = !(b.half.squaredNorm() > 0.0);
  if (point_a && point_b) return Vector3::UnitZ();
  const bool end_a = !point_a && !inside(s), end_b = !point_b && !inside(t);
  if (point_a) return end_b ? inward(b, t) : perpendicular(b.half);
  if (point_b) return end_a ? Vector3(-inward(a, s)) : perpendicular(a.half);
  if (end_a && end_b) {
    const Vector3 apart = inward(b, t) - inward(a, s);
    return apart.norm() > 1e-8 ? Vector3(apart.normalized()) : perpendicular(a.half);
  }
  if (end_b) return orthogonal_part(inward(b, t), a.half);
  if (end_a) return -orthogonal_part(inward(a, s), b.half);
  return perpendicular(a.half);
}

}  // namespace

SegmentContact segment_segment(const Segment& a, const Segment& b) {
  const double reach = (b.center - a.center).norm() + a.half.norm() + b.half.norm();
  Best best;
  for (const double end : {-1.0, 1.0}) {
    best.offer(a, b, end, clamped_projection(b, a.center + end * a.half));
    best.offer(a, b, clamped_projection(a, b.center + end * b.half), end);
  }
  // common perpendicular of the two lines
  const Vector3 cross = a.half.cross(b.half);
  const double squared = cross.squaredNorm();
  bool crossing = false;
  if (squared > 1e-30 * a.half.squaredNorm() * b.half.squaredNorm()) {
    const Vector3 r = b.center - a.center;
    const double s = r.cross(b.half).dot(cross) / squared;
    const double t = r.cross(a.half).dot(cross) / squared;
    // projections inside both segments are the answer, unless rounding of almost parallel lines has
    // displaced them
    if (inside(s) && inside(t)) {
      Best interior;
      interior.offer(a, b, s, t);
      crossing = std::sqrt(interior.squared_distance) <=
                 std::sqrt(best.squared_distance) + 8.0 * kEpsilon * reach;
      // both projections slide along almost parallel lines together, so one is computed from the
      // other
      if (crossing)
        best = {interior.squared_distance, clamped_projection(a, b.center + t * b.half), t};
    }
  }
  SegmentContact contact{{}, a.center + best.s * a.half, b.center + best.t * b.half};
  const Vector3 separation = contact.point_b - contact.point_a;
  const double length = separation.stableNorm();
  // the cross product is off by rounding over the sine of the angle, the difference of the points
  // by rounding over their distance
  if (crossing && length * a.half.norm() * b.half.norm() <= reach * std::sqrt(squared)) {
    contact.normal = separation.dot(cross) < 0.0 ? Vector3(-cross / std::sqrt(squared))
                                                 : Vector3(cross / std::sqrt(squared));
  } else {
    // inside a segment the normal is orthogonal to it, to all digits, however close the points are
    Vector3 direction = separation;
    if (inside(best.s)) direction -= along(direction, a);
    if (inside(best.t)) direction -= along(direction, b);
    const bool apart = length > 4.0 * kEpsilon * reach && direction.stableNorm() > 0.5 * length;
    contact.normal = apart ? Vector3(direction / direction.stableNorm())
                           : touching_normal(a, b, best.s, best.t);
  }
  return contact;
}

}  // namespace tactum
