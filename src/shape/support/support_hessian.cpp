// SPDX-License-Identifier: BSD-2-Clause
#include "shape/support/support_hessian.hpp"

#include "shape/support/core_support.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

SupportFeature vertex_feature(Double3 vertex, Double3 p, double length) {
  SupportFeature feature;
  feature.holds_point = (p - vertex).squared_norm() <= length * length;
  return feature;
}

/// The feature of an edge from `center` - `half` to `center` + `half`.
SupportFeature edge_feature(const TangentPlane& plane, Double3 center, Double3 half, Double3 p,
                            double length) {
  SupportFeature feature;
  feature.dimension = 1;
  const Double2 along = plane.project(half);
  feature.edge = (1.0 / along.norm()) * along;
  const double squared = half.squared_norm(), fraction = dot(p - center, half) / squared,
               slack = length / std::sqrt(squared);
  feature.holds_point = std::abs(fraction) <= 1.0 + slack &&
                        (p - center - fraction * half).norm() <= length;
  feature.interior = std::abs(fraction) < 1.0 - slack;
  return feature;
}

SupportFeature segment_feature(const CoreShape& core, const TangentPlane& plane, Double3 u,
                               Double3 p, const FeatureTolerance& tolerance) {
  const Double3 half = to_double3(core.size), center = to_double3(core.center);
  const double along = dot(half, u);
  if (std::abs(along) <= tolerance.angle * half.norm())
    return edge_feature(plane, center, half, p, tolerance.length);
  return vertex_feature(along > 0.0 ? center + half : center - half, p, tolerance.length);
}

SupportFeature ellipsoid_feature(const CoreShape& core, const TangentPlane& plane, Double3 u,
                                 Double3 p, const FeatureTolerance& tolerance) {
  const Double3 axes = to_double3(core.size), scaled = axes * u;
  const double inverse = 1.0 / scaled.norm();
  const Double3 s = inverse * (axes * scaled);
  const Double3 first = axes * plane.x, second = axes * plane.y;
  const Double2 tangential = plane.project(s);
  SupportFeature feature;
  const double xy = inverse * (dot(first, second) - tangential.x * tangential.y);
  feature.hessian = {inverse * (dot(first, first) - tangential.x * tangential.x), xy, xy,
                     inverse * (dot(second, second) - tangential.y * tangential.y)};
  const double largest = feature.hessian.xx + feature.hessian.yy;
  const double slack = tolerance.length + tolerance.angle * largest;
  feature.holds_point = (p - s).squared_norm() <= slack * slack;
  return feature;
}

SupportFeature box_feature(const CoreShape& core, const TangentPlane& plane, Double3 u, Double3 p,
                           const FeatureTolerance& tolerance) {
  const double along[3] = {u.x, u.y, u.z}, at[3] = {p.x, p.y, p.z};
  const Double2 axes[3] = {{plane.x.x, plane.y.x}, {plane.x.y, plane.y.y}, {plane.x.z, plane.y.z}};
  SupportFeature feature;
  for (int i = 0; i < 3; ++i) {
    const double half = core.size[i];
    if (std::abs(along[i]) <= tolerance.angle) {
      ++feature.dimension;
      feature.edge = (1.0 / axes[i].norm()) * axes[i];
      feature.holds_point = feature.holds_point && std::abs(at[i]) <= half + tolerance.length;
      feature.interior = feature.interior && std::abs(at[i]) < half - tolerance.length;
    } else {
      feature.holds_point = feature.holds_point &&
                            std::abs(at[i] - std::copysign(half, along[i])) <= tolerance.length;
    }
  }
  return feature;
}

/// The feature of the flat end of a cylinder or cone.
SupportFeature cap_feature(double radius, double height, Double3 p, double length) {
  SupportFeature feature;
  feature.dimension = 2;
  const double radial = std::sqrt(p.x * p.x + p.y * p.y);
  feature.holds_point = radial <= radius + length && std::abs(p.z - height) <= length;
  feature.interior = radial < radius - length;
  return feature;
}

/// Adds the curvature `fraction` R / |u_xy| g g' of a rim.
void add_rim(double radius, double fraction, const TangentPlane& plane, Double3 u,
             SupportFeature& feature) {
  const double radial = std::sqrt(u.x * u.x + u.y * u.y);
  const Double2 around = plane.project({-u.y / radial, u.x / radial, 0.0});
  feature.hessian = feature.hessian +
                    (fraction * radius / radial) * Matrix22::outer(around, around);
}

SupportFeature rim_feature(double radius, double height, const TangentPlane& plane, Double3 u,
                           Double3 p, const FeatureTolerance& tolerance) {
  const double radial = std::sqrt(u.x * u.x + u.y * u.y), factor = radius / radial;
  SupportFeature feature = vertex_feature({factor * u.x, factor * u.y, height}, p,
                                          tolerance.length + tolerance.angle * factor);
  add_rim(radius, 1.0, plane, u, feature);
  return feature;
}

SupportFeature cylinder_feature(const CoreShape& core, const TangentPlane& plane, Double3 u,
                                Double3 p, const FeatureTolerance& tolerance) {
  const double radius = core.size.x(), height = std::copysign(core.size.y(), u.z);
  const double radial = std::sqrt(u.x * u.x + u.y * u.y);
  if (radial <= tolerance.angle) return cap_feature(radius, height, p, tolerance.length);
  if (std::abs(u.z) > tolerance.angle) return rim_feature(radius, height, plane, u, p, tolerance);
  const double factor = radius / radial, slack = tolerance.length + tolerance.angle * radius;
  SupportFeature feature = edge_feature(plane, {factor * u.x, factor * u.y, 0.0},
                                        {0.0, 0.0, core.size.y()}, p, slack);
  add_rim(radius, 1.0, plane, u, feature);
  return feature;
}

SupportFeature cone_feature(const CoreShape& core, const TangentPlane& plane, Double3 u, Double3 p,
                            const FeatureTolerance& tolerance) {
  const double radius = core.size.x(), half_length = core.size.y();
  const double radial = std::sqrt(u.x * u.x + u.y * u.y);
  const double slant = std::sqrt(radius * radius + 4.0 * half_length * half_length);
  // how much farther along u the apex is than the rim
  const double ahead = half_length * u.z - (radius * radial - half_length * u.z);
  if (ahead > tolerance.angle * slant)
    return vertex_feature({0.0, 0.0, half_length}, p, tolerance.length);
  if (radial <= tolerance.angle) return cap_feature(radius, -half_length, p, tolerance.length);
  if (ahead < -tolerance.angle * slant)
    return rim_feature(radius, -half_length, plane, u, p, tolerance);
  const Double3 apex{0.0, 0.0, half_length},
      rim{radius * u.x / radial, radius * u.y / radial, -half_length};
  const double slack = tolerance.length + tolerance.angle * radius;
  SupportFeature feature = edge_feature(plane, 0.5 * (apex + rim), 0.5 * (rim - apex), p, slack);
  const double fraction = dot(p - apex, rim - apex) / (slant * slant);
  add_rim(radius, std::min(1.0, std::max(0.0, fraction)), plane, u, feature);
  return feature;
}

SupportFeature patch_feature(const CoreShape& core, const TangentPlane& plane, Double3 u, Double3 p,
                             const FeatureTolerance& tolerance) {
  int visited = 0;
  const StpSurface::Patch patch = core.stp->patch(u, visited);
  const StpSurface::Curvature curvature = core.stp->curvature(patch, u);
  const Double2 across = plane.project(curvature.across);
  SupportFeature feature = vertex_feature(curvature.point, p,
                                          tolerance.length + tolerance.angle * curvature.radius);
  feature.interior = !core.stp->is_on_border(patch, u, tolerance.angle);
  feature.hessian = {curvature.radius, 0.0, 0.0, curvature.radius};
  feature.hessian = feature.hessian +
                    (curvature.across_radius - curvature.radius) * Matrix22::outer(across, across);
  return feature;
}

SupportFeature plane_feature() {
  SupportFeature feature;
  feature.dimension = 2;
  return feature;
}

}  // namespace

SupportFeature support_feature(const CoreShape& core, const TangentPlane& plane, Double3 u,
                               Double3 p, const FeatureTolerance& tolerance) {
  switch (core.kind) {
    case Kind::segment: return segment_feature(core, plane, u, p, tolerance);
    case Kind::ellipsoid: return ellipsoid_feature(core, plane, u, p, tolerance);
    case Kind::box: return box_feature(core, plane, u, p, tolerance);
    case Kind::cylinder: return cylinder_feature(core, plane, u, p, tolerance);
    case Kind::cone: return cone_feature(core, plane, u, p, tolerance);
    case Kind::half_space: return plane_feature();
    case Kind::stp: return patch_feature(core, plane, u, p, tolerance);
    case Kind::point:
    case Kind::polytope: break;
  }
  return vertex_feature(to_double3(core.center), p, tolerance.length);
}

}  // namespace tactum
