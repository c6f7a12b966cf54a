// SPDX-License-Identifier: BSD-2-Clause
// Volumes of every kind of shape, and the tests between volumes.
#include "tactum/bounding_volume.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "broad/box_distance.hpp"
#include "broad/float_box.hpp"
#include "broad/oriented_fit.hpp"
#include "math/constants.hpp"
#include "math/epsilon.hpp"
#include "shape/check/smallest_sphere.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr double kUnits = 32.0 * kEpsilon;

// ------------------------------------------------------------------------------------------- in
// the frame of the shape

/// Sphere of a shape without its margin, and without room for rounding.
BoundingSphere sphere_of(const Sphere& s) { return {Vector3::Zero(), s.radius}; }
BoundingSphere sphere_of(const Ellipsoid& s) { return {Vector3::Zero(), s.semi_axes.maxCoeff()}; }
BoundingSphere sphere_of(const Box& s) { return {Vector3::Zero(), s.half_extents.norm()}; }
BoundingSphere sphere_of(const Capsule& s) { return {Vector3::Zero(), s.radius + s.half_length}; }
BoundingSphere sphere_of(const Cylinder& s) {
  return {Vector3::Zero(), std::hypot(s.radius, s.half_length)};
}
BoundingSphere sphere_of(const Cone& s) {
  // as far from the apex as from the rim: (h - z)^2 = r^2 + (h + z)^2; a flat cone is held by the
  // sphere around its disc
  const double z = std::max(-s.half_length, -0.25 * s.radius * (s.radius / s.half_length));
  return {Vector3(0.0, 0.0, z),
          std::max(s.half_length - z, std::hypot(s.radius, s.half_length + z))};
}
BoundingSphere sphere_of(const HalfSpace& /*s*/) { return {Vector3::Zero(), kInfinity}; }
BoundingSphere sphere_of(const Convex& s) { return smallest_sphere(s.vertices()); }

BoundingSphere sphere_of(const Stp& s) {
  // a ball of radius at most R - r around the points is cut out by balls of R - r around them, so
  // it contains all that is inside those
  BoundingSphere ball = smallest_sphere(s.points());
  ball.radius += s.small_radius();
  return ball;
}

OrientedBox centered_box(const Vector3& half) { return {{}, half}; }
OrientedBox box_of(const Sphere& s) { return centered_box(Vector3::Constant(s.radius)); }
OrientedBox box_of(const Ellipsoid& s) { return centered_box(s.semi_axes); }
OrientedBox box_of(const Box& s) { return centered_box(s.half_extents); }
OrientedBox box_of(const Capsule& s) {
  return centered_box({s.radius, s.radius, s.half_length + s.radius});
}
OrientedBox box_of(const Cylinder& s) { return centered_box({s.radius, s.radius, s.half_length}); }
OrientedBox box_of(const Cone& s) { return centered_box({s.radius, s.radius, s.half_length}); }
OrientedBox box_of(const HalfSpace& /*s*/) { return centered_box(Vector3::Constant(kInfinity)); }
OrientedBox box_of(const Convex& s) { return oriented_fit(s); }

/// Box in the axes that fit the hull of the points, as wide as the volume is along them.
OrientedBox box_of(const Stp& s) {
  OrientedBox box = oriented_fit(Convex::from_points(s.points()));
  const Aabb local = Shape(s).aabb(inverse(box.pose));
  box.pose.translation = box.pose * (0.5 * local.lower + 0.5 * local.upper);
  box.half_extents = (0.5 * local.upper - 0.5 * local.lower).array() - s.margin;
  return box;
}

/// Swept box of a round shape: its box, the segment of its axis with its radius, or its sphere,
/// whichever is smallest.
template <class Round>
SweptBox swept_of_round(const Round& s, double margin) {
  const BoundingSphere ball = sphere_of(s);
  const std::array<SweptBox, 3> candidates{
      SweptBox{{}, {s.radius, s.radius, s.half_length}, margin},
      SweptBox{{}, {0.0, 0.0, s.half_length}, s.radius + margin},
      SweptBox{{Matrix3::Identity(), ball.center}, Vector3::Zero(), ball.radius + margin},
  };
  return *std::ranges::min_element(candidates, {}, [](const SweptBox& box) { return volume(box); });
}

SweptBox swept_of(const Sphere& s, double margin) {
  return {{}, Vector3::Zero(), s.radius + margin};
}
SweptBox swept_of(const Ellipsoid& s, double margin) {
  // with c the least semi axis: |(a u_x, b u_y, c u_z)| <= |((a - c) u_x, (b - c) u_y, 0)| + c |u|,
  // so this box contains the ellipsoid and touches it on every axis
  const double least = s.semi_axes.minCoeff();
  return {{}, s.semi_axes.array() - least, least + margin};
}
SweptBox swept_of(const Box& s, double margin) { return {{}, s.half_extents, margin}; }
SweptBox swept_of(const Capsule& s, double margin) {
  return {{}, {0.0, 0.0, s.half_length}, s.radius + margin};
}
SweptBox swept_of(const Cylinder& s, double margin) { return swept_of_round(s, margin); }
SweptBox swept_of(const Cone& s, double margin) { return swept_of_round(s, margin); }
SweptBox swept_of(const HalfSpace& /*s*/, double /*margin*/) {
  return {{}, Vector3::Constant(kInfinity), 0.0};
}
SweptBox swept_of(const Convex& s, double margin) {
  SweptBox best = swept_fit(s, oriented_fit(s));
  best.radius += margin;
  const BoundingSphere ball = smallest_sphere(s.vertices());
  const SweptBox round{{Matrix3::Identity(), ball.center}, Vector3::Zero(), ball.radius + margin};
  return volume(round) < volume(best) ? round : best;
}

SweptBox swept_of(const Stp& s, double margin) {
  const OrientedBox box = box_of(s);
  const SweptBox best{box.pose, (box.half_extents.array() - s.small_radius()).max(0.0),
                      s.small_radius() + margin};
  const BoundingSphere ball = sphere_of(s);
  const SweptBox round{{Matrix3::Identity(), ball.center}, Vector3::Zero(), ball.radius + margin};
  return volume(round) < volume(best) ? round : best;
}

// -------------------------------------------------------------------------------------------------
// placing

/// Bound of the rounding error of a volume of this size at this place.
double slack(const Vector3& center, double size) {
  return kUnits * (center.cwiseAbs().maxCoeff() + size);
}

bool is_infinite(const Vector3& half_extents) { return half_extents.maxCoeff() == kInfinity; }

double reach(const Pose& X, const Vector3& local) {
  return X.translation.cwiseAbs().maxCoeff() + local.cwiseAbs().maxCoeff();
}

void require_finite(const Points& points) {
  if (points.cols() == 0) throw InvalidInput("points", "no points", "give at least one point");
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    for (int k = 0; k < 3; ++k) {
      if (!std::isfinite(points(k, i)))
        throw InvalidInput("points[" + std::to_string(i) + "][" + std::to_string(k) + "]",
                           std::to_string(points(k, i)), "give finite points");
    }
  }
}

OrientedBox widened(OrientedBox box, double place) {
  if (!is_infinite(box.half_extents))
    box.half_extents.array() += kUnits * (place + box.half_extents.maxCoeff());
  return box;
}

SweptBox widened(SweptBox box, double place) {
  if (!is_infinite(box.half_extents))
    box.radius += kUnits * (place + box.half_extents.maxCoeff() + box.radius);
  return box;
}

}  // namespace

Aabb bounding_box(const Shape& shape, const Pose& X) {
  Aabb box = shape.aabb(X);
  const double size = shape.kind() == ShapeKind::half_space ? std::abs(shape.core().offset)
                                                            : shape.core().bounding_radius;
  const double room = slack(X.translation, size);
  box.lower.array() -= room;
  box.upper.array() += room;
  return box;
}

BoundingSphere bounding_sphere(const Shape& shape, const Pose& X) {
  const Pose pose = check_pose(X, "X").pose;
  const BoundingSphere local = std::visit([](const auto& s) { return sphere_of(s); },
                                          shape.parameters());
  const double radius = local.radius + shape.margin();
  if (radius == kInfinity) return {pose.translation, radius};
  return {pose * local.center, radius + kUnits * (reach(pose, local.center) + radius)};
}

OrientedBox oriented_box(const Shape& shape, const Pose& X) {
  const Pose pose = check_pose(X, "X").pose;
  OrientedBox box = std::visit([](const auto& s) { return box_of(s); }, shape.parameters());
  const double place = reach(pose, box.pose.translation);
  box.pose = pose * box.pose;
  if (!is_infinite(box.half_extents)) box.half_extents.array() += shape.margin();
  return widened(box, place);
}

SweptBox swept_box(const Shape& shape, const Pose& X) {
  const Pose pose = check_pose(X, "X").pose;
  SweptBox box = std::visit([&](const auto& s) { return swept_of(s, s.margin); },
                            shape.parameters());
  const double place = reach(pose, box.pose.translation);
  box.pose = pose * box.pose;
  return widened(box, place);
}

Aabb bounding_box(const Points& points) {
  require_finite(points);
  return {points.rowwise().minCoeff(), points.rowwise().maxCoeff()};
}

BoundingSphere bounding_sphere(const Points& points) {
  require_finite(points);
  BoundingSphere ball = smallest_sphere(points);
  ball.radius += slack(ball.center, ball.radius);
  return ball;
}

OrientedBox oriented_box(const Points& points) {
  const OrientedBox box = oriented_fit(Convex::from_points(points));
  return widened(box, box.pose.translation.cwiseAbs().maxCoeff());
}

SweptBox swept_box(const Points& points) {
  const SweptBox box = swept_of(Convex::from_points(points), 0.0);
  return widened(box, box.pose.translation.cwiseAbs().maxCoeff());
}

// -------------------------------------------------------------------------------------------------
// tests

namespace {

OrientedBox core_of(const SweptBox& box) { return {box.pose, box.half_extents}; }

double extent(const OrientedBox& box) {
  return box.pose.translation.cwiseAbs().maxCoeff() + box.half_extents.maxCoeff();
}

Vector3 outside(const Aabb& box, const Vector3& p) {
  Vector3 v;
  for (int i = 0; i < 3; ++i)
    v[i] = p[i] < box.lower[i]   ? box.lower[i] - p[i]
           : p[i] > box.upper[i] ? p[i] - box.upper[i]
                                 : 0.0;
  return v;
}

}  // namespace

bool overlaps(const Aabb& a, const Aabb& b) { return boxes_overlap(a, b); }

double distance(const Aabb& a, const Aabb& b) {
  Vector3 v;
  for (int i = 0; i < 3; ++i)
    v[i] = a.upper[i] < b.lower[i]   ? b.lower[i] - a.upper[i]
           : b.upper[i] < a.lower[i] ? a.lower[i] - b.upper[i]
                                     : 0.0;
  return v.stableNorm();
}

bool overlaps(const BoundingSphere& a, const BoundingSphere& b) {
  if (a.radius == kInfinity || b.radius == kInfinity) return true;
  const double place = a.center.cwiseAbs().maxCoeff() + b.center.cwiseAbs().maxCoeff();
  return distance(a, b) <= kUnits * (place + a.radius + b.radius);
}

double distance(const BoundingSphere& a, const BoundingSphere& b) {
  if (a.radius == kInfinity || b.radius == kInfinity) return 0.0;
  return std::max((b.center - a.center).stableNorm() - a.radius - b.radius, 0.0);
}

bool overlaps(const OrientedBox& a, const OrientedBox& b) {
  if (is_infinite(a.half_extents) || is_infinite(b.half_extents)) return true;
  return separating_gap(a, b) <= kUnits * (extent(a) + extent(b));
}

double distance(const OrientedBox& a, const OrientedBox& b) {
  if (is_infinite(a.half_extents) || is_infinite(b.half_extents)) return 0.0;
  return box_distance(a, b);
}

bool overlaps(const SweptBox& a, const SweptBox& b) {
  if (is_infinite(a.half_extents) || is_infinite(b.half_extents)) return true;
  const double radius = a.radius + b.radius,
               room = kUnits * (extent(core_of(a)) + extent(core_of(b)) + radius);
  // the gap is a lower bound: where it is too large, the distance need not be known
  if (separating_gap(core_of(a), core_of(b)) > radius + room) return false;
  return box_distance(core_of(a), core_of(b)) <= radius + room;
}

double distance(const SweptBox& a, const SweptBox& b) {
  if (is_infinite(a.half_extents) || is_infinite(b.half_extents)) return 0.0;
  return std::max(box_distance(core_of(a), core_of(b)) - a.radius - b.radius, 0.0);
}

bool overlaps(const BoundingSphere& a, const Aabb& b) {
  if (a.radius == kInfinity) return true;
  return distance(a, b) <= kUnits * (a.center.cwiseAbs().maxCoeff() + a.radius);
}

double distance(const BoundingSphere& a, const Aabb& b) {
  return a.radius == kInfinity ? 0.0 : std::max(outside(b, a.center).stableNorm() - a.radius, 0.0);
}

bool overlaps(const BoundingSphere& a, const SweptBox& b) {
  if (a.radius == kInfinity || is_infinite(b.half_extents)) return true;
  return distance(a, b) <=
         kUnits * (a.center.cwiseAbs().maxCoeff() + a.radius + extent(core_of(b)) + b.radius);
}

double distance(const BoundingSphere& a, const SweptBox& b) {
  if (a.radius == kInfinity || is_infinite(b.half_extents)) return 0.0;
  return std::max(point_distance(core_of(b), a.center) - a.radius - b.radius, 0.0);
}

// -------------------------------------------------------------------------------------------------
// conversions

SweptBox as_swept_box(const Aabb& box) {
  bool infinite = false;
  for (int i = 0; i < 3; ++i) infinite |= std::isinf(box.lower[i]) || std::isinf(box.upper[i]);
  if (infinite) return {{}, Vector3::Constant(kInfinity), 0.0};
  return {{Matrix3::Identity(), 0.5 * box.lower + 0.5 * box.upper},
          0.5 * box.upper - 0.5 * box.lower,
          0.0};
}

SweptBox as_swept_box(const BoundingSphere& sphere) {
  if (sphere.radius == kInfinity) return {{}, Vector3::Constant(kInfinity), 0.0};
  return {{Matrix3::Identity(), sphere.center}, Vector3::Zero(), sphere.radius};
}

SweptBox as_swept_box(const OrientedBox& box) { return {box.pose, box.half_extents, 0.0}; }

}  // namespace tactum
