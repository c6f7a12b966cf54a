// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjk.hpp"

namespace tactum {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kIdleSteps = 8;

/// Whether the slot after the last point of the simplex holds one of its points again.
bool repeats_point(const Simplex& simplex) {
  const Vector3& point = simplex.points[static_cast<std::size_t>(simplex.size)].w;
  for (int i = 0; i < simplex.size; ++i) {
    const Vector3& w = simplex.points[static_cast<std::size_t>(i)].w;
    if (w.x() == point.x() && w.y() == point.y() && w.z() == point.z()) return true;
  }
  return false;
}

/// Remembers the direction that proves the largest lower bound.
void raise_lower(double lower, Double3 normal, GjkState& state) {
  if (lower <= state.lower) return;
  state.lower = lower;
  state.normal = eigen(normal);
}

}  // namespace

GjkState start_gjk(CorePair& pair, const Vector3& direction) {
  GjkState state;
  const double lower = pair.support(plain(direction), state.simplex.points[0]);
  state.simplex.size = 1;
  state.simplex.weights[0] = 1.0;
  raise_lower(lower, plain(direction), state);
  return state;
}

GjkOutcome run_gjk(CorePair& pair, const GjkLimits& limits, GjkState& state) {
  Simplex& simplex = state.simplex;
  bool grown = false;  // the last point is new and not yet accepted
  int idle = 0;        // steps in a row that brought no nearer point
  while (true) {
    const SimplexProjection projection = nearest_to_origin(simplex, pair.scale());
    // features that are almost parallel turn the normal without moving the point measurably: a few such steps are allowed
    idle = projection.distance < state.upper ? 0 : idle + 1;
    const bool farther = projection.distance > state.upper + 4.0 * kEpsilon * pair.scale();
    if (!projection.contains_origin && (idle > kIdleSteps || farther)) {
      simplex.size -= grown ? 1 : 0;
      return GjkOutcome::stalled;
    }
    simplex.keep(projection);
    state.upper = std::min(state.upper, projection.distance);
    if (projection.contains_origin) return GjkOutcome::overlapping;
    if (state.upper < limits.stop_below) return GjkOutcome::below_limit;
    if (state.iterations >= limits.max_iterations) return GjkOutcome::iteration_limit;

    // support in the direction of the projection: lower bound and next point
    const double lower = pair.support(projection.normal, simplex.points[static_cast<std::size_t>(simplex.size)]);
    ++state.iterations;
    raise_lower(lower, projection.normal, state);
    if (state.lower > limits.stop_above) return GjkOutcome::above_limit;
    if (state.upper - state.lower <= limits.gap) return GjkOutcome::converged;
    if (repeats_point(simplex)) return GjkOutcome::stalled;
    ++simplex.size;
    grown = true;
  }
}

}  // namespace tactum
