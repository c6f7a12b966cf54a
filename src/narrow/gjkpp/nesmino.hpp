// SPDX-License-Identifier: BSD-2-Clause
// NESMINO: the nearest point of M by smoothing and Nesterov's fast gradient method, for cores that
// a point can be projected on.
//
// Source     X. Qin, N. T. An, Smoothing algorithms for computing the projection onto a Minkowski
//            sum of convex sets, 2019; compared with in GJK++ section IV-E.
// Computes   min over u of phi(u) = |u|^2 / 2 - min over x in M of u.x, the dual of (4), whose
//            minimum is u = x*. The second term is made smooth by mu / 2 times the squared
//            distances of the two points from the middles of the cores; then
//                grad phi(u) = u - x(u),   x(u) = P_B(m_B - u / mu) - P_A(m_A + u / mu),
//            with projections P instead of supports. phi is 1-strongly convex, its gradient
//            Lipschitz with L = 1 + 2 / mu, so the momentum is (sqrt L - 1) / (sqrt L + 1).
// Smoothing  moves the point by about mu times the size of the cores. mu starts large, where steps
//            are long, and is lowered whenever the gradient shows that no more progress is
//            possible, down to epsilon / size^2.
// Ends       It has no gap of its own. As in the paper it runs until x is within sqrt(epsilon) of
//            the solution, where one is given; else until the Frank-Wolfe gap of x is at most
//            epsilon, which costs one support for each pass.
#pragma once

#include "narrow/gjkpp/search_state.hpp"

namespace tactum {

/// Whether a point can be projected on the core by a closed form or a few Newton steps: all cores
/// but hulls.
bool has_projection(const CoreShape& core);

/// The point of the core nearest to p, in the frame of the core; ellipsoids are taken whole.
Vector3 project_on(const CoreShape& core, const Vector3& p);

/// Runs NESMINO from x0. `solution` is x*, or null where it is not known.
GjkOutcome run_nesmino(ClimbingPair& pair, const Vector3& x0, const Vector3* solution,
                       const MethodLimits& limits, GjkState& state);

}  // namespace tactum
