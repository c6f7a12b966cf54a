// SPDX-License-Identifier: BSD-2-Clause
// Signed distance with a certificate: from shapes in the world to cores in the frame of A and back.
//
// Ladder     closed form -> GJK and second-order finish -> EPA -> search over directions; each rung hands on only what its own check
//            has not proved. What no rung proves is `not_converged`, with valid bounds.
// Bounds     lower = sep(n) for the returned n, upper from two points of the shapes or from the polytope that EPA grew; both
//            are widened by a few units of rounding, so that they hold for the exact shapes and poses given.
#include "tactum/distance.hpp"

#include "core/number_text.hpp"
#include "narrow/closed_forms.hpp"
#include "narrow/core_distance.hpp"
#include "narrow/pair_frame.hpp"

namespace tactum {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kContactBand = 64.0 * kEpsilon;  ///< relative to the scale
constexpr double kBoundSlack = 8.0 * kEpsilon;    ///< what rounding can move a bound by, relative to the scale

Status status_of(double distance, double scale) {
  if (distance > kContactBand * scale) return Status::separated;
  return distance < -kContactBand * scale ? Status::penetrating : Status::touching;
}

CoreAnswer solve_cores(CorePair& pair, const Vector3& direction, const DistanceOptions& options) {
  CoreAnswer answer;
  if (pair.a().kind == CoreShape::Kind::half_space || pair.b().kind == CoreShape::Kind::half_space) {
    solve_half_space(pair, answer);
    return answer;
  }
  if (options.method == Method::automatic && solve_closed_form(pair, answer)) return answer;
  // the slack of both bounds has to fit in as well
  const double gap = std::max(0.5 * options.tolerance, options.tolerance - 2.0 * kBoundSlack) * pair.scale();
  return solve_iteratively(pair, direction,
                           {.gap = gap,
                            .max_iterations = options.max_iterations,
                            .stop_above = options.cutoff + pair.radius() + kBoundSlack * pair.scale(),
                            .second_order = options.method == Method::automatic});
}

/// Sweeps the radii around the cores and goes back to the world.
Distance to_world(const PairFrame& frame, const CorePair& pair, const CoreAnswer& answer, const DistanceOptions& options) {
  const Optimum& optimum = answer.optimum;
  const double slack = kBoundSlack * frame.scale;
  Distance result;
  result.lower = optimum.lower - pair.radius() - slack;
  result.upper = std::max(answer.upper, optimum.lower) - pair.radius() + slack;
  result.distance = optimum.lower - pair.radius();
  result.normal = (frame.X_WA.rotation * optimum.normal).normalized();
  result.point_a = frame.X_WA * (optimum.point_a + pair.radius_a() * optimum.normal);
  result.point_b = frame.X_WA * (optimum.point_b - pair.radius_b() * optimum.normal);
  result.iterations = answer.iterations;
  result.support_calls = pair.support_calls;
  result.vertices_visited = pair.vertices_visited;
  result.pose_corrected = frame.corrected;
  result.warm_start = {optimum.normal, pair.hints};
  if (result.lower > options.cutoff) {
    result.distance = result.lower;
    result.upper = std::numeric_limits<double>::infinity();
    result.status = Status::beyond_cutoff;
    return result;
  }
  const double allowed = options.tolerance * frame.scale;
  const bool proved = result.upper - result.lower <= allowed && optimum.residual <= allowed;
  result.status = proved ? status_of(result.distance, frame.scale) : Status::not_converged;
  return result;
}

}  // namespace

Distance distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const DistanceOptions& options) {
  check_options(options.tolerance, options.max_iterations, options.initial_direction, options.warm_start);
  if (std::isnan(options.cutoff) || options.cutoff < 0.0)
    throw InvalidInput("cutoff", exact_text(options.cutoff), "give a length >= 0 in metres, or infinity for none");
  const PairFrame frame = make_pair_frame(a, X_WA, b, X_WB);
  CorePair pair = make_core_pair(a, b, frame, options.warm_start);
  const CoreAnswer answer =
      solve_cores(pair, first_direction(a, b, frame, options.initial_direction, options.warm_start), options);
  return to_world(frame, pair, answer, options);
}

}  // namespace tactum
