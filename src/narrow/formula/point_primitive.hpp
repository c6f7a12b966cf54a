// SPDX-License-Identifier: BSD-2-Clause
// A point against a box, a cylinder or a cone, on plain numbers: the cores of a sphere and of a
// primitive, in the frame of the primitive.
//
// Box        outside, the nearest point has the coordinates of p clamped to the half extents;
//            inside, the nearest plane decides.
// Cylinder   the rule of the box in the half plane through its axis and the point, with the
//            coordinates rho, the distance from the axis, and z.
// Cone       in that half plane a triangle: apex, slant, rim or base, by the coordinates across and
//            along the slant.
// Proof      the separation n.p - h(n) along the normal returned is the distance, in exact numbers
//            and, within rounding, in floating point. The cone, where signs choose the feature,
//            checks it.
// Two forms  the structs PointBox, PointCylinder and PointCone are inlined into whole queries, with
//            as little as possible behind the square root, because everything later waits for it.
//            They refuse points on an axis and lengths whose squares underflow. The functions
//            point_box, point_cylinder and point_cone answer every point.
#pragma once

#include <limits>

#include "math/double3.hpp"
#include "math/epsilon.hpp"
#include "tactum/pose.hpp"

namespace tactum {

struct PointPrimitiveAnswer {
  Double3 along;    ///< outward along the normal, of any length
  double inverse;   ///< 1 / |along|
  double distance;  ///< distance from the primitive, negative inside
};

/// Half the squared distance |w|^2 / 2 from the primitive to a point outside that moves along the
/// unit vector e. It is a convex function of the way; w is the vector from the primitive to the
/// point.
struct PointPrimitiveSlope {
  double value;    ///< first derivative, e.w
  double rate;     ///< second derivative, >= 0, on the piece of the point
  double squared;  ///< |w|^2
};

namespace detail {

inline constexpr double kLeastSquare = 1e-280;  ///< squares below this lose digits to underflow

/// Sets distance and inverse from the squared distance. The square root and the division run side
/// by side, not one after the other.
[[gnu::always_inline]] inline void set_distance(double squared, PointPrimitiveAnswer& answer) {
  answer.distance = std::sqrt(squared);
  answer.inverse = answer.distance * (1.0 / squared);
}

/// Computes the distance of a point from the z axis and its inverse; false near the axis of a
/// primitive of the given radius.
[[gnu::always_inline]] inline bool from_axis(Double3 p, double radius, double& rho,
                                             double& inverse_rho) {
  const double squared = p.x * p.x + p.y * p.y;
  if (!(squared > std::max(kLeastSquare, 1e-12 * radius * radius))) return false;
  rho = std::sqrt(squared);
  inverse_rho = rho * (1.0 / squared);
  return true;
}

/// The distance from the z axis of a point that moves along e, with its first two derivatives.
struct AxisMotion {
  double rho, rate, curvature;
};
[[gnu::always_inline]] inline bool follow_axis(Double3 p, Double3 e, double radius,
                                               AxisMotion& motion) {
  double inverse_rho;
  if (!from_axis(p, radius, motion.rho, inverse_rho)) return false;
  motion.rate = (p.x * e.x + p.y * e.y) * inverse_rho;
  const double around = (p.x * e.y - p.y * e.x) * inverse_rho;
  motion.curvature = around * around * inverse_rho;
  return true;
}

/// The vector (radial, axial) of the half plane of a point, rotated back into space.
[[gnu::always_inline]] inline Double3 turned(double radial, double axial, double inverse_rho,
                                             Double3 p) {
  const double factor = radial * inverse_rho;
  return {factor * p.x, factor * p.y, axial};
}

}  // namespace detail

/// A point p against a box, in the frame of the box. In this and the following structs, `nearest`
/// is false on the axis and where lengths vanish, and `slope` is false on the axis.
struct PointBox {
  static bool nearest(Double3 half, Double3 p, PointPrimitiveAnswer& answer);
  static bool slope(Double3 half, Double3 p, Double3 e, PointPrimitiveSlope& slope);
};
struct PointCylinder {
  static bool nearest(Double3 size, Double3 p, PointPrimitiveAnswer& answer);
  static bool slope(Double3 size, Double3 p, Double3 e, PointPrimitiveSlope& slope);
};
struct PointCone {
  static bool nearest(Double3 size, Double3 p, PointPrimitiveAnswer& answer);
  static bool slope(Double3 size, Double3 p, Double3 e, PointPrimitiveSlope& slope);
};

[[gnu::always_inline]] inline bool PointBox::nearest(Double3 half, Double3 p,
                                                     PointPrimitiveAnswer& answer) {
  answer.along = {p.x - clamped(p.x, half.x), p.y - clamped(p.y, half.y),
                  p.z - clamped(p.z, half.z)};
  const double squared = answer.along.squared_norm();
  if (squared > detail::kLeastSquare) {
    detail::set_distance(squared, answer);
    return true;
  }
  const Double3 excess = {std::abs(p.x) - half.x, std::abs(p.y) - half.y, std::abs(p.z) - half.z};
  const double deepest = excess.largest();
  if (deepest > 0.0) return false;
  const bool x = excess.x == deepest, y = !x && excess.y == deepest, z = !x && !y;
  answer.along = {x ? std::copysign(1.0, p.x) : 0.0, y ? std::copysign(1.0, p.y) : 0.0,
                  z ? std::copysign(1.0, p.z) : 0.0};
  answer.inverse = 1.0;
  answer.distance = deepest;
  return true;
}

[[gnu::always_inline]] inline bool PointBox::slope(Double3 half, Double3 p, Double3 e,
                                                   PointPrimitiveSlope& slope) {
  const Double3 w = {p.x - clamped(p.x, half.x), p.y - clamped(p.y, half.y),
                     p.z - clamped(p.z, half.z)};
  const Double3 outside = {w.x != 0.0 ? e.x : 0.0, w.y != 0.0 ? e.y : 0.0, w.z != 0.0 ? e.z : 0.0};
  slope = {dot(e, w), outside.squared_norm(), w.squared_norm()};
  return true;
}

[[gnu::always_inline]] inline bool PointCylinder::nearest(Double3 size, Double3 p,
                                                          PointPrimitiveAnswer& answer) {
  double rho, inverse_rho;
  if (!detail::from_axis(p, size.x, rho, inverse_rho)) return false;
  const double across = rho - size.x, out_across = std::max(across, 0.0),
               out_along = p.z - clamped(p.z, size.y);
  const double squared = out_across * out_across + out_along * out_along;
  if (squared > detail::kLeastSquare) {
    answer.along = detail::turned(out_across, out_along, inverse_rho, p);
    detail::set_distance(squared, answer);
    return true;
  }
  const double along = std::abs(p.z) - size.y;
  if (std::max(across, along) > 0.0) return false;
  answer.along = across > along ? detail::turned(1.0, 0.0, inverse_rho, p)
                                : Double3{0.0, 0.0, std::copysign(1.0, p.z)};
  answer.inverse = 1.0;
  answer.distance = std::max(across, along);
  return true;
}

[[gnu::always_inline]] inline bool PointCylinder::slope(Double3 size, Double3 p, Double3 e,
                                                        PointPrimitiveSlope& slope) {
  detail::AxisMotion motion;
  if (!detail::follow_axis(p, e, size.x, motion)) return false;
  const double across = std::max(motion.rho - size.x, 0.0), along = p.z - clamped(p.z, size.y);
  slope = {across * motion.rate + along * e.z,
           (across > 0.0 ? motion.rate * motion.rate + across * motion.curvature : 0.0) +
               (along != 0.0 ? e.z * e.z : 0.0),
           across * across + along * along};
  return true;
}

[[gnu::always_inline]] inline bool PointCone::nearest(Double3 size, Double3 p,
                                                      PointPrimitiveAnswer& answer) {
  const double radius = size.x, half_length = size.y, height = 2.0 * half_length;
  double rho, inverse_rho;
  if (!detail::from_axis(p, radius, rho, inverse_rho)) return false;
  const double squared_slant = height * height + radius * radius;
  if (!(squared_slant > detail::kLeastSquare)) return false;
  const double slant = std::sqrt(squared_slant), inverse_slant = slant * (1.0 / squared_slant);
  const double normal_r = height * inverse_slant, normal_z = radius * inverse_slant;
  const double from_apex = p.z - half_length, below = -half_length - p.z;
  const double over = normal_r * rho + normal_z * from_apex;  // height above the slant
  const double down = normal_z * rho - normal_r * from_apex;  // way down the slant, from the apex
  const bool inside = std::max(over, below) <= 0.0;
  double radial = normal_r, axial = normal_z;
  answer.distance = over;
  answer.inverse = 1.0;
  if (inside ? below > over : below > 0.0 && rho <= radius) {
    radial = 0.0;
    axial = -1.0;
    answer.distance = below;
  } else if (!inside && (over <= 0.0 || down < 0.0 || down > slant)) {
    // the apex or the rim is the nearest point
    radial = down < 0.0 ? rho : rho - radius;
    axial = down < 0.0 ? from_apex : -below;
    const double squared = radial * radial + axial * axial;
    if (!(squared > detail::kLeastSquare)) return false;
    detail::set_distance(squared, answer);
  }
  answer.along = detail::turned(radial, axial, inverse_rho, p);
  const double reach = radial * rho + axial * p.z -
                       std::max(half_length * axial, radius * radial - half_length * axial);
  constexpr double rounding = 4.0 * kEpsilon;
  return std::abs(answer.inverse * reach - answer.distance) <=
         rounding * (slant + rho + std::abs(p.z));
}

[[gnu::always_inline]] inline bool PointCone::slope(Double3 size, Double3 p, Double3 e,
                                                    PointPrimitiveSlope& slope) {
  const double radius = size.x, half_length = size.y, height = 2.0 * half_length;
  detail::AxisMotion motion;
  if (!detail::follow_axis(p, e, radius, motion)) return false;
  const double squared_slant = height * height + radius * radius;
  if (!(squared_slant > detail::kLeastSquare)) return false;
  const double from_apex = p.z - half_length, from_base = p.z + half_length;
  // height above the slant and way down from the apex, both multiplied by the length of the slant
  const double over = height * motion.rho + radius * from_apex,
               down = radius * motion.rho - height * from_apex;
  if (from_base < 0.0 && motion.rho <= radius) {
    slope = {from_base * e.z, e.z * e.z, from_base * from_base};
  } else if (over > 0.0 && down >= 0.0 && down <= squared_slant) {
    const double rate = height * motion.rate + radius * e.z, factor = 1.0 / squared_slant;
    slope = {over * rate * factor, (rate * rate + over * height * motion.curvature) * factor,
             over * over * factor};
  } else if (over <= 0.0 && from_base >= 0.0) {
    slope = {0.0, 0.0, 0.0};
  } else {
    const double edge = down < 0.0 ? 0.0 : radius, r = motion.rho - edge,
                 z = down < 0.0 ? from_apex : from_base;
    slope = {r * motion.rate + z * e.z,
             motion.rate * motion.rate + r * motion.curvature + e.z * e.z, r * r + z * z};
  }
  return true;
}

/// Nearest point of the boundary, in the frame of the core.
struct SurfacePoint {
  double distance;  ///< m, negative inside
  Vector3 normal;   ///< unit, outward at `point`, towards the query point when outside
  Vector3 point;    ///< on the boundary of the core; point + distance * normal is the query point
};

/// A point against a box of the given half extents.
SurfacePoint point_box(const Vector3& half_extents, const Vector3& p);

/// A point against a cylinder or a cone about z. The half section in the plane of the axis and the
/// point is a convex polygon.
SurfacePoint point_cylinder(double radius, double half_length, const Vector3& p);
SurfacePoint point_cone(double radius, double half_length, const Vector3& p);

}  // namespace tactum
