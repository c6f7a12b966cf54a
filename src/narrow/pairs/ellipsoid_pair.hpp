// SPDX-License-Identifier: BSD-2-Clause
// Ellipsoid against ellipsoid or point: the signed distance by a third-order iteration on the
// sphere of directions, with a proof.
//
// Maximizes   sep(n) = n.c - |A n| - |B n| over unit vectors n
//             (narrow/formula/ellipsoid_certificate.hpp has the notation).
// Start       c = (sep I + A'A / |A n| + B'B / |B n|) n holds at every stationary n. With the means
//             of the axes for the two norms, and the rest of |c| for sep, it is a linear equation
//             for n.
// Step        in the plane orthogonal to n, with g the gradient and J = H_A + H_B + sep I: Newton y
//             = J^-1 g, then Chebyshev's correction J^-1 (-(1/2) D^2 p [y, y] - (g.y) y) for the
//             curvature of the support points p. Two or three steps are typical. The separation
//             must not fall: else the step is halved. Where J is not positive, H_A + H_B replaces
//             it.
// Points      one support call at the final n. Below the resolution of n the support points still
//             move (a flat contact multiplies it by the radius of curvature), so the points are
//             corrected for the rest g of the gradient: p_A + H_A J^-1 g and p_B - H_B J^-1 g.
// Proof       Cores apart: the problem is convex and the two points give the upper bound. Cores
//             overlapping: `prove_depth`; without a proof the axes of the ellipsoids are tried as
//             other starts.
#pragma once

#include "narrow/formula/ellipsoid_certificate.hpp"
#include "narrow/pair/core_optimum.hpp"

namespace tactum {

inline constexpr double kEllipsoidGap = 2e-13;  ///< of the scale: gap that is proved for
                                                ///< overlapping ellipsoids

/// `inner_radius_a` and `inner_radius_b` are those of the cores (CoreShape::inner_radius). Returns
/// true only when the bounds of `answer` meet within kEllipsoidGap of the scale and its points,
/// from the center of A, are exact to rounding; else `answer` means nothing.
bool solve_ellipsoids(const EllipsoidPair& pair, double inner_radius_a, double inner_radius_b,
                      CoreDistance& answer, int& support_calls);

/// Like solve_ellipsoids(pair, ...), for cores: two ellipsoids, or an ellipsoid and a point.
bool solve_ellipsoids(CorePair& cores, CoreDistance& answer);

/// Semi axes of an ellipsoid; zeros for a point.
inline Double3 semi_axes(const CoreShape& core) {
  return core.kind == CoreShape::Kind::ellipsoid ? to_double3(core.size) : Double3{0.0, 0.0, 0.0};
}

}  // namespace tactum
