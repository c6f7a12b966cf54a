// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjkpp/frank_wolfe.hpp"

#include <algorithm>

namespace tactum {
namespace {

/// The weight gamma_k of x in the next iterate (eq. 12, or the line search of eq. 13 in closed
/// form).
double kept_part(FrankWolfeStep step, int k, const Vector3& x, const Vector3& s) {
  if (step == FrankWolfeStep::open_loop) return (k + 1.0) / (k + 2.0);
  const double squared = (x - s).squaredNorm();
  return squared > 0.0 ? 1.0 - std::clamp(x.dot(x - s) / squared, 0.0, 1.0) : 1.0;
}

/// The mixture gamma x + (1 - gamma) s, formed from points of A and of B, so that it stays in M
/// after any number of passes.
MinkowskiPoint mixture(const ClimbingPair& pair, double gamma, const MinkowskiPoint& x,
                       const MinkowskiPoint& s) {
  return pair.point(gamma * x.a + (1.0 - gamma) * s.a, gamma * x.b_B + (1.0 - gamma) * s.b_B);
}

}  // namespace

GjkOutcome run_frank_wolfe(ClimbingPair& pair, FrankWolfeStep step, const MinkowskiPoint& x0,
                           const MethodLimits& limits, GjkState& state) {
  const bool momentum = step == FrankWolfeStep::polyak || step == FrankWolfeStep::nesterov;
  MinkowskiPoint x = x0, s = x0;
  Vector3 d = x0.w;
  const auto end = [&](GjkOutcome outcome) { return leave_point(x, outcome, state); };
  for (int k = 0;; ++k) {
    state.upper = std::min(state.upper, x.w.norm());
    if (vanishes(x.w, pair.scale())) return end(GjkOutcome::overlapping);
    if (state.upper < limits.stop_below) return end(GjkOutcome::below_limit);
    if (k >= limits.max_iterations) return end(GjkOutcome::iteration_limit);
    state.iterations = k + 1;
    const double delta = momentum_weight(k);
    const Vector3 y = step == FrankWolfeStep::nesterov ? Vector3(delta * x.w + (1.0 - delta) * s.w)
                                                       : x.w;
    d = momentum ? Vector3(delta * d + (1.0 - delta) * 2.0 * y) : x.w;
    if (vanishes(d, pair.scale())) d = x.w;
    s = proving_support(pair, d, state);
    if (momentum && gap(x.w, s.w) <= limits.epsilon) s = proving_support(pair, x.w, state);
    if (state.lower > limits.stop_above) return end(GjkOutcome::above_limit);
    if (gap(x.w, s.w) <= limits.epsilon) return end(GjkOutcome::converged);
    x = mixture(pair, kept_part(step, k, x.w, s.w), x, s);
  }
}

}  // namespace tactum
