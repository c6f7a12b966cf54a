// SPDX-License-Identifier: BSD-2-Clause
// Volumes around shapes and points that are cheap to test: axis-aligned box, oriented box, sphere,
// oriented box with a sphere swept around it.
//
// Tight      volumes of primitives are exact (for ellipsoids, cylinders and cones the smallest
//            swept box of a few forms); the sphere of a hull is the smallest there is, its oriented
//            box the smallest of those along its faces and its principal axes.
// Safe       a volume contains its shape, rounding included: it is widened by 32 rounding units of
//            its size and place. overlaps() never denies an overlap; where two volumes are within
//            rounding of each other it may affirm one.
// Infinite   a half-space has a sphere of infinite radius and boxes of infinite half extents,
//            except that its axis-aligned box ends where its plane is perpendicular to an axis.
//            Such volumes overlap everything, at distance 0.
//
// Metres. X is the pose of the shape in the frame that the volume is wanted in.
#pragma once

#include "tactum/pose.hpp"
#include "tactum/shape.hpp"

namespace tactum {

struct BoundingSphere {
  Vector3 center = Vector3::Zero();
  double radius = 0.0;
};

/// An oriented box: center and axes are those of `pose`.
struct OrientedBox {
  Pose pose;
  Vector3 half_extents = Vector3::Zero();
};

/// All points within `radius` of an oriented box, which may be a rectangle, a segment or a point.
struct SweptBox {
  Pose pose;
  Vector3 half_extents = Vector3::Zero();
  double radius = 0.0;
};

Aabb bounding_box(const Shape& shape, const Pose& X = {});
BoundingSphere bounding_sphere(const Shape& shape, const Pose& X = {});
OrientedBox oriented_box(const Shape& shape, const Pose& X = {});
SweptBox swept_box(const Shape& shape, const Pose& X = {});

/// Volumes around one or more points; throw InvalidInput when there is none or one is not finite.
Aabb bounding_box(const Points& points);
BoundingSphere bounding_sphere(const Points& points);
OrientedBox oriented_box(const Points& points);
SweptBox swept_box(const Points& points);

/// Whether two closed volumes have a point in common.
bool overlaps(const Aabb& a, const Aabb& b);
bool overlaps(const BoundingSphere& a, const BoundingSphere& b);
bool overlaps(const OrientedBox& a, const OrientedBox& b);  ///< separating axes (Gottschalk, Lin,
                                                            ///< Manocha 1996)
bool overlaps(const SweptBox& a, const SweptBox& b);
bool overlaps(const BoundingSphere& a, const Aabb& b);
bool overlaps(const BoundingSphere& a, const SweptBox& b);

/// Distance between two volumes, 0 where they overlap; exact but for rounding.
double distance(const Aabb& a, const Aabb& b);
double distance(const BoundingSphere& a, const BoundingSphere& b);
double distance(const OrientedBox& a, const OrientedBox& b);
double distance(const SweptBox& a, const SweptBox& b);
double distance(const BoundingSphere& a, const Aabb& b);
double distance(const BoundingSphere& a, const SweptBox& b);

/// Volume in m^3.
double volume(const Aabb& box);
double volume(const BoundingSphere& sphere);
double volume(const OrientedBox& box);
double volume(const SweptBox& box);

/// Any volume as a swept box, for pairs of two kinds. A volume that is unbounded in some direction
/// becomes one that is unbounded in all.
SweptBox as_swept_box(const Aabb& box);
SweptBox as_swept_box(const BoundingSphere& sphere);
SweptBox as_swept_box(const OrientedBox& box);
inline SweptBox as_swept_box(const SweptBox& box) { return box; }

}  // namespace tactum
