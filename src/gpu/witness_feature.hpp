// SPDX-License-Identifier: BSD-2-Clause
// The surface of a core around a witness point, as derivatives need it: in which directions it is
// flat, and how it bends in the others.
//
// A feature has free directions, along which the support point may slide while the normal stays (an
// edge has one, a face two), and a Hessian of the support function in the others: that of a
// vertex is zero, that of a rim or of the side of a cylinder has one direction, that of an
// ellipsoid two. The swept radius is no part of it.
//
// Which feature it is follows from where the point lies; for hulls from the vertices that are as
// far along the normal as the point, because the kernels know no faces.
#pragma once

#include "gpu/support.hpp"

namespace tactum::gpu {

/// Coordinates in the plane orthogonal to the normal.
struct PlaneVector {
  double x, y;
};

/// Axes of that plane, in the frame of the shape or of the world: x, y and the normal are
/// right-handed.
struct NormalPlane {
  Vector<double> x, y, normal;

  TACTUM_HOST_DEVICE PlaneVector project(Vector<double> v) const { return {dot(x, v), dot(y, v)}; }
  TACTUM_HOST_DEVICE Vector<double> lift(PlaneVector v) const { return v.x * x + v.y * y; }
};

/// Two axes orthogonal to a unit vector, without a branch that depends on more than a sign (Duff et
/// al. 2017).
TACTUM_HOST_DEVICE NormalPlane normal_plane(Vector<double> n) {
  const double sign = n.z < 0.0 ? -1.0 : 1.0, a = -1.0 / (sign + n.z), b = n.x * n.y * a;
  return {{1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x}, {b, sign + n.y * n.y * a, -n.y}, n};
}

/// Symmetric, in coordinates of the plane.
struct PlaneHessian {
  double xx, xy, yy;
};

struct WitnessFeature {
  int dimension;         ///< how many free directions it has
  PlaneVector edge;      ///< the free direction where there is one, unit
  PlaneHessian hessian;  ///< of the support function, zero along free directions
};

namespace detail {

/// A vertex, and a face.
TACTUM_HOST_DEVICE WitnessFeature corner() { return {0, {1.0, 0.0}, {0.0, 0.0, 0.0}}; }
TACTUM_HOST_DEVICE WitnessFeature flat() { return {2, {1.0, 0.0}, {0.0, 0.0, 0.0}}; }

TACTUM_HOST_DEVICE WitnessFeature edge_feature(const NormalPlane& plane, Vector<double> direction) {
  const PlaneVector e = plane.project(direction);
  const double length = std::sqrt(e.x * e.x + e.y * e.y);
  if (!(length > kTiny<double>)) return corner();
  return {1, {e.x / length, e.y / length}, {0.0, 0.0, 0.0}};
}

/// Directions shorter than this count as this long, so that no quotient overflows.
inline constexpr double kShortest = 1e-90;

/// A feature that bends along one direction of the plane, which need not have unit length, with the
/// given radius. It does not bend along a direction without length.
TACTUM_HOST_DEVICE PlaneHessian bent_along(const NormalPlane& plane, Vector<double> direction,
                                           double radius) {
  const PlaneVector e = plane.project(direction);
  const double factor = radius / larger(squared_norm(direction), kShortest * kShortest);
  return {factor * e.x * e.x, factor * e.x * e.y, factor * e.y * e.y};
}

/// Vertices of a hull that are as far along the normal as the witness point, up to the angle.
struct LevelVertices {
  int count;
  Vector<double> first, second;
};

template <int kReplicas>
TACTUM_HOST_DEVICE LevelVertices level_vertices(const CoreRecord<double>& core,
                                                const VertexView<kReplicas>& view, Vector<double> u,
                                                double height, double angle) {
  const Vector<float> rounded = converted<float>(u);
  const double lowest = height - angle * core.reach;
  const auto threshold = static_cast<float>(lowest - 1.5 * kScanError * core.reach);
  LevelVertices level{0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (int block = 0; block < core.num_blocks; ++block) {
    const FourValues v = values_of(view, core.first_block + block, rounded);
    unsigned candidates = (v.a >= threshold ? 1U : 0U) | (v.b >= threshold ? 2U : 0U) |
                          (v.c >= threshold ? 4U : 0U) | (v.d >= threshold ? 8U : 0U);
    for (; candidates != 0; candidates &= candidates - 1) {
      const Vector<double> vertex = view.vertex(core.first_block,
                                                4 * block + lowest_bit(candidates));
      if (dot(vertex, u) < lowest) continue;
      // the last block repeats its last vertex
      const bool repeated = level.count > 0 && squared_norm(vertex - level.second) == 0.0;
      if (repeated) continue;
      if (level.count == 0) level.first = vertex;
      level.second = vertex;
      ++level.count;
    }
  }
  return level;
}

template <int kReplicas>
TACTUM_HOST_DEVICE WitnessFeature hull_feature(const CoreRecord<double>& core,
                                               const VertexView<kReplicas>& view,
                                               const NormalPlane& plane, Vector<double> point,
                                               double slack, bool settled) {
  const Vector<double> u = plane.normal;
  const double height = dot(point, u);
  // answers of little accuracy lie in a feature only of a tilted normal
  for (double angle = settled ? 1e-9 : 1e-3; angle < 2e-3; angle *= 100.0) {
    const LevelVertices level = level_vertices(core, view, u, height - slack, angle);
    if (level.count > 2) return flat();
    if (level.count == 0) continue;
    const Vector<double> away = point - level.first, along = level.second - level.first;
    const double part = level.count == 1
                            ? 0.0
                            : dot(away, along) / larger(squared_norm(along), kTiny<double>);
    const Vector<double> off = away - part * along;
    const bool holds = squared_norm(off) <=
                       4.0 * (slack + angle * core.reach) * (slack + angle * core.reach);
    if (holds) return level.count == 1 ? corner() : edge_feature(plane, along);
  }
  return flat();
}

TACTUM_HOST_DEVICE WitnessFeature box_feature(const NormalPlane& plane, Vector<double> half,
                                              Vector<double> p, double slack) {
  const bool free_x = std::fabs(p.x) < half.x - slack, free_y = std::fabs(p.y) < half.y - slack,
             free_z = std::fabs(p.z) < half.z - slack;
  const int count = (free_x ? 1 : 0) + (free_y ? 1 : 0) + (free_z ? 1 : 0);
  if (count != 1) return count == 0 ? corner() : flat();
  return edge_feature(plane, {free_x ? 1.0 : 0.0, free_y ? 1.0 : 0.0, free_z ? 1.0 : 0.0});
}

/// A circle about the axis of the shape, of the given radius, whose points are the support points
/// of directions around `u`.
TACTUM_HOST_DEVICE PlaneHessian circle_hessian(const NormalPlane& plane, double radius) {
  const Vector<double> u = plane.normal, around{-u.y, u.x, 0.0};
  return bent_along(plane, around, radius / larger(norm(around), kShortest));
}

TACTUM_HOST_DEVICE WitnessFeature cylinder_feature(const CoreRecord<double>& core,
                                                   const NormalPlane& plane, Vector<double> p,
                                                   double slack) {
  const double radius = core.size.x, half_length = core.size.y;
  const double radial = std::sqrt(p.x * p.x + p.y * p.y);
  if (radial < radius - slack) return flat();
  const bool on_side = std::fabs(p.z) < half_length - slack;
  WitnessFeature feature = on_side ? edge_feature(plane, {0.0, 0.0, 1.0}) : corner();
  feature.hessian = circle_hessian(plane, radius);
  return feature;
}

TACTUM_HOST_DEVICE WitnessFeature cone_feature(const CoreRecord<double>& core,
                                               const NormalPlane& plane, Vector<double> p,
                                               double slack) {
  const double radius = core.size.x, half_length = core.size.y;
  const double radial = std::sqrt(p.x * p.x + p.y * p.y);
  if (p.z > half_length - slack) return corner();
  const bool on_base = p.z < slack - half_length;
  if (on_base && radial < radius - slack) return flat();
  const Vector<double> to_apex{-p.x, -p.y, half_length - p.z};
  WitnessFeature feature = on_base ? corner() : edge_feature(plane, to_apex);
  feature.hessian = circle_hessian(plane, on_base ? radius : radial);
  return feature;
}

TACTUM_HOST_DEVICE WitnessFeature ellipsoid_feature(const CoreRecord<double>& core,
                                                    const NormalPlane& plane) {
  const Vector<double> u = plane.normal, s = core.size;
  const Vector<double> scaled{s.x * u.x, s.y * u.y, s.z * u.z};
  const double stretch = 1.0 / larger(norm(scaled), kTiny<double>);
  const auto bend = [&](Vector<double> v, Vector<double> w) {
    const Vector<double> sv{s.x * v.x, s.y * v.y, s.z * v.z}, sw{s.x * w.x, s.y * w.y, s.z * w.z};
    return stretch * (dot(sv, sw) - stretch * stretch * dot(sv, scaled) * dot(sw, scaled));
  };
  // a ball of the radius `offset` was taken out of it
  return {0,
          {1.0, 0.0},
          {bend(plane.x, plane.x) - core.offset, bend(plane.x, plane.y),
           bend(plane.y, plane.y) - core.offset}};
}

TACTUM_HOST_DEVICE WitnessFeature segment_feature(const CoreRecord<double>& core,
                                                  const NormalPlane& plane, Vector<double> p,
                                                  double slack) {
  const double length = norm(core.size);
  const double along = dot(p - core.center, core.size) / larger(length, kTiny<double>);
  return std::fabs(along) < length - slack ? edge_feature(plane, core.size) : corner();
}

}  // namespace detail

/// The feature at a point of the core. `plane` and `point` are in the frame of the shape, its
/// normal pointing outward; the point is right to `slack`, in metres.
template <KindSet kKinds, int kReplicas>
TACTUM_HOST_DEVICE WitnessFeature witness_feature(const CoreRecord<double>& core,
                                                  const VertexView<kReplicas>& view,
                                                  const NormalPlane& plane, Vector<double> point,
                                                  double slack, bool settled = true) {
  using detail::is;
  if (is<kKinds>(core.kind, CoreKind::polytope))
    return detail::hull_feature(core, view, plane, point, slack, settled);
  if (is<kKinds>(core.kind, CoreKind::box))
    return detail::box_feature(plane, core.size, point, slack);
  if (is<kKinds>(core.kind, CoreKind::segment))
    return detail::segment_feature(core, plane, point, slack);
  if (is<kKinds>(core.kind, CoreKind::ellipsoid)) return detail::ellipsoid_feature(core, plane);
  if (is<kKinds>(core.kind, CoreKind::cylinder))
    return detail::cylinder_feature(core, plane, point, slack);
  if (is<kKinds>(core.kind, CoreKind::cone)) return detail::cone_feature(core, plane, point, slack);
  if (is<kKinds>(core.kind, CoreKind::half_space)) return detail::flat();
  return detail::corner();
}

}  // namespace tactum::gpu
