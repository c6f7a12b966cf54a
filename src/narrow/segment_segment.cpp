// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/segment_segment.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "math/tangent_basis.hpp"

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

double clamped_foot(const Segment& segment, const Vector3& p) {
  const double squared = segment.half.squaredNorm();
  return squared > 0.0 ? std::clamp((p - segment.center).dot(segment.half) / squared, -1.0, 1.0) : 0.0;
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

/// Normal where the two points coincide: each segment on its own side.
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

Segment segment_of(const CoreShape& core, const Pose& X) {
  return {X * core.center, core.kind == CoreShape::Kind::segment ? Vector3(X.rotation * core.size) : Vector3(Vector3::Zero())};
}

double clamped(double value) { return std::min(std::max(value, -1.0), 1.0); }

/// Takes a direction and two points, if the separation along it is their distance.
bool accept(const CorePair& pair, const Segment& a, const Segment& b, const Vector3& normal, const Vector3& point_a,
            const Vector3& point_b, CoreAnswer& answer) {
  const double lower = normal.dot(b.center - a.center) - std::abs(normal.dot(a.half)) - std::abs(normal.dot(b.half));
  const double residual = (point_b - point_a - lower * normal).norm();
  answer.optimum = {normal, lower, point_a, point_b, residual};
  answer.upper = lower + residual;
  return residual <= 16.0 * std::numeric_limits<double>::epsilon() * pair.scale();
}

/// Half direction of a segment, zero for a point.
const double* half_of(const CoreShape& core) {
  static constexpr double none[3] = {0.0, 0.0, 0.0};
  return core.kind == CoreShape::Kind::segment ? core.size.data() : none;
}

double inverse_or_zero(double value) { return value > 0.0 ? 1.0 / value : 0.0; }

double dot(const double* x, const double* y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

/// Least squares in the two segment coordinates with bounds: the free minimum of t, then s and t in turn. Exact whichever bounds hold but
/// for rare corners, and not accurate for segments that are nearly parallel or close to each other: those are left alone. On plain
/// numbers, which stay in registers.
bool solve_in_general_position(const CorePair& pair, CoreAnswer& answer) {
  const CoreShape &a = pair.a(), &b = pair.b();
  const double *R = pair.X_AB().rotation.data(), *translation = pair.X_AB().translation.data();
  const double *u = half_of(a), *center_a = a.center.data(), *half_b = half_of(b), *center_b = b.center.data();
  double v[3], from[3], w[3];
  for (int i = 0; i < 3; ++i) {
    v[i] = R[i] * half_b[0] + R[3 + i] * half_b[1] + R[6 + i] * half_b[2];
    from[i] = translation[i] + (R[i] * center_b[0] + R[3 + i] * center_b[1] + R[6 + i] * center_b[2]);
    w[i] = from[i] - center_a[i];
  }
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
  const double determinant = uu * vv - uv * uv, squared_scale = pair.scale() * pair.scale();
  if (uu * vv > 0.0 && !(determinant > 1e-6 * uu * vv)) return false;
  // side by side, not one after the other: a division takes as long as the rest of the step
  const double inverse = inverse_or_zero(determinant), inverse_uu = inverse_or_zero(uu), inverse_vv = inverse_or_zero(vv);
  const double s = clamped((uw + clamped((uv * uw - uu * vw) * inverse) * uv) * inverse_uu);
  const double t = clamped((s * uv - vw) * inverse_vv);
  const double q[3] = {w[0] + t * v[0] - s * u[0], w[1] + t * v[1] - s * u[1], w[2] + t * v[2] - s * u[2]};
  const double squared = dot(q, q);
  if (!(squared > 0.01 * squared_scale)) return false;
  const double inverse_length = 1.0 / std::sqrt(squared);
  const double lower = (dot(q, w) - std::abs(dot(q, u)) - std::abs(dot(q, v))) * inverse_length;
  double error = 0.0;
  Optimum& optimum = answer.optimum;
  for (int i = 0; i < 3; ++i) {
    const double n = q[i] * inverse_length, rest = q[i] - lower * n;
    error += rest * rest;
    optimum.normal[i] = n;
    optimum.point_a[i] = center_a[i] + s * u[i];
    optimum.point_b[i] = from[i] + t * v[i];
  }
  optimum.lower = lower;
  optimum.residual = std::sqrt(error);
  answer.upper = lower + optimum.residual;
  return optimum.residual <= 8.0 * std::numeric_limits<double>::epsilon() * pair.scale();
}

}  // namespace

SegmentContact segment_segment(const Segment& a, const Segment& b) {
  Best best;
  for (const double end : {-1.0, 1.0}) {
    best.offer(a, b, end, clamped_foot(b, a.center + end * a.half));
    best.offer(a, b, clamped_foot(a, b.center + end * b.half), end);
  }
  // common perpendicular of the two lines
  const Vector3 cross = a.half.cross(b.half);
  const double squared = cross.squaredNorm();
  bool crossing = false;
  if (squared > 1e-30 * a.half.squaredNorm() * b.half.squaredNorm()) {
    const Vector3 r = b.center - a.center;
    const double s = r.cross(b.half).dot(cross) / squared;
    const double t = r.cross(a.half).dot(cross) / squared;
    // feet inside both segments are the answer, unless rounding of almost parallel lines has put them wrong
    if (inside(s) && inside(t)) {
      Best feet;
      feet.offer(a, b, s, t);
      const double reach = r.norm() + a.half.norm() + b.half.norm();
      crossing = std::sqrt(feet.squared_distance) <=
                 std::sqrt(best.squared_distance) + 8.0 * std::numeric_limits<double>::epsilon() * reach;
      if (crossing) best = feet;
    }
  }
  SegmentContact contact{{}, a.center + best.s * a.half, b.center + best.t * b.half};
  const Vector3 separation = contact.point_b - contact.point_a;
  const double length = separation.stableNorm();
  if (crossing) {
    contact.normal = separation.dot(cross) < 0.0 ? Vector3(-cross / std::sqrt(squared)) : Vector3(cross / std::sqrt(squared));
  } else {
    const double reach = (b.center - a.center).norm() + a.half.norm() + b.half.norm();
    contact.normal = length > 4.0 * std::numeric_limits<double>::epsilon() * reach ? Vector3(separation / length)
                                                                                   : touching_normal(a, b, best.s, best.t);
  }
  return contact;
}

bool solve_points(CorePair& pair, CoreAnswer& answer) {
  const Vector3 point_a = pair.a().center, point_b = pair.X_AB() * pair.b().center, w = point_b - point_a;
  const double length = w.norm();
  const bool distinct = length > 4.0 * std::numeric_limits<double>::epsilon() * pair.scale();
  const Vector3 normal = distinct ? Vector3(w / length) : Vector3(Vector3::UnitZ());
  const double lower = normal.dot(w), residual = (w - lower * normal).norm();
  ++pair.support_calls;
  answer.optimum = {normal, lower, point_a, point_b, residual};
  answer.upper = lower + residual;
  return true;
}

bool solve_segments(CorePair& pair, CoreAnswer& answer) {
  ++pair.support_calls;
  if (solve_in_general_position(pair, answer)) return true;
  const Segment a = segment_of(pair.a(), {}), b = segment_of(pair.b(), pair.X_AB());
  const SegmentContact contact = segment_segment(a, b);
  return accept(pair, a, b, contact.normal, contact.point_a, contact.point_b, answer);
}

}  // namespace tactum
