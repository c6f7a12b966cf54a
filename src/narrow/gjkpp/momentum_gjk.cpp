// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjkpp/momentum_gjk.hpp"

#include "math/epsilon.hpp"

namespace tactum {
namespace {

constexpr int kIdlePasses = 8;  ///< passes in a row without a nearer point that count as stalled by
                                ///< rounding

/// The direction d_k of Alg. 6, lines 1 to 3, or of Alg. 7.
Vector3 support_direction(MomentumRule rule, int k, const Vector3& x, const Vector3& last_support,
                          const Vector3& last_direction) {
  const double delta = rule.delta(k);
  const Vector3 y = rule.kind == MomentumKind::nesterov
                        ? Vector3(delta * x + (1.0 - delta) * last_support)
                        : x;
  if (!rule.normalized) return delta * last_direction + (1.0 - delta) * 2.0 * y;
  const double length = last_direction.norm(), y_length = y.norm();
  if (!(length > 0.0 && y_length > 0.0)) return x;
  return delta * (last_direction / length) + (1.0 - delta) * (y / y_length);
}

}  // namespace

double MomentumRule::delta(int k) const {
  if (kind == MomentumKind::polyak && weight != MomentumWeight::printed) return 1.0 / (k + 1.0);
  if (normalized && weight == MomentumWeight::authors) return (k + 2.0) / (k + 3.0);
  return momentum_weight(k);
}

GjkOutcome run_momentum_gjk(ClimbingPair& pair, MomentumRule rule, const Vector3& x0,
                            const MethodLimits& limits, GjkState& state) {
  Simplex& W = state.simplex;
  Vector3 x = x0, d = x0;
  MinkowskiPoint s;
  s.w = x0;
  int idle = 0;
  for (int k = 0;; ++k) {
    if (k >= limits.max_iterations) return GjkOutcome::iteration_limit;
    state.iterations = k + 1;
    if (rule.kind != MomentumKind::none) d = support_direction(rule, k, x, s.w, d);
    if (rule.kind == MomentumKind::none || vanishes(d, rule.normalized ? 1.0 : pair.scale())) d = x;
    if (d.isZero(0.0))
      return GjkOutcome::stalled;  // x is the origin, but no simplex has shown it to be inside
    s = proving_support(pair, d, state);
    if (state.lower > limits.stop_above) return GjkOutcome::above_limit;
    if (k > 0 && gap(x, s.w) <= limits.epsilon) {
      if (rule.kind == MomentumKind::none) return GjkOutcome::converged;
      rule.kind = MomentumKind::none;
      s = proving_support(pair, x, state);
      if (state.lower > limits.stop_above) return GjkOutcome::above_limit;
      if (gap(x, s.w) <= limits.epsilon) return GjkOutcome::converged;
    }
    W.push(s);
    const SimplexProjection projection = project_origin(W, pair.scale());
    x = projection.distance * to_vector3(projection.normal);
    idle = projection.distance < state.upper ? 0 : idle + 1;
    const bool farther = projection.distance > state.upper + 4.0 * kEpsilon * pair.scale();
    state.upper = std::min(state.upper, projection.distance);
    if (projection.contains_origin) return GjkOutcome::overlapping;
    if (farther || idle > kIdlePasses) {
      if (rule.kind == MomentumKind::none) return GjkOutcome::stalled;
      rule.kind = MomentumKind::none;  // momentum without progress is dropped before the search
                                       // counts as stalled
      idle = 0;
    }
    if (state.upper < limits.stop_below) return GjkOutcome::below_limit;
  }
}

}  // namespace tactum
