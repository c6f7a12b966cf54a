// SPDX-License-Identifier: BSD-2-Clause
// Signed distance with a certificate: from shapes in the world to cores in the frame of A and back.
//
// Ladder     closed form -> GJK and second-order finish -> EPA -> search over directions; each rung
//            hands on only what its own check has not proved. What no rung proves is
//            `not_converged`, with valid bounds.
// Bounds     lower = sep(n) for the returned n, upper from two points of the shapes or from the
//            polytope that EPA grew; both are widened by a few units of rounding, so that they hold
//            for the exact shapes and poses given.
#include "tactum/distance.hpp"

#include <atomic>

#include "core/number_text.hpp"
#include "narrow/depth/warm_start.hpp"
#include "narrow/gjkpp/methods.hpp"
#include "narrow/pair/bounds_and_status.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "narrow/pairs/closed_forms.hpp"
#include "narrow/pairs/stp_pair.hpp"
#include "narrow/pairs/world_pair.hpp"
#include "narrow/query/try_distance.hpp"

namespace tactum {
namespace {

constexpr double kNoCutoff = std::numeric_limits<double>::infinity();

/// Null until the first query has asked for the level: a constant from the start, so that reading
/// it needs no guard.
constinit std::atomic<const WorldPairs*> world_pairs_in_use = nullptr;

/// A vector of length 1 within 1e-6, made a unit vector: one Newton step for 1 / sqrt(|v|^2).
Double3 renormalized(Double3 v) { return (1.5 - 0.5 * v.squared_norm()) * v; }

CoreLimits limits_of(const CorePair& pair, const DistanceOptions& options) {
  // the slack of both bounds has to fit in as well
  const double slack = kBoundSlack * pair.scale() + pair.support_error(),
               allowed = options.tolerance * pair.scale();
  return {.gap = std::max(0.5 * allowed, allowed - 2.0 * slack),
          .max_iterations = options.max_iterations,
          .stop_above = std::max(options.cutoff, kContactBand * pair.scale()) + pair.radius() +
                        2.0 * slack,
          .second_order = options.method == Method::automatic};
}

void solve_cores(const PairFrame& frame, CorePair& pair, const DistanceOptions& options,
                 CoreAnswer& answer) {
  if (pair.a().kind == CoreShape::Kind::half_space ||
      pair.b().kind == CoreShape::Kind::half_space) {
    solve_half_space(pair, answer);
    return;
  }
  if (options.method == Method::automatic && solve_closed_form(pair, answer)) return;
  const CoreLimits limits = limits_of(pair, options);
  if (options.method != Method::automatic) {
    const MethodStart start = first_iterate(pair, frame.X_WA.rotation, options.initial_direction,
                                            options.warm_start);
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
  if (is_stp_pair(pair)) {
    const WarmStart* const last = options.initial_direction.isZero(0.0) ? options.warm_start
                                                                        : nullptr;
    if (solve_stp_pair(pair, last, limits.max_iterations, direction, answer)) return;
  }
  answer = solve_iteratively(pair, direction, limits);
}

/// Sweeps the radii around the cores and goes back to the world.
void to_world(const PairFrame& frame, const CorePair& pair, const CoreAnswer& answer,
              const DistanceOptions& options, Distance& result) {
  const Optimum& optimum = answer.optimum;
  judge(optimum.lower, answer.upper, optimum.residual, pair.radius(), frame.scale,
        pair.support_error(), options, result);
  // on plain numbers: what has just been written number by number cannot be read in packets yet
  const Matrix3& R_WA = frame.X_WA.rotation;
  const Double3 n = plain(optimum.normal), t = plain(frame.X_WA.translation);
  result.normal = eigen(renormalized(product(R_WA, n)));
  result.point_a = eigen(t + product(R_WA, plain(optimum.point_a) + pair.radius_a() * n));
  result.point_b = eigen(t + product(R_WA, plain(optimum.point_b) - pair.radius_b() * n));
  result.iterations = answer.iterations;
  result.support_calls = pair.support_calls;
  result.vertices_visited = pair.vertices_visited;
  result.pose_corrected = frame.corrected;
  result.warm_start.direction_A = eigen(n);
  result.warm_start.vertices = pair.hints;
}

/// Every pair, in the frame of A. Apart from the rest, which would pay for its stack.
[[gnu::noinline]] bool solve_in_frame(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                      const Pose& X_WB, const DistanceOptions& options,
                                      Distance& result) {
  PairFrame frame;
  if (!method_applies(options.method, a, b)) return false;
  if (!try_pair_frame(a, X_WA, b, X_WB, frame)) return false;
  CorePair pair = make_core_pair(a, b, frame, options.warm_start);
  // those who do not track pay nothing
  if (options.warm_start != nullptr && pair.polyhedral()) pair.record = &result.warm_start.polytope;
  CoreAnswer answer;
  solve_cores(frame, pair, options, answer);
  to_world(frame, pair, answer, options, result);
  return true;
}

[[gnu::cold]] void refuse(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                          const DistanceOptions& options) {
  check_method(options.method, a, b);
  make_pair_frame(a, X_WA, b, X_WB);  // one of the two throws, and says why
}

/// Any options.
[[gnu::noinline]] Distance checked_distance(const Shape& a, const Pose& X_WA, const Shape& b,
                                            const Pose& X_WB, const DistanceOptions& options) {
  world_pairs_in_use.store(&world_pairs(), std::memory_order_relaxed);
  check_distance_options(options);
  Distance result;
  if (!try_distance(a, X_WA, b, X_WB, options, result)) refuse(a, X_WA, b, X_WB, options);
  return result;
}

}  // namespace

void check_distance_options(const DistanceOptions& options) {
  check_options(options.tolerance, options.max_iterations, options.initial_direction,
                options.warm_start);
  if (std::isnan(options.cutoff) || options.cutoff < 0.0)
    throw InvalidInput("cutoff", exact_text(options.cutoff),
                       "give a length >= 0 in metres, or infinity for none");
}

Distance distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const DistanceOptions& options) {
  const WorldPairs* const pairs = world_pairs_in_use.load(std::memory_order_relaxed);
  // by the bits: those of positive numbers are in order, and a NaN is above them
  const bool has_cutoff = std::bit_cast<std::uint64_t>(options.cutoff) <=
                          std::bit_cast<std::uint64_t>(kNoCutoff);
  if (pairs != nullptr && has_cutoff && options.method == Method::automatic && are_plain(options))
    return world_pair(*pairs, a, b).distance(a, X_WA, b, X_WB, options);
  return checked_distance(a, X_WA, b, X_WB, options);
}

Distance frame_distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                        const DistanceOptions& options) {
  Distance result;
  if (!solve_in_frame(a.core(), X_WA, b.core(), X_WB, options, result))
    refuse(a, X_WA, b, X_WB, options);
  return result;
}

bool try_distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const DistanceOptions& options, Distance& result) {
  const WorldPair& pair = world_pair(world_pairs(), a, b);
  if (pair.try_distance != nullptr && options.method == Method::automatic &&
      pair.try_distance(a.core(), X_WA, b.core(), X_WB, options, result))
    return true;
  return solve_in_frame(a.core(), X_WA, b.core(), X_WB, options, result);
}

bool try_general_distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                          const DistanceOptions& options, Distance& result) {
  return solve_in_frame(a.core(), X_WA, b.core(), X_WB, options, result);
}

}  // namespace tactum
