// SPDX-License-Identifier: BSD-2-Clause
// Stages     closed form -> GJK and second-order refinement -> EPA -> search over directions. Each
//            stage passes on only what its own check has not proved. A result that no stage proves
//            is `not_converged`, with valid bounds.
// Bounds     lower = sep(n) for the returned n, upper from two points of the shapes or from the
//            polytope that EPA grew; both are widened by a few units of rounding, so that they hold
//            for the exact shapes and poses given.
#include "narrow/query/general_distance.hpp"

#include <algorithm>

#include "narrow/depth/warm_start.hpp"
#include "narrow/gjkpp/methods.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "narrow/pair/result_writer.hpp"

namespace tactum {
namespace {

CoreLimits limits_of(const CorePair& pair, const DistanceOptions& options) {
  // the slack of both bounds has to fit into the tolerance
  const double slack = kBoundSlack * pair.scale() + pair.support_error(),
               allowed = options.tolerance * pair.scale();
  const double nearest = std::max(options.cutoff,
                                  contact_reach(pair.scale(), pair.support_error()));
  return {.gap = std::max(0.5 * allowed, allowed - 2.0 * slack),
          .max_iterations = options.max_iterations,
          .stop_above = nearest + pair.radius() + 2.0 * slack,
          .second_order = options.method == Method::automatic};
}

bool is_half_space(const CoreShape& core) { return core.kind == CoreShape::Kind::half_space; }

void solve_by_iterations(const PairSolvers& solvers, const PairFrame& frame, CorePair& pair,
                         const DistanceOptions& options, MomentumWeight weight,
                         CoreDistance& answer) {
  const CoreLimits limits = limits_of(pair, options);
  if (options.method != Method::automatic) {
    const MethodStart start = first_iterate(pair, frame.X_WA.rotation, options.initial_direction,
                                            options.warm_start, weight);
    answer = solve_by_method(options.method, pair, start, options.tolerance, limits);
    return;
  }
  Vector3 direction = Vector3::Zero();
  if (options.warm_start != nullptr && solve_from_last(pair, options.warm_start->polytope,
                                                       {.gap = 2.0 * kBoundSlack * pair.scale(),
                                                        .max_iterations = limits.max_iterations,
                                                        .stop_above = limits.stop_above},
                                                       answer, direction))
    return;
  if (direction.isZero(0.0))
    direction = first_direction(pair.a(), pair.b(), frame, options.initial_direction,
                                options.warm_start);
  const WarmStart* const last = options.initial_direction.isZero(0.0) ? options.warm_start
                                                                      : nullptr;
  if (solvers.search != nullptr &&
      solvers.search(pair, last, limits.max_iterations, direction, answer))
    return;
  answer = solve_iteratively(pair, direction, limits);
}

/// Sweeps the radii around the cores and writes the result in world axes.
void write_result(const PairFrame& frame, const CorePair& pair, const CoreDistance& answer,
                  const DistanceOptions& options, Distance& result) {
  PairAnswer found;
  set_from_cores(answer, pair.radius_a(), pair.radius_b(), found);
  found.upper = std::max(found.upper, found.lower);
  found.scale = frame.scale;
  found.iterations = answer.iterations;
  found.support_calls = pair.support_calls;
  found.vertices_visited = pair.vertices_visited;
  write_numbers(found, pair.support_error(), options.cutoff, result);
  const double allowed = options.tolerance * frame.scale;
  const bool proved = result.upper - result.lower <= allowed && answer.optimum.residual <= allowed;
  if (!proved && result.status != Status::beyond_cutoff) result.status = Status::not_converged;
  ScalarWriter::write_vectors<InFrameOfA>(found, frame.X_WA, frame.X_WA, result);
  result.pose_corrected = frame.corrected;
  result.warm_start.vertices = pair.hints;
  if (pair.record != nullptr) {
    result.warm_start.polytope = *pair.record;
  } else {
    result.warm_start.polytope.clear();
  }
}

}  // namespace

[[gnu::noinline]] bool try_general_distance(const PairSolvers& solvers, const CoreShape& a,
                                            const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
                                            const DistanceOptions& options, Distance& result,
                                            MomentumWeight weight) {
  PairFrame frame;
  if (!method_applies(options.method, a, b)) return false;
  if (!try_pair_frame(a, X_WA, b, X_WB, frame)) return false;
  CorePair pair = make_core_pair(a, b, frame, options.warm_start);
  // queries that are not tracked have no cost for the record
  WarmPolytope record;
  if (options.warm_start != nullptr && pair.polyhedral()) pair.record = &record;
  CoreDistance answer;
  const bool takes_closed_form = options.method == Method::automatic || is_half_space(a) ||
                                 is_half_space(b);
  if (!(takes_closed_form && solvers.closed_form != nullptr && solvers.closed_form(pair, answer)))
    solve_by_iterations(solvers, frame, pair, options, weight, answer);
  write_result(frame, pair, answer, options, result);
  return true;
}

void general_distance(const PairSolvers& solvers, const Shape& a, const Pose& X_WA, const Shape& b,
                      const Pose& X_WB, const DistanceOptions& options, Distance& result,
                      MomentumWeight weight) {
  if (try_general_distance(solvers, a.core(), X_WA, b.core(), X_WB, options, result, weight))
    return;
  check_method(options.method, a, b);
  make_pair_frame(a, X_WA, b, X_WB);  // throws and says whether the pair or a pose is refused
}

}  // namespace tactum
