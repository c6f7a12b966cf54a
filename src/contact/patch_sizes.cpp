// SPDX-License-Identifier: BSD-2-Clause
#include "contact/patch_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactum {
namespace {

constexpr Double3 kStill{0.0, 0.0, 0.0};

PlaceWeights at_corner(const FlatFeature& feature, int corner) {
  return {1, {feature.vertices[static_cast<std::size_t>(corner)], 0, 0}, {1.0, 0.0, 0.0}, false};
}

PlaceWeights on_edge(const FlatFeature& feature, int edge, double fraction) {
  return {2,
          {feature.vertices[static_cast<std::size_t>(edge)],
           feature.vertices[static_cast<std::size_t>(feature.next(edge))], 0},
          {1.0 - fraction, fraction, 0.0},
          false};
}

/// The weights in the fan triangle for which the place lies deepest inside. `height` is that of the
/// surface there: a triangle that misses it by more than `rounding` is no face.
PlaceWeights on_face(const FlatFeature& feature, Double2 at, double height, double rounding) {
  PlaceWeights best = at_corner(feature, 0);
  double deepest = -std::numeric_limits<double>::infinity(), above = 0.0;
  const Double2 q0 = feature.corner(0) - at;
  for (int i = 1; i + 1 < feature.count; ++i) {
    const Double2 q1 = feature.corner(i) - at, q2 = feature.corner(i + 1) - at;
    const double w0 = cross(q1, q2), w1 = cross(q2, q0), w2 = cross(q0, q1), sum = w0 + w1 + w2;
    if (sum == 0.0) continue;
    const double depth = std::min({w0 / sum, w1 / sum, w2 / sum});
    if (depth <= deepest) continue;
    deepest = depth;
    best = {3,
            {feature.vertices[0], feature.vertices[static_cast<std::size_t>(i)],
             feature.vertices[static_cast<std::size_t>(i + 1)]},
            {w0 / sum, w1 / sum, w2 / sum},
            false};
    above = height - (w0 * feature.height[0] + w1 * feature.height[static_cast<std::size_t>(i)] +
                      w2 * feature.height[static_cast<std::size_t>(i + 1)]) /
                         sum;
  }
  best.folds = feature.count > 3 || std::abs(above) > rounding;
  return best;
}

PlaceWeights on_surface(const FlatFeature& feature, Double2 at, double height, double rounding) {
  if (feature.count == 0) return {};
  if (feature.count == 1) return at_corner(feature, 0);
  if (feature.count > 2) return on_face(feature, at, height, rounding);
  const Double2 edge = feature.corner(1) - feature.corner(0);
  return on_edge(feature, 0, dot(at - feature.corner(0), edge) / dot(edge, edge));
}

/// Stretches the coordinates of a point that have a size.
struct Stretch {
  int size;
  Double3 p;  // in the frame of the shape

  static double share(double coordinate, double length) {
    return length > 0.0 ? coordinate / length : 0.0;
  }
  Double3 round(double radius, double half_length) const {
    return size == 0 ? Double3{share(p.x, radius), share(p.y, radius), 0.0}
                     : Double3{0.0, 0.0, share(p.z, half_length)};
  }
  Double3 operator()(const Box& box) const {
    return {size == 0 ? share(p.x, box.half_extents.x()) : 0.0,
            size == 1 ? share(p.y, box.half_extents.y()) : 0.0,
            size == 2 ? share(p.z, box.half_extents.z()) : 0.0};
  }
  Double3 operator()(const Capsule& capsule) const {
    return size == 0 ? kStill : round(0.0, capsule.half_length);
  }
  Double3 operator()(const Cylinder& cylinder) const {
    return round(cylinder.radius, cylinder.half_length);
  }
  Double3 operator()(const Cone& cone) const { return round(cone.radius, cone.half_length); }
  /// Curved shapes have the witness points alone; half-spaces and hulls are below.
  template <class Other>
  Double3 operator()(const Other&) const {
    return kStill;
  }
};

}  // namespace

PatchPlaces patch_places(const PatchGeometry& patch, const PatchPoint& point, bool of_a) {
  const FlatFeature& feature = of_a ? patch.a : patch.b;
  const OverlapPoint& at = point.overlap;
  const int own = of_a ? at.a : at.b;
  PatchPlaces places{
      {}, on_surface(feature, at.at, of_a ? point.height_a : point.height_b, 1e-9 * patch.size)};
  if (own < 0 || feature.count == 0) return places;
  places.feature = at.kind == OverlapPoint::Kind::crossing
                       ? on_edge(feature, own, of_a ? at.fraction_a : at.fraction_b)
                       : at_corner(feature, own);
  return places;
}

int PatchSizes::count(const Shape& shape) {
  if (const auto* hull = std::get_if<Convex>(&shape.parameters()))
    return 3 * static_cast<int>(hull->num_vertices()) + 1;
  if (std::holds_alternative<Sphere>(shape.parameters()) ||
      std::holds_alternative<HalfSpace>(shape.parameters()))
    return 2;
  if (std::holds_alternative<Box>(shape.parameters()) ||
      std::holds_alternative<Ellipsoid>(shape.parameters()))
    return 4;
  return 3;
}

std::vector<std::string> PatchSizes::names(const Shape& shape) {
  std::vector<std::string> out;
  const auto add_three = [&](const std::string& name) {
    for (int i = 0; i < 3; ++i) out.push_back(name + "[" + std::to_string(i) + "]");
  };
  switch (shape.kind()) {
    case ShapeKind::sphere: out = {"radius"}; break;
    case ShapeKind::capsule:
    case ShapeKind::cylinder:
    case ShapeKind::cone: out = {"radius", "half_length"}; break;
    case ShapeKind::box: add_three("half_extents"); break;
    case ShapeKind::ellipsoid: add_three("semi_axes"); break;
    case ShapeKind::half_space: out = {"offset"}; break;
    case ShapeKind::stp: out = {"small_radius", "big_radius"}; break;
    case ShapeKind::convex:
      for (int i = 0; i < count(shape) / 3; ++i) add_three("vertices[" + std::to_string(i) + "]");
      break;
  }
  out.emplace_back("margin");
  return out;
}

Double3 PatchSizes::velocity(int size, Double3 point, const PlaceWeights& weights) const {
  if (size == count(*shape_) - 1) return kStill;  // the margin
  if (std::holds_alternative<HalfSpace>(shape_->parameters())) return normal_;
  if (std::holds_alternative<Convex>(shape_->parameters())) {
    double share = 0.0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(weights.count); ++i)
      if (weights.vertices[i] == static_cast<std::uint32_t>(size / 3)) share += weights.weights[i];
    return share * to_double3(X_->rotation.col(size % 3));
  }
  const Double3 local = transposed_product(X_->rotation, point - to_double3(X_->translation));
  return product(X_->rotation, std::visit(Stretch{size, local}, shape_->parameters()));
}

double PatchSizes::radius_rate(int size) const {
  if (size == count(*shape_) - 1) return 1.0;
  const bool is_round = std::holds_alternative<Sphere>(shape_->parameters()) ||
                        std::holds_alternative<Capsule>(shape_->parameters());
  return is_round && size == 0 ? 1.0 : 0.0;
}

}  // namespace tactum
