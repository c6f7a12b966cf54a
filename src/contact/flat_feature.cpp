// SPDX-License-Identifier: BSD-2-Clause
#include "contact/flat_feature.hpp"

#include <algorithm>

#include "contact/hull_feature.hpp"
#include "shape/support/core_support.hpp"

namespace tactum {
namespace {

using CoreKind = CoreShape::Kind;

constexpr std::uint32_t kRim = 32, kApex = 34;  // names of corners that do not belong to a cap
constexpr int kCapCorners = 16;

// cosines of 1, 2, 3 pi / 8
constexpr double kC1 = 0.92387953251128674, kC2 = 0.70710678118654752, kC3 = 0.38268343236508977;
constexpr double kCosines[kCapCorners] = {1.0,  kC1,  kC2,  kC3,  0.0, -kC3, -kC2, -kC1,
                                          -1.0, -kC1, -kC2, -kC3, 0.0, kC3,  kC2,  kC1};

void add_single(const SeenCore& seen, FlatFeature& feature) {
  int visited = 0;
  const PlainCorePoint support = core_support(*seen.core, seen.outward(), visited);
  feature.add(seen, support.point, static_cast<std::uint32_t>(support.piece));
}

void add_segment(const SeenCore& seen, const AngleLimit& angle, FlatFeature& feature) {
  const Double3 half = to_double3(seen.core->size), center = to_double3(seen.core->center);
  if (!angle.holds(std::abs(dot(half, seen.axes.normal)) / half.norm(), feature.borderline))
    return add_single(seen, feature);
  feature.add(seen, center + half, 0);
  feature.add(seen, center - half, 1);
}

/// Feature of a box: a face where one axis is close to the direction, an edge where one is close to
/// orthogonal, else a vertex.
void add_box(const SeenCore& seen, const AngleLimit& angle, FlatFeature& feature) {
  const Double3 u = seen.outward();
  const double along[3] = {u.x, u.y, u.z},
               size[3] = {seen.core->size.x(), seen.core->size.y(), seen.core->size.z()};
  const double squares[3] = {u.x * u.x, u.y * u.y, u.z * u.z};
  const double* const axes[3] = {&seen.axes.x.x, &seen.axes.y.x, &seen.axes.normal.x};
  // the vertex farthest along the direction, and half edges from it
  int i = squares[1] > squares[0] ? 1 : 0;
  i = squares[2] > squares[i] ? 2 : i;
  int j = i == 2 ? 0 : i + 1, k = 3 - i - j;
  const auto half = [&](int axis, double length) {
    return Double3{length * axes[0][axis], length * axes[1][axis], length * axes[2][axis]};
  };
  const auto add_vertex = [&](Double3 at, std::uint32_t vertex) {
    const auto at_index = static_cast<std::size_t>(feature.count++);
    feature.x[at_index] = at.x;
    feature.y[at_index] = at.y;
    feature.height[at_index] = at.z;
    feature.vertices[at_index] = vertex;
  };
  const Double3 origin{seen.x, seen.y, seen.height};
  const bool negative = along[i] < 0.0;
  const std::uint32_t side = negative ? 1U << i : 0U, bit_j = 1U << j, bit_k = 1U << k;
  const Double3 center = origin + half(i, std::copysign(size[i], along[i]));
  if (angle.holds(std::sqrt(squares[j] + squares[k]), feature.borderline)) {
    // seen from outside, +j turns counter-clockwise to +k where the outward direction is +i
    if (negative != (seen.sign < 0.0)) std::swap(j, k);
    const Double3 e = half(j, size[j]), f = half(k, size[k]);
    const std::uint32_t bit_e = 1U << j, bit_f = 1U << k;
    add_vertex(center + e + f, side);
    add_vertex(center - e + f, side | bit_e);
    add_vertex(center - e - f, side | bit_e | bit_f);
    add_vertex(center + e - f, side | bit_f);
    const double up = 1.0 / axes[2][i];
    feature.slope = {-axes[0][i] * up, -axes[1][i] * up};
    feature.face = static_cast<std::uint32_t>(2 * i) + (negative ? 1U : 0U);
    return;
  }
  const bool edge_along_j = squares[j] < squares[k] || (squares[j] == squares[k] && j < k);
  const int e = edge_along_j ? j : k, across = edge_along_j ? k : j;
  const std::uint32_t bit_e = edge_along_j ? bit_j : bit_k,
                      bit_across = edge_along_j ? bit_k : bit_j;
  const std::uint32_t vertex = side | (along[across] < 0.0 ? bit_across : 0U);
  const Double3 middle = center + half(across, std::copysign(size[across], along[across])),
                edge = half(e, size[e]);
  if (angle.holds(std::sqrt(squares[e]), feature.borderline)) {
    feature.borderline |= angle.is_same(std::sqrt(squares[e]), std::sqrt(squares[across]));
    add_vertex(middle + edge, vertex);
    add_vertex(middle - edge, vertex | bit_e);
    return;
  }
  add_vertex(along[e] < 0.0 ? middle - edge : middle + edge,
             vertex | (along[e] < 0.0 ? bit_e : 0U));
}

void add_cap(const SeenCore& seen, double radius, double height, FlatFeature& feature) {
  const bool bottom = height < 0.0;
  // the cap at the bottom is seen from below, and the cap of a shape that looks against the normal
  // from behind
  const double turn = bottom != (seen.sign < 0.0) ? -1.0 : 1.0;
  for (int k = 0; k < kCapCorners; ++k) {
    const int number = turn > 0.0 ? k : kCapCorners - 1 - k;
    const double cosine = kCosines[number], sine = kCosines[(number + 12) % kCapCorners];
    feature.add(seen, {radius * cosine, radius * sine, height},
                static_cast<std::uint32_t>(number + (bottom ? kCapCorners : 0)));
  }
  feature.slope = seen.slope_of({0.0, 0.0, 1.0});
  feature.face = bottom ? 1 : 0;
}

/// Feature of a generator: the line from one end to the other at the azimuth of the direction,
/// between rims of the given radii at the given heights.
void add_generator(const SeenCore& seen, double radius_top, double radius_bottom,
                   double half_length, double radial, FlatFeature& feature) {
  const Double3 u = seen.outward();
  const double c = u.x / radial, s = u.y / radial;
  feature.add(seen, {radius_top * c, radius_top * s, half_length}, radius_top > 0.0 ? kRim : kApex);
  feature.add(seen, {radius_bottom * c, radius_bottom * s, -half_length}, kRim + 1);
  feature.around = seen.axes.project({-s, c, 0.0});
  feature.curvature_radius = {radius_top / radial, radius_bottom / radial};
}

void add_cylinder(const SeenCore& seen, const AngleLimit& angle, FlatFeature& feature) {
  const double radius = seen.core->size.x(), half_length = seen.core->size.y();
  const Double3 u = seen.outward();
  const double radial = std::sqrt(u.x * u.x + u.y * u.y);
  if (angle.holds(radial, feature.borderline))
    return add_cap(seen, radius, std::copysign(half_length, u.z), feature);
  if (angle.holds(std::abs(u.z), feature.borderline))
    return add_generator(seen, radius, radius, half_length, radial, feature);
  const double factor = radius / radial;
  feature.add(seen, {factor * u.x, factor * u.y, std::copysign(half_length, u.z)},
              u.z < 0.0 ? kRim + 1 : kRim);
}

void add_cone(const SeenCore& seen, const AngleLimit& angle, FlatFeature& feature) {
  const double radius = seen.core->size.x(), half_length = seen.core->size.y(),
               height = 2.0 * half_length;
  const Double3 u = seen.outward();
  const double radial = std::sqrt(u.x * u.x + u.y * u.y);
  if (u.z < 0.0 && angle.holds(radial, feature.borderline))
    return add_cap(seen, radius, -half_length, feature);
  // from apex to rim (radius, -height): positive along the direction means that the rim is ahead
  const double ahead = radius * radial - height * u.z,
               length = std::sqrt(radius * radius + height * height);
  const double tilt = std::abs(ahead) / length;
  if (height * radial + radius * u.z > 0.0 && angle.holds(tilt, feature.borderline)) {
    // closer to the axis than to the normal of the generator, the azimuth of the direction means
    // little, and the apex is the feature
    feature.borderline |= angle.is_same(tilt, radial);
    if (tilt < radial) return add_generator(seen, 0.0, radius, half_length, radial, feature);
  }
  if (ahead <= 0.0 || !(radial > 0.0)) return feature.add(seen, {0.0, 0.0, half_length}, kApex);
  const double factor = radius / radial;
  feature.add(seen, {factor * u.x, factor * u.y, -half_length}, kRim + 1);
}

void add_half_space(const SeenCore& seen, FlatFeature& feature) {
  const Double3 normal = to_double3(seen.core->size);
  feature.unbounded = true;
  feature.slope = seen.slope_of(normal);
  // the point of the plane nearest to the origin of the shape; the margin is part of the offset
  feature.add(seen, seen.core->offset * normal, 0);
  feature.count = 0;
}

void find_corners(const SeenCore& seen, const FeatureReach& reach, FlatFeature& feature) {
  const AngleLimit angle(reach.sine);
  switch (seen.core->kind) {
    case CoreKind::segment: return add_segment(seen, angle, feature);
    case CoreKind::box: return add_box(seen, angle, feature);
    case CoreKind::cylinder: return add_cylinder(seen, angle, feature);
    case CoreKind::cone: return add_cone(seen, angle, feature);
    case CoreKind::polytope: return add_hull_feature(seen, reach, feature);
    case CoreKind::half_space: return add_half_space(seen, feature);
    case CoreKind::point:
    case CoreKind::stp:
    case CoreKind::ellipsoid: break;
  }
  add_single(seen, feature);
}

}  // namespace

void find_flat_feature(const SeenCore& seen, const FeatureReach& reach, FlatFeature& feature) {
  find_corners(seen, reach, feature);
  if (seen.core->kind != CoreKind::polytope) {
    feature.top = feature.unbounded ? std::numeric_limits<double>::infinity()
                                    : -std::numeric_limits<double>::infinity();
    for (int i = 0; i < feature.count; ++i)
      feature.top = std::max(feature.top, seen.sign * feature.height[static_cast<std::size_t>(i)]);
  }
  if (feature.count != 2) return;
  const Double2 along = feature.corner(1) - feature.corner(0);
  const double squared = dot(along, along);
  if (squared > 0.0) feature.slope = ((feature.height[1] - feature.height[0]) / squared) * along;
}

FeatureHeight height_at(const SeenCore& seen, const FlatFeature& feature, Double2 at) {
  if (!feature.planar) return hull_height_at(seen, feature, at);
  const Double2 from = at - feature.corner(0);
  const double height = feature.height[0] + dot(feature.slope, from);
  return {seen.sign * std::min(seen.sign * height, feature.top), feature.slope};
}

bool has_kink_at(const SeenCore& seen, const FeatureHeight& surface, Double2 at) {
  return surface.face >= 0 && is_on_crease(seen, surface, at);
}

double chord_height(const FlatFeature& feature, int edge, double fraction) {
  const double from = feature.height[static_cast<std::size_t>(edge)];
  return from + fraction * (feature.height[static_cast<std::size_t>(feature.next(edge))] - from);
}

double height_over_edge(const SeenCore& seen, const FlatFeature& feature, int edge, double fraction,
                        Double2 at) {
  const double chord = chord_height(feature, edge, fraction);
  const auto i = static_cast<std::size_t>(edge), j = static_cast<std::size_t>(feature.next(edge));
  if (feature.planar ||
      is_hull_edge(*seen.core->polytope, feature.vertices[i], feature.vertices[j]))
    return chord;
  return seen.sign * std::max(seen.sign * chord, seen.sign * height_at(seen, feature, at).height);
}

}  // namespace tactum
