// SPDX-License-Identifier: BSD-2-Clause
// Certified global minimum over the unit sphere of the support function of A - B, by branch and
// bound.
//
// Computes   min over unit n of h(n) = max over x in A, y in B of n . (x - y), which is minus the
//            signed distance of A and B, apart and in penetration alike.
// Method     The sphere is split into spherical triangles. With support points s_1, s_2, s_3 at the
//            corners of a triangle, h(n) >= L(n) = max_i s_i . n. L is linear on convex spherical
//            polygons, so where it is positive its least value over the triangle lies at a corner,
//            where two of the functions tie on a side, or where all three tie: at most 13 points.
//            Where it is negative by m, m / cos(triangle) bounds it, and so does minus the distance
//            of the origin from the triangle of the s_i. The triangle with the least bound is
//            halved across its longest side until no bound is below the best value by more than the
//            tolerance. Facets and vertices end after finitely many steps; smooth minima at an
//            angle of sqrt(tolerance).
// Result     value (an upper bound of the minimum, attained at `direction`) and bound (a lower
//            bound): value - bound is proved.
// Fails      when the minimum is attained along a whole curve, the count of triangles explodes: the
//            search stops at its budget, sharpens the best directions it has, and the wide
//            certificate says so.
#pragma once

#include <vector>

#include "support/convex_body.hpp"

namespace tactum::testing {

struct SphereMinimum {
  Real value = infinite;   ///< h(direction)
  Real bound = -infinite;  ///< proved: h(n) >= bound for every unit n
  Vec3 direction = Vec3::UnitZ();
  bool unique = false;  ///< no other direction comes close, and h grows at least like 0.005 scale
                        ///< angle^2 around this one
  int triangles = 0;    ///< halvings done
};

struct SearchOptions {
  Real tolerance = 0;                   ///< absolute, m
  Real scale = 1;                       ///< m, to judge uniqueness
  int budget = 6000;                    ///< halvings
  Vec3 first_direction = Vec3::Zero();  ///< a good guess helps to prune; zero: none
};

/// Cores only: the swept radii of both bodies are left out. Neither body is a half-space.
SphereMinimum minimize_support(const ConvexBody& a, const ConvexBody& b,
                               const SearchOptions& options);

/// Descends from a direction on the same model of h, without a certificate (bound stays minus
/// infinity). Where the cores are apart the problem is convex, so the local minimum is the global
/// one. `unique` tells of the neighborhood alone.
SphereMinimum descend_support(const ConvexBody& a, const ConvexBody& b, const Vec3& start,
                              Real radius, Real scale);

/// h(n) of the cores for a unit direction.
Real support_value(const ConvexBody& a, const ConvexBody& b, const Vec3& n);

}  // namespace tactum::testing
