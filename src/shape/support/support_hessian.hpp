// SPDX-License-Identifier: BSD-2-Clause
// How the support point of a shape moves when the direction turns: the Hessian of the support
// function, and the flat part of the surface.
//
// The points of a shape farthest along a unit vector u are a feature: a point, an edge (a side of a
// polytope, the generator of a cylinder or cone, the axis of a capsule) or a face. Inside the
// normal cone of a point the support point moves by
//     ds = H du,    H = D^2 h(u), tangential,
// with H zero at a vertex and as below on curved surfaces. Along the directions of an edge or a
// face H is infinite: the direction cannot turn against them unless the shape turns, and the point
// is free to slide. A feature is this pair: the free directions and the finite rest.
//
//     ball swept around      r I
//     ellipsoid              (A - s s') / h,   A = diag(a^2), h = |a * u|, s = A u / h
//     sphere-torus patches   stp_surface.hpp
//     rim of radius R        R / |u_xy| g g',   g around the axis
//     generator of a cone    at the fraction l from apex to rim, l times the Hessian of the rim
//
// Everything is in coordinates of a basis of the plane orthogonal to u, in the frame of the shape.
#pragma once

#include <limits>

#include "math/tangent_plane.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// Tolerances for finding a feature.
struct FeatureTolerance {
  double angle;   ///< rad: a direction this close to orthogonal is a free one
  double length;  ///< m: a point this close to the boundary of a feature is on it
  double reach = std::numeric_limits<double>::infinity();  ///< m: no edge of the shape is longer
};

struct SupportFeature {
  int dimension = 0;                    ///< of the flat part: 0 point, 1 edge, 2 face
  Double2 edge{1.0, 0.0};               ///< unit, where the dimension is 1
  Matrix22 hessian = Matrix22::zero();  ///< finite part, symmetric
  bool holds_point = true;              ///< the witness point lies on it
  bool interior = true;                 ///< the witness point is not on its boundary
};

/// Feature of any shape but a hull, for a point `p` of its core. `plane.x` and `plane.y`
/// are orthogonal to the unit vector `u`.
SupportFeature support_feature(const CoreShape& core, const TangentPlane& plane, Double3 u,
                               Double3 p, const FeatureTolerance& tolerance);

}  // namespace tactum
