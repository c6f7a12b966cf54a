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
#include "narrow/methods.hpp"
#include "narrow/pair_frame.hpp"
#include "narrow/segment_pair.hpp"
#include "narrow/warm_start.hpp"

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
  const CoreLimits limits{.gap = gap,
                          .max_iterations = options.max_iterations,
                          .stop_above = options.cutoff + pair.radius() + kBoundSlack * pair.scale(),
                          .second_order = options.method == Method::automatic};
  if (options.method != Method::automatic) {
    const MethodStart start = first_iterate(pair, frame.X_WA.rotation, options.initial_direction, options.warm_start);
    answer = solve_by_method(options.method, pair, start, options.tolerance, limits);
    return;
  }
  Vector3 direction = Vector3::Zero();
  if (options.warm_start != nullptr &&
      solve_from_last(
          pair, options.warm_start->polytope,
          {.gap = 2.0 * kBoundSlack * pair.scale(), .max_iterations = limits.max_iterations, .stop_above = limits.stop_above},
          answer, direction))
    return;
  if (direction.isZero(0.0)) direction = first_direction(a, b, frame, options.initial_direction, options.warm_start);
  answer = solve_iteratively(pair, direction, limits);
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
void to_world(const PairFrame& frame, const CorePair& pair, const CoreAnswer& answer, const DistanceOptions& options,
              Distance& result) {
  const Optimum& optimum = answer.optimum;
  judge(optimum.lower, answer.upper, optimum.residual, pair.radius(), frame.scale, options, result);
  result.normal = renormalized(frame.X_WA.rotation * optimum.normal);
  result.point_a = frame.X_WA * (optimum.point_a + pair.radius_a() * optimum.normal);
  result.point_b = frame.X_WA * (optimum.point_b - pair.radius_b() * optimum.normal);
  result.iterations = answer.iterations;
  result.support_calls = pair.support_calls;
  result.vertices_visited = pair.vertices_visited;
  result.pose_corrected = frame.corrected;
  result.warm_start.direction_A = optimum.normal;
  result.warm_start.vertices = pair.hints;
}

/// What the axes of the world are enough for: with rotations less exact than this, they and the frame of A would give different answers.
constexpr double kExactInWorld = 2e-15;

/// The rest of a result in the axes of the world, from the points nearest to each other without the swept radii; `t` goes from the origin
/// of A to that of B.
[[gnu::always_inline]] inline void set_in_world(const Pose& X_WA, Double3 nearest_a, double radius_a, Double3 nearest_b,
                                                double radius_b, Double3 t, Double3 n, Distance& result) {
  const Double3 t_a = plain(X_WA.translation);
  result.normal = eigen(n);
  result.point_a = eigen(t_a + (nearest_a + radius_a * n));
  result.point_b = eigen(t_a + (t + nearest_b - radius_b * n));
  result.support_calls = 1;
  result.warm_start.direction_A = eigen(transposed_product(X_WA.rotation, n));
}

/// Two spheres whose centres are not too near to each other.
bool solve_spheres(double radius_a, const Pose& X_WA, double radius_b, const Pose& X_WB, const DistanceOptions& options,
                   Distance& result) {
  if (!are_exact_poses(X_WA, X_WB, kExactInWorld)) return false;
  const Double3 t = plain(X_WB.translation) - plain(X_WA.translation), zero{0.0, 0.0, 0.0};
  const double squared = t.squared_norm(), size = std::max(radius_a, radius_b);
  if (!(squared > std::max(1e-280, 1e-6 * size * size))) return false;
  const double length = std::sqrt(squared);
  const Double3 n = (1.0 / length) * t;
  const double lower = std::min(dot(n, t), length);
  judge(lower, length, length - lower, radius_a + radius_b, std::max(length, size), options, result);
  set_in_world(X_WA, zero, radius_a, zero, radius_b, t, n, result);
  return true;
}

/// Half and centre of a segment in the axes of the world.
inline void turn_segment(const CoreShape& core, const Matrix3& rotation, Double3& half, Double3& center) {
  if (core.size.x() == 0.0 && core.size.y() == 0.0 && core.center.isZero(0.0)) {
    half = core.size.z() * plain(rotation.col(2));  // as every capsule: on its z axis, about its origin
    return;
  }
  half = product(rotation, plain(core.size));
  center = product(rotation, plain(core.center));
}

/// Spheres and capsules, in the axes of the world. False where the general way has to be gone.
bool solve_in_world(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const DistanceOptions& options,
                    Distance& result) {
  const CoreShape &core_a = a.core(), &core_b = b.core();
  const bool ball_a = core_a.bounding_radius == core_a.radius, ball_b = core_b.bounding_radius == core_b.radius;
  if (ball_a && ball_b) return solve_spheres(core_a.radius, X_WA, core_b.radius, X_WB, options, result);
  if (!are_exact_poses(X_WA, X_WB, kExactInWorld)) return false;
  const Double3 t = plain(X_WB.translation) - plain(X_WA.translation);
  // what a point does not have is zero, so one rule will do for points and segments
  Double3 u{0.0, 0.0, 0.0}, v{0.0, 0.0, 0.0}, center_a{0.0, 0.0, 0.0}, center_b{0.0, 0.0, 0.0};
  if (!ball_a) turn_segment(core_a, X_WA.rotation, u, center_a);
  if (!ball_b) turn_segment(core_b, X_WB.rotation, v, center_b);
  const double scale = pair_scale(core_a, core_b, t);
  SegmentPairAnswer answer;
  if (!solve_segment_pair(u, v, t + center_b - center_a, scale, answer)) return false;
  judge(answer.lower, answer.upper, answer.upper - answer.lower, core_a.radius + core_b.radius, scale, options, result);
  set_in_world(X_WA, center_a + answer.s * u, core_a.radius, center_b + answer.t * v, core_b.radius, t, answer.normal, result);
  return true;
}

/// Every pair, in the frame of A. Apart from the way above, which would pay for its stack.
[[gnu::noinline]] bool solve_in_frame(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                                      const DistanceOptions& options, Distance& result) {
  PairFrame frame;
  if (!method_applies(options.method, a, b)) return false;
  if (!try_pair_frame(a, X_WA, b, X_WB, frame)) return false;
  CorePair pair = make_core_pair(a, b, frame, options.warm_start);
  // those who do not track pay nothing
  if (options.warm_start != nullptr && pair.polyhedral()) pair.record = &result.warm_start.polytope;
  CoreAnswer answer;
  solve_cores(a, b, frame, pair, options, answer);
  to_world(frame, pair, answer, options, result);
  return true;
}

}  // namespace

Distance distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const DistanceOptions& options) {
  if (!are_plain(options))
    check_options(options.tolerance, options.max_iterations, options.initial_direction, options.warm_start);
  if (std::isnan(options.cutoff) || options.cutoff < 0.0)
    throw InvalidInput("cutoff", exact_text(options.cutoff), "give a length >= 0 in metres, or infinity for none");
  Distance result;
  if (!try_distance(a, X_WA, b, X_WB, options, result)) {
    check_method(options.method, a, b);
    make_pair_frame(a, X_WA, b, X_WB);  // one of the two throws, and says why
  }
  return result;
}

bool try_distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const DistanceOptions& options,
                  Distance& result) {
  if (options.method == Method::automatic && is_segment(a.core()) && is_segment(b.core()) &&
      solve_in_world(a, X_WA, b, X_WB, options, result))
    return true;
  return solve_in_frame(a, X_WA, b, X_WB, options, result);
}

}  // namespace tactum
