// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjkpp/methods.hpp"

#include <algorithm>
#include <string>

#include "math/epsilon.hpp"
#include "narrow/gjk/newton_refinement.hpp"
#include "narrow/gjkpp/frank_wolfe.hpp"
#include "narrow/gjkpp/momentum_gjk.hpp"
#include "narrow/gjkpp/nesmino.hpp"
#include "narrow/pairs/closed_forms.hpp"

namespace tactum {
namespace {

/// Whether the whole pair lies within a length whose square underflows. Only two points can, since
/// sizes are 1e-30 m or more.
bool is_too_small_to_search(const CorePair& pair) { return pair.scale() < 1e-140; }

/// A point inside the core.
Vector3 middle_of(const CoreShape& core) {
  return core.polytope != nullptr ? core.polytope->centroid() : core.center;
}

/// Scales v to a length that can be squared and compared with the scale; false where v has no
/// direction.
bool usable(const Vector3& v, double scale, Vector3& result) {
  const double largest = v.cwiseAbs().maxCoeff();
  if (!(largest > 1e-300)) return false;
  const Vector3 direction = (v / largest).normalized();
  result = std::clamp(v.stableNorm(), 1e-8 * scale, 1e8 * scale) * direction;
  return true;
}

/// The start of Frank-Wolfe. Its iterates are mixtures with x_0, so x_0 has to be a point of M.
MinkowskiPoint first_point(ClimbingPair& pair, const MethodStart& start, GjkState& state) {
  if (!start.centers) return proving_support(pair, start.x0, state);
  return pair.point(middle_of(pair.a()), middle_of(pair.b()));
}

/// Limits of the exact stages that follow every search. The limits of the caller are for the
/// search.
CoreLimits exact_stage(CoreLimits limits) {
  limits.max_iterations = DistanceOptions{}.max_iterations;
  limits.second_order = true;
  return limits;
}

/// Bounds that the search proves for the cores of `pair`, which are those of the search with a ball
/// taken out of each ellipsoid.
CoreDistance proved_by(CorePair& pair, const GjkState& search) {
  const double taken_a = pair.a().inner_radius, taken_b = pair.b().inner_radius;
  CoreDistance answer;
  answer.optimum = optimum_of(search.simplex, search.normal, search.lower);
  SeparationOptimum& optimum = answer.optimum;
  // a climb may end short of the support point; this support is exact
  optimum.lower = pair.support(optimum.normal).w.dot(optimum.normal);
  optimum.point_a -= taken_a * optimum.normal;
  optimum.point_b += taken_b * optimum.normal;
  optimum.residual = (optimum.point_b - optimum.point_a - optimum.lower * optimum.normal).norm();
  answer.upper = search.upper + taken_a + taken_b;
  return answer;
}

}  // namespace

MethodStart first_iterate(const CorePair& pair, const Matrix3& R_WA,
                          const Vector3& initial_direction_W, const WarmStart* warm_start,
                          MomentumWeight weight) {
  const Vector3 centers = pair.X_AB() * pair.b().center - pair.a().center;
  MethodStart start;
  start.weight = weight;
  Vector3 given;
  if (usable(initial_direction_W, pair.scale(), given)) {
    start.x0 = R_WA.transpose() * given;
  } else if (warm_start != nullptr && usable(warm_start->direction_A, 1.0, given)) {
    const Vector3 n = given.normalized();
    start.x0 = std::clamp(std::abs(n.dot(centers)), 1e-8 * pair.scale(), 1e8 * pair.scale()) * n;
  } else if (usable(centers, pair.scale(), start.x0)) {
    start.centers = true;
  } else {
    start.x0 = pair.scale() * Vector3::UnitX();
  }
  return start;
}

bool method_applies(Method method, const CoreShape& a, const CoreShape& b) {
  return method != Method::nesmino || (has_projection(a) && has_projection(b));
}

void check_method(Method method, const Shape& a, const Shape& b) {
  if (!method_applies(method, a.core(), b.core()))
    throw InvalidInput(
        "method",
        "nesmino for " + std::string(to_string(a.kind())) + " and " +
            std::string(to_string(b.kind())),
        "give another method: nesmino needs a projection on both shapes, and hulls have none");
}

GjkOutcome run_method(Method method, ClimbingPair& pair, const MethodStart& start,
                      const MethodLimits& limits, GjkState& state) {
  const auto gjk = [&](MomentumKind kind, bool normalized) {
    return run_momentum_gjk(pair, {kind, normalized, start.weight}, start.x0, limits, state);
  };
  const auto frank_wolfe = [&](FrankWolfeStep step) {
    return run_frank_wolfe(pair, step, first_point(pair, start, state), limits, state);
  };
  switch (method) {
    case Method::polyak: return gjk(MomentumKind::polyak, false);
    case Method::polyak_normalized: return gjk(MomentumKind::polyak, true);
    case Method::nesterov: return gjk(MomentumKind::nesterov, false);
    case Method::nesterov_normalized: return gjk(MomentumKind::nesterov, true);
    case Method::frank_wolfe: return frank_wolfe(FrankWolfeStep::line_search);
    case Method::frank_wolfe_open_loop: return frank_wolfe(FrankWolfeStep::open_loop);
    case Method::frank_wolfe_polyak: return frank_wolfe(FrankWolfeStep::polyak);
    case Method::frank_wolfe_nesterov: return frank_wolfe(FrankWolfeStep::nesterov);
    case Method::nesmino: return run_nesmino(pair, start.x0, nullptr, limits, state);
    case Method::gjk:
    case Method::automatic: break;
  }
  return gjk(MomentumKind::none, false);
}

GjkOutcome search_by_method(Method method, CorePair& pair, const MethodStart& start,
                            double tolerance, int max_iterations, double margin, GjkState& state) {
  if (is_too_small_to_search(pair)) return GjkOutcome::stalled;
  ClimbingPair climbing(pair);
  const double taken = pair.a().inner_radius + pair.b().inner_radius;
  const GjkOutcome outcome = run_method(method, climbing, start,
                                        {.epsilon = tolerance * pair.scale() * pair.scale(),
                                         .max_iterations = max_iterations,
                                         .stop_above = pair.radius() - taken + margin,
                                         .stop_below = pair.radius() - taken - margin},
                                        state);
  // a climb may end short of the support point; this support is exact
  state.lower = pair.support(state.normal).w.dot(state.normal);
  state.upper += taken;
  pair.hints = climbing.hints;
  return outcome == GjkOutcome::above_limit && !(state.lower > pair.radius() + margin)
             ? GjkOutcome::stalled
             : outcome;
}

namespace {

/// Runs NESMINO after the exact stages, because it stops by its distance from the solution, as in
/// the paper.
CoreDistance solve_by_nesmino(CorePair& pair, const MethodStart& start, double tolerance,
                              const CoreLimits& limits) {
  ClimbingPair projections(pair);
  CoreDistance answer = solve_iteratively(pair, start.x0.normalized(), exact_stage(limits));
  GjkState search;
  if (!answer.beyond_limit) {
    const double taken = pair.a().inner_radius + pair.b().inner_radius;
    const Vector3 solution = std::max(answer.optimum.lower - taken, 0.0) * answer.optimum.normal;
    run_nesmino(projections, start.x0, &solution,
                {.epsilon = tolerance * pair.scale() * pair.scale(),
                 .max_iterations = limits.max_iterations},
                search);
  }
  answer.iterations = search.iterations;
  pair.support_calls = pair.vertices_visited = 0;
  return answer;
}

}  // namespace

CoreDistance solve_by_method(Method method, CorePair& pair, const MethodStart& start,
                             double tolerance, const CoreLimits& limits) {
  if (is_too_small_to_search(pair)) {
    CoreDistance points;
    solve_points(pair, points);
    return points;
  }
  if (method == Method::nesmino) return solve_by_nesmino(pair, start, tolerance, limits);
  ClimbingPair climbing(pair);
  GjkState search;
  const double taken = pair.a().inner_radius + pair.b().inner_radius;
  const GjkOutcome outcome = run_method(method, climbing, start,
                                        {.epsilon = tolerance * pair.scale() * pair.scale(),
                                         .max_iterations = limits.max_iterations,
                                         .stop_above = limits.stop_above - taken},
                                        search);
  CoreDistance answer = proved_by(pair, search);
  answer.beyond_limit = outcome == GjkOutcome::above_limit &&
                        answer.optimum.lower > limits.stop_above;
  const double rounding = 16.0 * kEpsilon * pair.scale();
  if (!answer.beyond_limit &&
      (answer.upper - answer.optimum.lower > rounding || answer.optimum.residual > rounding)) {
    answer = solve_iteratively(pair, answer.optimum.normal, exact_stage(limits));
  }
  answer.iterations = search.iterations;
  pair.hints = climbing.hints;
  pair.support_calls = climbing.support_calls;
  pair.vertices_visited = climbing.vertices_visited;
  return answer;
}

}  // namespace tactum
