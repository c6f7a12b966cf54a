// SPDX-License-Identifier: BSD-2-Clause
// The common part of the methods of the GJK++ paper: problem, start, stopping rule and result.
//
// Problem    min f(x) = |x|^2 over x in M (eq. 4), whose gradient is 2 x.
// Gap        g(x) = 2 x.(x - s) for a support point s (eq. 32). With s in S_M(x) it is the
//            Frank-Wolfe gap (eq. 16), and |x - x*|^2 <= |x|^2 - |x*|^2 <= g(x) (eq. 18).
// Counts     `iterations` is the number of passes of the loop, the last one included, which only
//            finds that the gap is closed or that a plane separates: one support call each, and one
//            more where momentum is given up.
// State      GjkState: x is the weighted sum of the points of the simplex (a single point, itself a
//            mixture, for the methods that keep no simplex); `lower` and `normal` are the best
//            separation found, `upper` is the least |x|.
#pragma once

#include "narrow/gjk/gjk.hpp"
#include "narrow/gjkpp/hill_climbing_pair.hpp"

namespace tactum {

struct MethodLimits {
  double epsilon = 0.0;  ///< m^2: stop when the gap is at most this
  int max_iterations = 128;
  /// In m: stop when a plane separates the cores by more (Alg. 2).
  double stop_above = std::numeric_limits<double>::infinity();
  /// In m: stop when the cores are proved to be nearer.
  double stop_below = -std::numeric_limits<double>::infinity();
};

/// The gap g(x) of eq. 32.
inline double gap(const Vector3& x, const Vector3& s) { return 2.0 * x.dot(x - s); }

/// The weight delta_k of the momentum (Alg. 5 and 6).
inline double momentum_weight(int k) { return (k + 1.0) / (k + 3.0); }

/// Support point s along d, which proves that the cores are at least d.s / |d| apart along d. Keeps
/// the best such direction.
inline MinkowskiPoint proving_support(ClimbingPair& pair, const Vector3& d, GjkState& state) {
  const MinkowskiPoint s = pair.support(d);
  const Vector3 n = d / d.norm();
  const double separation = n.dot(s.w);
  if (separation > state.lower) {
    state.lower = separation;
    state.normal = n;
  }
  return s;
}

/// Whether d is too short to be a direction, because the momentum has cancelled.
inline bool vanishes(const Vector3& d, double scale) {
  return !(d.squaredNorm() > 1e-60 * scale * scale);
}

/// Sets the result of a method without a simplex: its point x alone.
inline GjkOutcome leave_point(const MinkowskiPoint& x, GjkOutcome outcome, GjkState& state) {
  state.simplex.size = 0;
  state.simplex.push(x);
  state.simplex.weights[0] = 1.0;
  return outcome;
}

}  // namespace tactum
