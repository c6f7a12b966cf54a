// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/pairs/closed_forms.hpp"

#include "math/epsilon.hpp"
#include "narrow/formula/point_primitive.hpp"
#include "narrow/formula/segment_pair.hpp"
#include "narrow/pair/tolerance.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

/// Proves the answer by one support call: the separation along the normal must be the distance of
/// the points.
bool certify(CorePair& pair, const Vector3& normal, const Vector3& point_a, const Vector3& point_b,
             double distance, CoreDistance& answer) {
  const double rounding = kRounding * pair.scale();
  const double lower = normal.dot(pair.support(normal).w);
  const double residual = (point_b - point_a - distance * normal).norm();
  if (!(std::abs(lower - distance) <= rounding && residual <= rounding)) return false;
  answer.optimum = {normal, std::min(lower, distance), point_a, point_b, residual};
  answer.upper = std::max(lower, distance);
  return true;
}

SurfacePoint point_from(const CoreShape& core, const Vector3& p) {
  switch (core.kind) {
    case Kind::box: return point_box(core.size, p);
    case Kind::cylinder: return point_cylinder(core.size.x(), core.size.y(), p);
    default: return point_cone(core.size.x(), core.size.y(), p);
  }
}

Segment segment_of(const CoreShape& core, const Pose& X) {
  return {X * core.center, core.kind == CoreShape::Kind::segment ? Vector3(X.rotation * core.size)
                                                                 : Vector3(Vector3::Zero())};
}

/// Accepts a direction and two points, if the separation along it is their distance.
bool accept(const CorePair& pair, const Segment& a, const Segment& b, const Vector3& normal,
            const Vector3& point_a, const Vector3& point_b, CoreDistance& answer) {
  const double lower = normal.dot(b.center - a.center) - std::abs(normal.dot(a.half)) -
                       std::abs(normal.dot(b.half));
  const double residual = (point_b - point_a - lower * normal).norm();
  answer.optimum = {normal, lower, point_a, point_b, residual};
  answer.upper = lower + residual;
  return residual <= kRounding * pair.scale();
}

}  // namespace

bool solve_primitive_point(CorePair& pair, CoreDistance& answer) {
  const Vector3 p = pair.X_AB() * pair.b().center;
  const SurfacePoint surface = point_from(pair.a(), p);
  return certify(pair, surface.normal, surface.point, p, surface.distance, answer);
}

bool solve_point_primitive(CorePair& pair, CoreDistance& answer) {
  const Pose& X_AB = pair.X_AB();
  const SurfacePoint surface = point_from(pair.b(), inverse(X_AB) * pair.a().center);
  return certify(pair, -(X_AB.rotation * surface.normal), pair.a().center, X_AB * surface.point,
                 surface.distance, answer);
}

bool solve_points(CorePair& pair, CoreDistance& answer) {
  const Vector3 point_a = pair.a().center, point_b = pair.X_AB() * pair.b().center,
                w = point_b - point_a;
  const double length = w.stableNorm();  // squares of lengths below 1e-154 m underflow
  const bool distinct = length > 4.0 * kEpsilon * pair.scale();
  const double unit = length < 1e-290 ? 0x1p+600 : 1.0;  // numbers below 1e-308 have few digits,
                                                         // and so would their ratios
  const Vector3 normal = distinct ? Vector3(unit * w / (unit * w).stableNorm())
                                  : Vector3(Vector3::UnitZ());
  const double lower = normal.dot(w), residual = (w - lower * normal).stableNorm();
  ++pair.support_calls;
  answer.optimum = {normal, lower, point_a, point_b, residual};
  answer.upper = lower + residual;
  return true;
}

bool solve_segments(CorePair& pair, CoreDistance& answer) {
  ++pair.support_calls;
  const Segment a = segment_of(pair.a(), {}), b = segment_of(pair.b(), pair.X_AB());
  const SegmentContact contact = segment_segment(a, b);
  return accept(pair, a, b, contact.normal, contact.point_a, contact.point_b, answer);
}

bool solve_half_space(CorePair& pair, CoreDistance& answer) {
  const Pose& X_AB = pair.X_AB();
  const bool a_is_flat = pair.a().kind == Kind::half_space;
  SeparationOptimum& optimum = answer.optimum;
  int visited = 0;
  if (a_is_flat) {
    optimum.normal = pair.a().size;
    const Vector3 direction = -(X_AB.rotation.transpose() * optimum.normal);
    optimum.point_b = X_AB * core_support(pair.b(), direction, visited).point;
    optimum.lower = optimum.normal.dot(optimum.point_b) - pair.a().offset;
    optimum.point_a = optimum.point_b - optimum.lower * optimum.normal;
  } else {
    // the plane of B in the frame of A: outward normal and offset
    const Vector3 outward = X_AB.rotation * pair.b().size;
    const double offset = pair.b().offset + outward.dot(X_AB.translation);
    optimum.normal = -outward;
    optimum.point_a = core_support(pair.a(), Vector3(-outward), visited).point;
    optimum.lower = outward.dot(optimum.point_a) - offset;
    optimum.point_b = optimum.point_a - optimum.lower * outward;
  }
  optimum.residual = 0.0;
  answer.upper = optimum.lower;
  pair.support_calls += 1;
  pair.vertices_visited += visited;
  return true;
}

}  // namespace tactum
