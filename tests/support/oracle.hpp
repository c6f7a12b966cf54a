// SPDX-License-Identifier: BSD-2-Clause
// The true signed distance of two shapes, with its own error bound; nothing here knows the code
// under test.
//
// d = max over unit n of sep(n), sep(n) = -(h_A(n) + h_B(-n)), apart and in penetration alike.
// Round shapes are core and radius, so d = d_core - r_A - r_B. A half-space leaves one direction,
// hence a closed form; everything else is the certified search over the sphere (sphere_search.hpp),
// or the features one by one where that search cannot close on small polytopes (nearly parallel
// edges). All in the frame of A and in extended precision, from the doubles of the relative pose.
#pragma once

#include "support/convex_body.hpp"
#include "tactum/shape.hpp"

namespace tactum::testing {

struct Truth {
  Real distance = 0;  ///< never above the true distance: attained by sep of some direction
  Vec3 normal = Vec3::UnitZ();  ///< unit, from A to B, in the frame of A
  bool normal_unique = false;   ///< no other direction comes near, and the optimum is well
                                ///< conditioned
  Real error = 0;               ///< proved: distance <= true distance <= distance + error
  Real core_distance = 0;       ///< of the cores, without the swept radii
};

/// Relative pose as the library documents it: rotation R_A^T R_B, translation R_A^T (t_B - t_A), in
/// double.
Pose pose_in_frame_of_a(const Pose& X_WA, const Pose& X_WB);

struct OracleOptions {
  Real tolerance = kDoubleEpsilon / 2;  ///< of the certificate, relative to the scale
  int budget = 6000;                    ///< of the search
  Vec3 guess = Vec3::Zero();            ///< a direction worth looking at first; zero: none
};

/// At most one of the two may be a half-space; `scale` is the scale of the pair.
Truth oracle_distance(const ConvexBody& a, const ConvexBody& b, Real scale,
                      const OracleOptions& options);
Truth oracle_distance(const Shape& a, const Shape& b, const Pose& X_AB);

/// sep(n) of the whole shapes along a unit direction in the frame of A; minus infinity where a
/// half-space has no support.
Real separation(const ConvexBody& a, const ConvexBody& b, const Vec3& n);

/// The scale of a pair by its documented definition, from the oracle's own tables.
Real oracle_scale(const ConvexBody& a, const ConvexBody& b);

}  // namespace tactum::testing
