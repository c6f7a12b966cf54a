// SPDX-License-Identifier: BSD-2-Clause
// The methods of the GJK++ paper under their own names: one search, then exact stages that all
// methods share.
//
// Search     GJK, its accelerations, Frank-Wolfe and NESMINO, on the cores of ClimbingPair. They
// stop
//            at a gap of tolerance * scale^2, the paper's epsilon in units of the pair.
// Exact      A result that the search has not proved to rounding goes through the stages of
//            core_distance.hpp, starting at the direction found: apart, in contact and in
//            penetration. The counters are those of the search alone, as the paper counts.
#pragma once

#include "narrow/depth/core_distance.hpp"
#include "narrow/gjkpp/momentum_gjk.hpp"
#include "tactum/distance.hpp"

namespace tactum {

/// How a search begins: with the first iterate x_0 of the paper, in the frame of A.
struct MethodStart {
  Vector3 x0 = Vector3::UnitX();  ///< not zero; its length matters for momentum
  bool centers = false;  ///< x0 goes between the middles of the two shapes; false: x0 is a given
                         ///< direction
  MomentumWeight weight = MomentumWeight::chosen;
};

/// The first iterate: the direction that the caller gives, with its length; otherwise the direction
/// of the warm start, as long as the line of centers appears along it; otherwise the line from the
/// center of the bounding box of A to that of B, each box in the axes of its shape.
MethodStart first_iterate(const CorePair& pair, const Matrix3& R_WA,
                          const Vector3& initial_direction_W, const WarmStart* warm_start,
                          MomentumWeight weight = MomentumWeight::chosen);

/// Whether the method can be used for this pair: NESMINO needs a projection on both shapes.
bool method_applies(Method method, const CoreShape& a, const CoreShape& b);

/// Throws InvalidInput where method_applies() is false.
void check_method(Method method, const Shape& a, const Shape& b);

/// Runs the search alone. The method must not be `automatic`.
GjkOutcome run_method(Method method, ClimbingPair& pair, const MethodStart& start,
                      const MethodLimits& limits, GjkState& state);

/// Runs the search for a boolean answer: stops at the first plane that separates the shapes by more
/// than `margin`, or at points that prove them to overlap by more (Alg. 2). Bounds and normal of
/// `state` are proved for the cores of `pair`; its simplex lies in the difference of the cores with
/// whole ellipsoids. Sets the climb starts of `pair`.
GjkOutcome search_by_method(Method method, CorePair& pair, const MethodStart& start,
                            double tolerance, int max_iterations, double margin, GjkState& state);

/// Signed distance of the cores by the search and the exact stages. Sets the counters and climb
/// starts of `pair`.
CoreDistance solve_by_method(Method method, CorePair& pair, const MethodStart& start,
                             double tolerance, const CoreLimits& limits);

}  // namespace tactum
