// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/pairs/closed_forms.hpp"

#include "narrow/formula/point_distance.hpp"
#include "narrow/pairs/box_box.hpp"
#include "narrow/pairs/ellipsoid_pair.hpp"
#include "narrow/pairs/segment_segment.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;
using ClosedForm = bool (*)(CorePair&, CoreAnswer&);

/// Proves the answer: the normal must attain the separation of the points (one support call), or it
/// is not an answer.
bool certify(CorePair& pair, const Vector3& normal, const Vector3& point_a, const Vector3& point_b,
             double distance, CoreAnswer& answer) {
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * pair.scale();
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

bool solve_solid_point(CorePair& pair, CoreAnswer& answer) {
  const Vector3 p = pair.X_AB() * pair.b().center;
  const SurfacePoint surface = point_from(pair.a(), p);
  return certify(pair, surface.normal, surface.point, p, surface.distance, answer);
}

bool solve_point_solid(CorePair& pair, CoreAnswer& answer) {
  const Pose& X_AB = pair.X_AB();
  const SurfacePoint surface = point_from(pair.b(), inverse(X_AB) * pair.a().center);
  return certify(pair, -(X_AB.rotation * surface.normal), pair.a().center, X_AB * surface.point,
                 surface.distance, answer);
}

ClosedForm closed_form(Kind a, Kind b) {
  constexpr ClosedForm none = nullptr;
  // columns as rows: point, segment, ellipsoid, box, cylinder, cone, polytope
  static constexpr ClosedForm table[7][7] = {
      {solve_points, solve_segments, solve_ellipsoids, solve_point_solid, solve_point_solid,
       solve_point_solid, none},
      {solve_segments, solve_segments, none, none, none, none, none},
      {solve_ellipsoids, none, solve_ellipsoids, none, none, none, none},
      {solve_solid_point, none, none, solve_boxes, none, none, none},
      {solve_solid_point, none, none, none, none, none, none},
      {solve_solid_point, none, none, none, none, none, none},
      {none, none, none, none, none, none, none},
  };
  if (a > Kind::polytope || b > Kind::polytope) return none;
  return table[static_cast<int>(a)][static_cast<int>(b)];
}

}  // namespace

bool solve_closed_form(CorePair& pair, CoreAnswer& answer) {
  const ClosedForm solve = closed_form(pair.a().kind, pair.b().kind);
  return solve != nullptr && solve(pair, answer);
}

void solve_half_space(CorePair& pair, CoreAnswer& answer) {
  const Pose& X_AB = pair.X_AB();
  const bool a_is_flat = pair.a().kind == Kind::half_space;
  Optimum& optimum = answer.optimum;
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
}

}  // namespace tactum
