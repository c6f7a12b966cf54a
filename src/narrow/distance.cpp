// SPDX-License-Identifier: BSD-2-Clause
// Signed distance with a certificate: from shapes in the world to cores in the frame of A and back.
//
// Ladder     closed form -> GJK and second-order finish -> EPA -> search over directions; each rung hands on only what its own check
//            has not proved. What no rung proves is `not_converged`, with valid bounds.
// Bounds     lower = sep(n) for the returned n, upper from two points of the shapes or from the polytope that EPA grew; both
//            are widened by a few units of rounding, so that they hold for the exact shapes and poses given.
#include "tactum/distance.hpp"

#include "core/number_text.hpp"
#include "math/exact_pose.hpp"
#include "narrow/closed_forms.hpp"
#include "narrow/core_distance.hpp"
#include "narrow/pair_frame.hpp"
#include "narrow/segment_pair.hpp"

namespace tactum {
namespace {

Status status_of(double distance, double scale) {
  if (distance > kContactBand * scale) return Status::separated;
  return distance < -kContactBand * scale ? Status::penetrating : Status::touching;
}

/// A vector of length 1 within 1e-6, made a unit vector: one Newton step for 1 / sqrt(|v|^2).
Vector3 renormalized(const Vector3& v) { return (1.5 - 0.5 * v.squaredNorm()) * v; }

void solve_cores(const Shape& a, const Shape& b, const PairFrame& frame, CorePair& pair, const DistanceOptions& options,
                 CoreAnswer& answer) {
  if (pair.a().kind == CoreShape::Kind::half_space || pair.b().kind == CoreShape::Kind::half_space) {
    solve_half_space(pair, answer);
    return;
  }
  if (options.method == Method::automatic && solve_closed_form(pair, answer)) return;
  // the slack of both bounds has to fit in as well
  const double gap = std::max(0.5 * options.tolerance, options.tolerance - 2.0 * kBoundSlack) * pair.scale();
  answer = solve_iteratively(pair, first_direction(a, b, frame, options.initial_direction, options.warm_start),
                             {.gap = gap,
                              .max_iterations = options.max_iterations,
                              .stop_above = options.cutoff + pair.radius() + kBoundSlack * pair.scale(),
                              .second_order = options.method == Method::automatic});
}

/// Bounds and status of the shapes from what is proved of their cores.
void judge(double lower, double upper, double residual, double radius, double scale, const DistanceOptions& options,
           Distance& result) {
  const double slack = kBoundSlack * scale;
  result.lower = lower - radius - slack;
  result.upper = std::max(upper, lower) - radius + slack;
  result.distance = lower - radius;
  if (result.lower > options.cutoff) {
    result.distance = result.lower;
    result.upper = std::numeric_limits<double>::infinity();
    result.status = Status::beyond_cutoff;
    return;
  }
  const double allowed = options.tolerance * scale;
  const bool proved = result.upper - result.lower <= allowed && residual <= allowed;
  result.status = proved ? status_of(result.distance, scale) : Status::not_converged;
}

/// Sweeps the radii around the cores and goes back to the world.
Distance to_world(const PairFrame& frame, const CorePair& pair, const CoreAnswer& answer, const DistanceOptions& options) {
  const Optimum& optimum = answer.optimum;
  Distance result;
  judge(optimum.lower, answer.upper, optimum.residual, pair.radius(), frame.scale, options, result);
  result.normal = renormalized(frame.X_WA.rotation * optimum.normal);
  result.point_a = frame.X_WA * (optimum.point_a + pair.radius_a() * optimum.normal);
  result.point_b = frame.X_WA * (optimum.point_b - pair.radius_b() * optimum.normal);
  result.iterations = answer.iterations;
  result.support_calls = pair.support_calls;
  result.vertices_visited = pair.vertices_visited;
  result.pose_corrected = frame.corrected;
  result.warm_start = {optimum.normal, pair.hints};
  return result;
}

Segment segment_in_world(const CoreShape& core, const Matrix3& R) {
  // what a point does not have is zero, so one rule will do for both
  return core.kind == CoreShape::Kind::point && core.center.isZero(0.0) ? Segment{Vector3::Zero(), Vector3::Zero()}
                                                                        : Segment{R * core.center, R * core.size};
}

/// Spheres and capsules, in the axes of the world and about the origin of A. False where the general way has to be gone.
bool solve_in_world(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const DistanceOptions& options,
                    Distance& result) {
  // with rotations less exact than that, the frame of A and the world would give different answers
  if (!are_exact_poses(X_WA, X_WB, 2e-15)) return false;
  const Vector3 t = X_WB.translation - X_WA.translation;
  const double scale = pair_scale(a.core(), b.core(), t);
  const Segment segment_a = segment_in_world(a.core(), X_WA.rotation);
  Segment segment_b = segment_in_world(b.core(), X_WB.rotation);
  segment_b.center += t;
  Optimum optimum;
  double upper = 0.0;
  if (!solve_segment_pair(segment_a, segment_b, scale, optimum, upper)) return false;
  const double radius_a = a.core().radius, radius_b = b.core().radius;
  judge(optimum.lower, upper, optimum.residual, radius_a + radius_b, scale, options, result);
  result.normal = optimum.normal;
  result.point_a = X_WA.translation + (optimum.point_a + radius_a * optimum.normal);
  result.point_b = X_WA.translation + (optimum.point_b - radius_b * optimum.normal);
  result.support_calls = 1;
  result.warm_start.direction_A = X_WA.rotation.transpose() * optimum.normal;
  return true;
}

}  // namespace

Distance distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const DistanceOptions& options) {
  check_options(options.tolerance, options.max_iterations, options.initial_direction, options.warm_start);
  if (std::isnan(options.cutoff) || options.cutoff < 0.0)
    throw InvalidInput("cutoff", exact_text(options.cutoff), "give a length >= 0 in metres, or infinity for none");
  if (options.method == Method::automatic && is_segment(a.core()) && is_segment(b.core())) {
    Distance result;
    if (solve_in_world(a, X_WA, b, X_WB, options, result)) return result;
  }
  const PairFrame frame = make_pair_frame(a, X_WA, b, X_WB);
  CorePair pair = make_core_pair(a, b, frame, options.warm_start);
  CoreAnswer answer;
  solve_cores(a, b, frame, pair, options, answer);
  return to_world(frame, pair, answer, options);
}

}  // namespace tactum
