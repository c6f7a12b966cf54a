// SPDX-License-Identifier: BSD-2-Clause
// Proof of a penetration depth from two ellipsoids inside the cores that touch their surfaces at
// the points of contact.
//
// Idea        M = B - A holds E_B - E_A for any ellipsoids E_A in A, E_B in B, flat ones included:
//             an ellipse, a segment, a point. If they share the two support points along the
//             normal, a direction that separates A from B by more than the normal does would
//             separate E_A from E_B by more too. So the depth is global if it is global for the
//             ellipsoids, and for these a closed condition decides (below).
// Ellipsoids  given by conjugate half-diameters p, q_1, q_2 about a center, h(n) = c.n + |(p.n,
//             q_1.n, q_2.n)|, p to the point of contact and q_i in the plane of contact. All that
//             is asked of them is to hold the ball of the depth about the origin together, so flat
//             ones are best: little higher than the depth, as wide as the feature touched allows.
// Condition   With G, H the 2 x 2 matrices whose rows are the q of A and of B in the plane
//             orthogonal to n, k the difference of the centers in that plane, h the sum of the
//             heights p.n, e the depth, and any 2 x 2 matrix R with |R| <= 1,
//                 S = G'G + H'H + G'R H + H'R'G - e (h I + k k' / (h - e)) >= 0
//             proves that no direction has a smaller depth. For a rotation R it says that the
//             ellipsoid of C = A + U B, U = diag(1, R), which lies inside the sum, has its global
//             depth along n (narrow/formula/ellipsoid_certificate.hpp has the derivation); squared
//             support functions of several R may be averaged. Of R = x I + y J, J a quarter turn
//             and x^2 + y^2 <= 1, the one that makes the smaller eigenvalue of S largest is a
//             concave problem on the disc: two cutting planes at a time.
// Rounding    S must be positive by more than its own rounding. A rest g of the gradient costs h
//             g'S^-1 g.
#pragma once

#include "narrow/gjk/newton_refinement.hpp"

namespace tactum {

/// An ellipsoid about `center` with conjugate half-diameters, frame of the shape.
struct InnerEllipsoid {
  Double3 center;
  Double3 p;       ///< to the point of contact
  Double3 q1, q2;  ///< in the plane of contact
};

/// Finds an ellipsoid inside the core whose support point along the unit vector u is `point`, a
/// support point of the core along u. For an ellipsoid core the whole shape counts,
/// `CoreShape::inner_radius` included. The ellipsoid is at most `height` high along u from its
/// center. All in the frame of the shape. False where there is none.
bool find_inner_ellipsoid(const CoreShape& core, Double3 point, Double3 u, double height,
                          InnerEllipsoid& inner);

/// Upper bound of the signed distance of cores that overlap along the normal of `optimum`, from
/// ellipsoids inside them at the points of `optimum`; infinite without a proof.
double upper_bound_of_depth(const CorePair& pair, const SeparationOptimum& optimum);

}  // namespace tactum
