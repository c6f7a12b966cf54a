// SPDX-License-Identifier: BSD-2-Clause
// Signed distance of a point from a core, in closed form: the core of a sphere against the core of
// anything simple.
#pragma once

#include "tactum/shape.hpp"

namespace tactum {

/// Nearest boundary point, in the frame of the core.
struct SurfacePoint {
  double distance;  ///< m, negative inside
  Vector3 normal;   ///< unit, outward at `point`, towards the query point when outside
  Vector3 point;    ///< on the boundary of the core; point + distance * normal is the query point
};

/// Box of the given half extents.
SurfacePoint point_box(const Vector3& half_extents, const Vector3& p);

/// Cylinder or cone about z: the half profile in the plane of the axis and the point is a convex
/// polygon.
SurfacePoint point_cylinder(double radius, double half_length, const Vector3& p);
SurfacePoint point_cone(double radius, double half_length, const Vector3& p);

}  // namespace tactum
