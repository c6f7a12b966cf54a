// SPDX-License-Identifier: BSD-2-Clause
// Two primitives, one of them round: the nearest points by Newton on pairs of normals, with a
// proof.
//
// State      a point x = a + r n at the distance r from the first primitive, with its projection a
//            and the normal n there. With d the present distance, y = a + (d - r) n lies at the
//            distance r behind the point that the second primitive should have, and b is the
//            projection of y on the second primitive.
// Solves     the tangential part of w = b - a to be zero: then n is a normal of both, and w = d n.
//            One step, in the plane orthogonal to n, with D = DP_A(x), B = DP_B(y), N = I - D (an
//            ellipsoid is moved by its normal itself: D is its Hessian over r, N = I) and l = d /
//            r, is
//                (V - B (V - N)) delta = T'w,    V = D + l N,    x <- a + r n + T delta.
// Why        projections from a distance r of the size of the primitives make edges, corners and
//            faces as smooth as round parts: flat parts have D = 1, corners have D = 0, and none of
//            them has to be guessed. Near contact nothing degenerates, since r does not shrink with
//            d.
// Overlap    d < 0 changes nothing: the steps lead to a local optimum of the depth, where there is
//            one nearby.
// Proof      apart, the separation along n from the support functions, in closed form, against the
//            distance of the two projections; overlapping, the proof of a local optimum of
//            core_distance.hpp.
// Fails      where it does not converge in a few steps, where the proof does not hold.
#pragma once

#include "math/relative_pose.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// Bounds, normal and points of a pair, in the frame of the first core.
struct PrimitivePairAnswer {
  Double3 normal;  ///< unit, from the first to the second
  double lower;    ///< proved lower bound: the separation along the normal
  double upper;    ///< proved upper bound
  Double3 point_first, point_second;
  int iterations;
  int vertices_visited = 0;
};

/// Returns true only when the bounds meet, within rounding apart and within kProvedGap of the scale
/// in overlap, and the points lie along the normal within rounding.
using SolvePair = bool(const CoreShape& first, const CoreShape& second, const RelativePose& pose,
                       double scale, PrimitivePairAnswer& answer);

SolvePair solve_box_cylinder, solve_box_cone, solve_cylinders, solve_cone_cylinder, solve_cones;
SolvePair solve_ellipsoid_box, solve_ellipsoid_cylinder, solve_ellipsoid_cone;

}  // namespace tactum
