// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjk.hpp"

namespace tactum {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kIdleSteps = 8;

bool holds_point(const Simplex& simplex, const MinkowskiPoint& point) {
  for (int i = 0; i < simplex.size; ++i) {
    if (simplex.points[static_cast<std::size_t>(i)].w == point.w) return true;
  }
  return false;
}

/// Remembers the direction that proves the largest lower bound.
void raise_lower(double lower, const Vector3& normal, GjkState& state) {
  if (lower <= state.lower) return;
  state.lower = lower;
  state.normal = normal;
}

}  // namespace

GjkState start_gjk(CorePair& pair, const Vector3& direction) {
  GjkState state;
  state.simplex.push(pair.support(direction));
  state.simplex.weights[0] = 1.0;
  raise_lower(direction.dot(state.simplex.points[0].w), direction, state);
  return state;
}

GjkOutcome run_gjk(CorePair& pair, const GjkLimits& limits, GjkState& state) {
  Simplex candidate = state.simplex;
  int idle = 0;  // steps in a row that brought no nearer point
  while (true) {
    const SimplexProjection projection = project_origin(candidate, pair.scale());
    if (projection.contains_origin) {
      state.simplex = candidate;
      state.separation = projection.point;
      state.upper = std::min(state.upper, projection.point.norm());
      return GjkOutcome::overlapping;
    }
    // features that are almost parallel turn the normal without moving the point measurably: a few such steps are allowed
    const double upper = projection.point.norm();
    idle = upper < state.upper ? 0 : idle + 1;
    if (idle > kIdleSteps || upper > state.upper + 4.0 * kEpsilon * pair.scale()) return GjkOutcome::stalled;
    state.simplex = candidate;
    state.separation = projection.point;
    state.upper = std::min(state.upper, upper);
    if (state.upper < limits.stop_below) return GjkOutcome::below_limit;
    if (state.iterations >= limits.max_iterations) return GjkOutcome::iteration_limit;

    // support in the direction of the projection: lower bound and next point
    const MinkowskiPoint point = pair.support(projection.normal);
    ++state.iterations;
    raise_lower(projection.normal.dot(point.w), projection.normal, state);
    if (state.lower > limits.stop_above) return GjkOutcome::above_limit;
    if (state.upper - state.lower <= limits.gap) return GjkOutcome::converged;
    if (holds_point(state.simplex, point)) return GjkOutcome::stalled;
    candidate = state.simplex;
    candidate.push(point);
  }
}

}  // namespace tactum
