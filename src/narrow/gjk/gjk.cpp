// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjk/gjk.hpp"

#include "math/epsilon.hpp"
#include "narrow/gjk/warm_polytope.hpp"

namespace tactum {
namespace {

constexpr int kIdleSteps = 8;
constexpr double kNearlyRight = 0.2;  ///< gap, relative to the distance, below which momentum is
                                      ///< not worth its cost
constexpr double kLeastGain = 0.01;   ///< smallest gain of a step with momentum, relative to the
                                      ///< distance
constexpr double kPays = 0.9;  ///< a step with momentum is worth its cost when the distance falls
                               ///< below this part of the last one

/// Whether the slot after the last point of the simplex repeats one of its points.
bool repeats_point(const Simplex& simplex) {
  const Vector3& point = simplex.points[static_cast<std::size_t>(simplex.size)].w;
  for (int i = 0; i < simplex.size; ++i) {
    const Vector3& w = simplex.points[static_cast<std::size_t>(i)].w;
    if (w.x() == point.x() && w.y() == point.y() && w.z() == point.z()) return true;
  }
  return false;
}

/// A search direction of any length, and as a unit vector, which is known later: it takes a square
/// root and a division.
struct SearchDirection {
  Double3 along, normal;
};

/// Search direction with Nesterov's momentum in the normalized form for shapes that are not
/// strictly convex (GJK++ Alg. 6 and 7): an average of the directions so far, pulled towards the
/// nearest point and the last support. It saves steps near contact. Close to the optimum it
/// overshoots, so it is dropped at the first step that gains too little.
struct Momentum {
  Double3 direction;
  bool active;

  SearchDirection next(Double3 nearest, Double3 last_support, int iteration) {
    const double keep = (iteration + 2.0) / (iteration + 3.0);
    const Double3 pull = keep * nearest + (1.0 - keep) * last_support;
    const double length = pull.norm();
    if (!(length > 0.0)) return {direction, direction};
    const Double3 sum = keep * direction + ((1.0 - keep) / length) * pull;
    const double norm = sum.norm();
    if (!(norm > 0.0)) return {direction, direction};
    direction = (1.0 / norm) * sum;
    return {sum, direction};
  }
};

/// Whether supports may be asked along vectors of any length, as those of polyhedra can, and
/// squares of lengths do not underflow.
bool takes_any_length(const CorePair& pair) {
  return pair.polyhedral() && pair.scale() > 1e-40 && pair.scale() < 1e40;
}

/// Keeps the direction that proves the largest lower bound.
void raise_lower(double lower, Double3 normal, GjkState& state) {
  if (lower <= state.lower) return;
  state.lower = lower;
  state.normal = to_vector3(normal);
}

}  // namespace

GjkState start_gjk(CorePair& pair, const Vector3& direction) {
  GjkState state;
  const double lower = pair.support(to_double3(direction), state.simplex.points[0]);
  state.simplex.size = 1;
  state.simplex.weights[0] = 1.0;
  raise_lower(lower, to_double3(direction), state);
  return state;
}

GjkOutcome run_gjk(CorePair& pair, const GjkLimits& limits, GjkState& state) {
  Simplex& simplex = state.simplex;
  std::array<SimplexProjection, 2> projections;  // the accepted one and the next
  SimplexProjection* accepted = nullptr;
  int idle = 0;  // steps in a row without a nearer point
  Momentum momentum{to_double3(state.normal), limits.momentum && state.iterations == 0};
  Double3 last_support = to_double3(simplex.points[0].w);
  const bool any_length = takes_any_length(pair);
  const auto ask = [&](const SearchDirection& direction, MinkowskiPoint& newest) {
    pair.support(any_length ? direction.along : direction.normal, newest);
    raise_lower(dot(direction.normal, to_double3(newest.w)), direction.normal, state);
  };
  const auto end = [&](GjkOutcome outcome) {
    if (accepted != nullptr) simplex.weights = accepted->weights;
    if (pair.record != nullptr) record_simplex(pair, simplex);
    return outcome;
  };
  if (state.lower > limits.stop_above)
    return GjkOutcome::above_limit;  // the first plane already proves the limit
  while (true) {
    SimplexProjection& projection = projections[accepted == projections.data() ? 1 : 0];
    find_nearest(simplex, pair.scale(), projection);
    // features that are almost parallel turn the normal without moving the point measurably: a few
    // such steps are allowed
    idle = projection.distance < state.upper ? 0 : idle + 1;
    const bool farther = projection.distance > state.upper + 4.0 * kEpsilon * pair.scale();
    if (!projection.contains_origin && (idle > kIdleSteps || farther)) {
      simplex.size -= accepted != nullptr ? 1 : 0;  // the newest point brought no progress
      return end(GjkOutcome::stalled);
    }
    // deep in penetration the averaged direction hardly turns, and steps get ever shorter
    if (state.iterations > 0 && projection.distance > kPays * state.upper) momentum.active = false;
    accepted = &projection;
    simplex.keep(projection);
    state.upper = std::min(state.upper, projection.distance);
    if (projection.contains_origin) return end(GjkOutcome::overlapping);
    if (state.upper < limits.stop_below) return end(GjkOutcome::below_limit);
    if (state.iterations >= limits.max_iterations) return end(GjkOutcome::iteration_limit);

    // a first direction that is nearly right is followed without momentum
    if (state.iterations == 0 && state.upper - state.lower < kNearlyRight * state.upper)
      momentum.active = false;
    MinkowskiPoint& newest = simplex.points[static_cast<std::size_t>(simplex.size)];
    if (momentum.active) {
      ask(momentum.next(projection.point, last_support, state.iterations), newest);
      last_support = to_double3(newest.w);
      momentum.active = dot(projection.normal, last_support) <
                        (1.0 - kLeastGain) * projection.distance;
    }
    if (!momentum.active) {
      // support in the direction of the projection: lower bound and next point
      ask({projection.along, projection.normal}, newest);
    }
    ++state.iterations;
    if (state.lower > limits.stop_above) return end(GjkOutcome::above_limit);
    if (state.upper - state.lower <= limits.gap) return end(GjkOutcome::converged);
    if (repeats_point(simplex)) return end(GjkOutcome::stalled);
    ++simplex.size;
  }
}

}  // namespace tactum
