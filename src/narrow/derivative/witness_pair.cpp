// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/witness_pair.hpp"

#include "core/format_number.hpp"
#include "math/epsilon.hpp"
#include "math/exact_pose.hpp"
#include "narrow/derivative/ambiguous_normal.hpp"
#include "narrow/derivative/hull_feature_at_point.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;
constexpr double kSameValue = 1e-9;   // of the scale: how well a given answer must fit the pair
constexpr double kOnBoundary = 1e-9;  // of the size of a shape

[[noreturn]] void refuse(const Distance& value) {
  throw InvalidInput(
      "value", "distance " + shortest_text(value.distance),
      "give a Distance of these two shapes at these two poses, as distance() returned it");
}

bool is_finite(const Distance& value) {
  return std::isfinite(value.distance) && value.normal.allFinite() && value.point_a.allFinite() &&
         value.point_b.allFinite() && std::abs(value.normal.squaredNorm() - 1.0) < 1e-9;
}

bool is_settled(Status status) {
  return status == Status::separated || status == Status::touching || status == Status::penetrating;
}

/// Support of one shape along the normal, in its own frame.
struct Support {
  Double3 u;
  std::int32_t piece;
  double height;  // u . x there, swept radius included
};

Support support_of(const CoreShape& core, Double3 u) {
  if (core.kind == Kind::half_space)
    return {u, 0, dot(to_double3(core.size), u) > 1.0 - kSameValue ? core.offset : HUGE_VAL};
  int visited = 0;
  const PlainCorePoint support = core_support(core, u, visited);
  return {u, support.piece, dot(support.point, u) + core.radius + core.inner_radius};
}

SupportFeature feature_at(const CoreShape& core, const Support& support, const TangentPlane& plane,
                          Double3 p, const FeatureTolerance& tolerance) {
  if (core.kind != Kind::polytope) return support_feature(core, plane, support.u, p, tolerance);
  return polytope_feature(*core.polytope, support.piece, plane, support.u, p, tolerance);
}

/// The witness point in the core, in the frame of the shape.
Double3 core_point(const CoreShape& core, const Support& support, const WitnessSide& side) {
  return transposed_product(side.rotation, side.arm) - core.radius * support.u;
}

void set_side(const CoreShape& core, Double3 origin, const Support& support,
              const TangentPlane& plane, Double3 point, double rounding, const Matrix3& rotation,
              WitnessSide& side) {
  side.point = point;
  side.arm = point - origin;
  side.rotation = rotation;
  const Double3 p = core_point(core, support, side);
  const TangentPlane local{transposed_product(rotation, plane.x),
                           transposed_product(rotation, plane.y), support.u};
  for (const double angle : {1e-10, 1e-8, 1e-6}) {
    side.feature = feature_at(
        core, support, local, p,
        {angle, kOnBoundary * core.bounding_radius + rounding, 2.0 * core.bounding_radius});
    if (side.feature.holds_point) break;
  }
  side.feature.hessian = side.feature.hessian + Matrix22::scaled_identity(core.radius);
}

/// Whether the witness point is too far from the support of the shape for any answer of this pair.
bool is_far(const CoreShape& core, const Support& support, const TangentPlane& plane,
            const WitnessSide& side, double slack) {
  const FeatureTolerance rough{1e-2, 1e-2 * core.bounding_radius + slack};
  return !feature_at(core, support, plane.in_frame(side.rotation), core_point(core, support, side),
                     rough)
              .holds_point;
}

double length_sum(Double3 v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

bool is_half_space(const Shape& shape) { return shape.core().kind == Kind::half_space; }

/// Refuses a value whose separation or points cannot be those of the pair, judged by the support
/// points along its normal.
void check_value(const Distance& value, double separation, double height_a,
                 double height_of_point_a, double allowed) {
  if (!(std::abs(separation - value.lower) <= allowed)) refuse(value);
  if (!is_settled(value.status)) return;
  const double gap = value.upper - value.lower + allowed;
  const Double3 rest = to_double3(value.point_b) - to_double3(value.point_a) -
                       value.distance * to_double3(value.normal);
  if (!(std::abs(height_of_point_a - height_a) <= gap && rest.squared_norm() <= 4.0 * gap * gap))
    refuse(value);
}

WitnessPair witness_of(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                       const Distance& value, bool check) {
  if (check && !is_finite(value)) refuse(value);
  const CoreShape &core_a = a.core(), &core_b = b.core();
  const Double3 n = to_double3(value.normal), o_a = to_double3(X_WA.translation),
                o_b = to_double3(X_WB.translation);
  const Double3 p_a = to_double3(value.point_a), p_b = to_double3(value.point_b);
  WitnessPair pair;
  pair.plane = TangentPlane(n);
  pair.distance = value.distance;
  pair.scale = pair_scale(core_a, core_b, o_b - o_a);

  const Support support_a = support_of(core_a, transposed_product(X_WA.rotation, n));
  const Support support_b = support_of(core_b, -transposed_product(X_WB.rotation, n));
  const double separation = dot(n, o_b - o_a) - support_a.height - support_b.height;
  const double rounding = 64.0 * kEpsilon * (pair.scale + length_sum(o_a) + length_sum(o_b));
  const double allowed = kSameValue * pair.scale + rounding;
  if (check) check_value(value, separation, support_a.height, dot(n, p_a - o_a), allowed);

  set_side(core_a, o_a, support_a, pair.plane, p_a, rounding, X_WA.rotation, pair.a);
  set_side(core_b, o_b, support_b, pair.plane, p_b, rounding, X_WB.rotation, pair.b);
  const bool settled = is_settled(value.status),
             held = pair.a.feature.holds_point && pair.b.feature.holds_point;
  if (check && settled && !held) {
    const double slack = value.upper - value.lower + allowed;
    if (is_far(core_a, support_a, pair.plane, pair.a, slack) ||
        is_far(core_b, support_b, pair.plane, pair.b, slack))
      refuse(value);
  }
  pair.smooth = settled && held && pair.a.feature.interior && pair.b.feature.interior;
  if (pair.smooth) {
    const PosedCore posed_a{&core_a, &X_WA.rotation, o_a, p_a},
        posed_b{&core_b, &X_WB.rotation, o_b, p_b};
    pair.smooth = !has_other_normal(posed_a, posed_b, n, separation, kSameValue * pair.scale);
  }
  return pair;
}

}  // namespace

WitnessPair make_witness_pair(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                              const Distance& value, ValueOrigin origin) {
  const bool check = origin == ValueOrigin::given;
  if (are_exact_poses(X_WA, X_WB, 1e-12) && !(is_half_space(a) && is_half_space(b)))
    return witness_of(a, X_WA, b, X_WB, value, check);
  make_pair_frame(a, X_WA, b, X_WB);  // throws where the query would
  return witness_of(a, check_pose(X_WA, "X_WA").pose, b, check_pose(X_WB, "X_WB").pose, value,
                    check);
}

}  // namespace tactum
