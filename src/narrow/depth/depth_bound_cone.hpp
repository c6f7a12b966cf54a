// SPDX-License-Identifier: BSD-2-Clause
// A cone of directions about a local optimum of overlapping cores in which no direction separates
// them by more.
//
// Growth     Let e be the depth along the unit vector n and a, b the points where the cores touch
//            the two planes. For u orthogonal to n
//                h(n + u) = e + g(u), h(m) = h_A(m) + h_B(-m),
//                g(u) = sum over the cores of h_X(m + u) - x.(m + u) >= 0,
//            so the depth along n + u is (e + g(u)) / |n + u|, and not smaller than e as long as
//            g(u) >= e (|n + u| - 1). Since |n + u| - 1 <= |u|^2 / 2, a quadratic bound of g on a
//            disc |u| <= tau is enough:
//                g(u) >= u'K u / 2,   K >= e I.
// Bounds     Support functions of cores are sums of few parts, and so are their bounds:
//              ellipsoid or disc, |D m|: u'H u / 2 / (1 + f tau), with H the Hessian at n and
//                f = |D| / |D n|;
//              disc of radius r >= e: exactly e (|n + u| - 1) along its tangent, which is enough
//                where the optima fill an arc;
//              segment, |s.m|, touched at x = c s: (1 - |c|) |s.u|, which is at least
//                (1 - |c|) (s.u)^2 / (|s_T| tau), with s_T the part of s orthogonal to n;
//              polygon of a hull: its inner radius about x times |u|; an edge is a segment.
//            Parts that have a corner grow in proportion to |u|, so they are worth the more the
//            narrower the cone is: K(tau) falls with tau.
// Used by    narrow/depth/epa.hpp: beyond faces that lie in such a cone the polytope need not grow.
#pragma once

#include "narrow/gjk/newton_refinement.hpp"

namespace tactum {

struct DepthBoundCone {
  Double3 axis;
  double cosine = 2.0;  ///< cosine of the half-angle, at most a right angle; above 1 when nothing
                        ///< is proved
  double upper = 0.0;   ///< no direction in the cone separates the cores by more

  /// Whether the cone contains every direction better than `lower` whose point of the surface of M
  /// lies beyond the given plane. The plane cuts off a part of M; its unit normal n points towards
  /// the origin, and n.w = value on it.
  bool holds(Double3 n, double value, double lower) const;
};

/// Proves a wide cone about the normal of `optimum`, a stationary point of cores that overlap.
DepthBoundCone prove_cone(const CorePair& pair, const SeparationOptimum& optimum);

}  // namespace tactum
