// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjk/cap_refinement.hpp"

#include <Eigen/Geometry>

#include "math/epsilon.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

bool is_planar(const CoreShape& core) {
  return core.kind == Kind::polytope && core.polytope->dimension() == 2;
}

/// Unit normal of the flat cap that faces along `u` best, both in the frame of the core; zero where
/// none is near.
Vector3 cap_facing(const CoreShape& core, const Vector3& u) {
  if (is_planar(core)) {
    const Vector3& normal = core.polytope->planes()[0].normal;
    return normal.dot(u) < 0.0 ? Vector3(-normal) : normal;
  }
  // only one end of a cone is flat
  const bool round = core.kind == Kind::cylinder || (core.kind == Kind::cone && u.z() < 0.0);
  return round && std::abs(u.z()) >= 0.9 ? Vector3(0.0, 0.0, std::copysign(1.0, u.z()))
                                         : Vector3::Zero();
}

/// Direction of the straight line on the side of a core that faces along `u`, both in the frame of
/// the core; zero where there is none.
Vector3 side_line(const CoreShape& core, const Vector3& u) {
  if (core.kind == Kind::segment) return core.size.normalized();
  if (core.kind == Kind::cylinder) return Vector3::UnitZ();
  const double radial = std::hypot(u.x(), u.y());
  if (core.kind != Kind::cone || !(radial > 0.0)) return Vector3::Zero();
  const double radius = core.size.x() / radial;
  return Vector3(radius * u.x(), radius * u.y(), -2.0 * core.size.y()).normalized();
}

/// Keeps a direction that separates better than the best so far; its points are left to the caller.
void take_direction(const Vector3& n, double lower, SeparationOptimum& optimum) {
  if (std::isfinite(optimum.residual))
    optimum.residual = (optimum.point_b - optimum.point_a - lower * n).norm();
  optimum.normal = n;
  optimum.lower = lower;
}

/// Center of the cap with the given normal, both in the frame of A.
Vector3 cap_center(const CorePair& pair, bool cap_of_a, const Vector3& normal) {
  const double height = (cap_of_a ? pair.a() : pair.b()).size.y();
  if (cap_of_a) return height * normal;
  return pair.X_AB().translation - height * normal;
}

/// Tries the cap `normal` of one core against the straight side of the other, for which n is at
/// right angles to the line of that side. The nearest such n to the cap normal is off by b, the
/// sine of the angle between them. Turned by t about the line, the separation gains t * lever from
/// the place where line and disc meet and loses r sqrt(b^2 + t^2) from the disc, so the best t is b
/// k / sqrt(1 - k^2) with k = lever / r.
void try_across_line(CorePair& pair, bool cap_of_a, const Vector3& normal, double rounding,
                     SeparationOptimum& optimum) {
  const Matrix3& R = pair.X_AB().rotation;
  const Vector3 line = cap_of_a ? Vector3(R * side_line(pair.b(), -(R.transpose() * normal)))
                                : side_line(pair.a(), normal);
  const double b = normal.dot(line);
  const Vector3 across = normal - b * line;
  if (line.isZero() || across.squaredNorm() < 0.5) return;
  const auto try_direction = [&](const Vector3& n) {
    const MinkowskiPoint support = pair.support(n);
    const double lower = n.dot(support.w);
    if (lower > optimum.lower + rounding) take_direction(n, lower, optimum);
    return support;
  };
  const Vector3 nearest = across.normalized();
  const MinkowskiPoint support = try_direction(nearest);
  const CoreShape& core = cap_of_a ? pair.a() : pair.b();
  if (is_planar(core)) return;
  const Vector3 center = cap_center(pair, cap_of_a, normal), side = line.cross(nearest);
  const double k =
      (cap_of_a ? Vector3(support.b() - center) : Vector3(center - support.a)).dot(side) /
      core.size.x();
  if (std::abs(k) < 0.999)
    try_direction((nearest + (std::abs(b) * k / std::sqrt(1.0 - k * k)) * side).normalized());
}

/// Handles a point of the other core that is outside the rim by rounding only: takes the point of
/// the disc nearest to it, and the direction between the two.
bool try_rim(CorePair& pair, bool cap_of_a, double overhang, const Vector3& outward,
             double rounding, SeparationOptimum& found) {
  if (!(found.lower > 0.0)) return false;
  (cap_of_a ? found.point_a : found.point_b) -= overhang * outward;
  const Vector3 separation = found.point_b - found.point_a;
  const double upper = separation.norm();
  found.normal = separation / upper;
  found.lower = found.normal.dot(pair.support(found.normal).w);
  return found.lower >= upper - rounding;
}

/// Whether the projection of `found` on the plane of the cap is a point of the cap. A projection
/// outside the rim of a disc by rounding only moves to the rim, and n with it.
bool on_cap(CorePair& pair, bool cap_of_a, double rounding, SeparationOptimum& found) {
  const CoreShape& core = cap_of_a ? pair.a() : pair.b();
  if (is_planar(core)) return false;
  const Vector3 projection = cap_of_a ? found.point_a
                                      : Vector3(inverse(pair.X_AB()) * found.point_b);
  const double off_axis = std::hypot(projection.x(), projection.y());
  const double overhang = off_axis - core.size.x();
  if (overhang <= rounding || !(overhang < 1e-6 * pair.scale())) return overhang <= rounding;
  const Vector3 outward(projection.x() / off_axis, projection.y() / off_axis, 0.0);
  return try_rim(pair, cap_of_a, overhang,
                 cap_of_a ? outward : Vector3(pair.X_AB().rotation * outward), rounding, found);
}

/// Tries n = the normal of the cap nearest to the present normal; `cap_of_a` says whose cap it is.
bool try_cap(CorePair& pair, bool cap_of_a, SeparationOptimum& optimum) {
  const CoreShape& core = cap_of_a ? pair.a() : pair.b();
  const Matrix3& R = pair.X_AB().rotation;
  const Vector3 cap = cap_facing(
      core, cap_of_a ? optimum.normal : Vector3(-(R.transpose() * optimum.normal)));
  if (cap.isZero()) return false;
  const Vector3 n = cap_of_a ? cap : Vector3(-(R * cap));
  const MinkowskiPoint support = pair.support(n);
  const double lower = n.dot(support.w);
  const double rounding = 16.0 * kEpsilon * pair.scale();
  if (lower < optimum.lower - rounding) {
    try_across_line(pair, cap_of_a, n, rounding, optimum);
    return false;
  }

  // the support point of the other core and its projection on the disc
  SeparationOptimum found{n, lower, support.a, support.b(), 0.0};
  (cap_of_a ? found.point_a : found.point_b) = cap_of_a ? Vector3(support.b() - lower * n)
                                                        : Vector3(support.a + lower * n);
  const bool exact = on_cap(pair, cap_of_a, rounding, found);
  if (exact) {
    optimum = found;
  } else if (lower > optimum.lower + rounding) {
    take_direction(n, lower, optimum);  // an edge or a generator lies across the disc
  }
  return exact;
}

}  // namespace

bool refine_by_cap(CorePair& pair, SeparationOptimum& optimum) {
  return try_cap(pair, true, optimum) || try_cap(pair, false, optimum);
}

}  // namespace tactum
