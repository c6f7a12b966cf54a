// SPDX-License-Identifier: BSD-2-Clause
// Boolean collision: the balls around the shapes, then GJK until a plane separates them or the
// simplex shows that they overlap (GJK++ Alg. 2 with Alg. 4).
//
// Cases that GJK alone cannot decide (contact within rounding, overlap of cores with nothing swept
// around them) are decided by the full distance query.
#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <optional>

#include "math/exact_pose.hpp"
#include "narrow/gjkpp/methods.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "narrow/query/pair_table.hpp"

namespace tactum {
namespace {

/// Whether four points of M enclose the origin beyond any doubt of rounding: edges, volume and the
/// depth of the origin behind every face are orders of magnitude above rounding. Thin or tiny
/// tetrahedra prove nothing.
bool clearly_encloses_origin(const Simplex& s, double scale) {
  if (s.size != 4) return false;
  const Vector3& p = s.points[3].w;
  const Vector3 e0 = s.points[0].w - p, e1 = s.points[1].w - p, e2 = s.points[2].w - p;
  const Vector3 c12 = e1.cross(e2), c20 = e2.cross(e0), c01 = e0.cross(e1), c = c12 + c20 + c01;
  const double volume = e0.dot(c12),
               squares = e0.squaredNorm() * e1.squaredNorm() * e2.squaredNorm();
  const double shortest = std::min(e0.squaredNorm(), std::min(e1.squaredNorm(), e2.squaredNorm()));
  if (!(shortest > 1e-6 * scale * scale && volume * volume > 1e-10 * squares)) return false;
  // doubled areas times the depth behind each face; the last face is opposite to p
  const double sign = volume < 0.0 ? -1.0 : 1.0;
  const double behind0 = -sign * p.dot(c12), behind1 = -sign * p.dot(c20),
               behind2 = -sign * p.dot(c01);
  const double behind3 = std::abs(volume) - behind0 - behind1 - behind2;
  const double enough = 1e-6 * scale;
  return behind0 > enough * c12.norm() && behind1 > enough * c20.norm() &&
         behind2 > enough * c01.norm() && behind3 > enough * c.norm();
}

/// Distance from the origin of the weighted sum of the points of a simplex. That sum is a point of
/// M, so the cores are at most this far apart, whichever rounding has chosen the weights.
double attained_distance(const Simplex& s) {
  Vector3 point = Vector3::Zero();
  double total = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.size); ++i) {
    if (!(s.weights[i] >= 0.0)) return std::numeric_limits<double>::infinity();
    point += s.weights[i] * s.points[i].w;
    total += s.weights[i];
  }
  return point.norm() / total;
}

/// Status that the bounds of the cores prove, if they prove one. `radius` is swept around the cores
/// of the simplex.
std::optional<Status> proved_status(GjkOutcome outcome, const GjkState& state, double radius,
                                    const CorePair& pair) {
  if (outcome == GjkOutcome::above_limit) return Status::separated;
  if (outcome == GjkOutcome::below_limit) return Status::penetrating;
  // An overlap counts where more than the contact band is swept around the cores, or where it is
  // deep. The simplex of cores with very different sizes may hold the origin by rounding alone, so
  // each of the two proofs is made from its points.
  const double band = 2.0 * (kContactBand * pair.scale() + pair.support_error());
  if (outcome == GjkOutcome::overlapping &&
      ((radius > band && attained_distance(state.simplex) < radius - band) ||
       clearly_encloses_origin(state.simplex, pair.scale())))
    return Status::penetrating;
  return std::nullopt;
}

/// Distance from contact, in m, beyond which the full query would find the same status. It covers
/// the gap that the full query may leave for a smooth optimum.
double decisive(const CorePair& pair, double scale) {
  return (kContactBand + kBoundSlack + (pair.polyhedral() ? 0.0 : kProvedGap)) * scale +
         pair.support_error();
}

Collision from_distance(const Distance& full) {
  Collision result;
  result.status = full.status;
  result.colliding = full.status == Status::touching || full.status == Status::penetrating ||
                     (full.status == Status::not_converged && full.upper <= 0.0);
  result.normal = full.normal;
  // within the contact band a gap may be proved and yet count as contact
  result.lower = result.colliding ? std::min(full.lower, 0.0) : full.lower;
  result.iterations = full.iterations;
  result.pose_corrected = full.pose_corrected;
  result.warm_start = full.warm_start;
  return result;
}

/// The result for the bounds that a search has proved.
Collision from_search(Status status, const GjkState& state, const PairFrame& frame,
                      const CorePair& pair) {
  Collision result;
  result.status = status;
  result.colliding = status == Status::penetrating;
  result.normal = (frame.X_WA.rotation * state.normal).normalized();
  result.lower = state.lower - pair.radius() - kBoundSlack * frame.scale - pair.support_error();
  result.iterations = state.iterations;
  result.pose_corrected = frame.corrected;
  result.warm_start = {state.normal, pair.hints};
  return result;
}

/// Decides by a method of the paper; cases that it leaves open are decided by the full query.
Collision collide_by_method(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                            const CollideOptions& options, MomentumWeight weight) {
  check_method(options.method, a, b);
  const PairFrame frame = make_pair_frame(a, X_WA, b, X_WB);
  CorePair pair = make_core_pair(a.core(), b.core(), frame, options.warm_start);
  GjkState state;
  const GjkOutcome outcome = search_by_method(
      options.method, pair,
      first_iterate(pair, frame.X_WA.rotation, options.initial_direction, options.warm_start,
                    weight),
      options.tolerance, options.max_iterations, decisive(pair, frame.scale), state);
  const std::optional<Status> status = proved_status(outcome, state,
                                                     pair.a().radius + pair.b().radius, pair);
  Collision result;
  if (status) {
    result = from_search(*status, state, frame, pair);
  } else {
    result = from_distance(distance(
        a, X_WA, b, X_WB,
        {.tolerance = options.tolerance, .initial_direction = frame.X_WA.rotation * state.normal}));
    result.iterations = state.iterations;
  }
  return result;
}

/// Whether balls around the origins of the shapes are apart, which proves that the shapes are,
/// without a support or a change of frame. False proves nothing, not even that the poses are valid.
bool balls_are_apart(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                     const WarmStart* warm_start, Collision& result) {
  const CoreShape &core_a = a.core(), &core_b = b.core();
  if (core_a.kind == CoreShape::Kind::half_space || core_b.kind == CoreShape::Kind::half_space)
    return false;
  if (detail::is_far_out(X_WA.translation, X_WB.translation)) return false;
  const Double3 t = to_double3(X_WB.translation) - to_double3(X_WA.translation);
  const double squared = t.squared_norm();
  if (!(squared > 1e-280)) return false;
  const double between = std::sqrt(squared),
               scale = std::max({between, core_a.bounding_radius, core_b.bounding_radius});
  const double lower = between - core_a.bounding_radius - core_b.bounding_radius -
                       kBoundSlack * scale;
  if (!(lower > kContactBand * scale && are_exact_poses(X_WA, X_WB, 1e-12))) return false;
  const Double3 normal = (1.0 / between) * t;
  result.colliding = false;
  result.status = Status::separated;
  result.normal = to_vector3(normal);
  result.lower = lower;
  // a direction from nearby poses is worth more than this one
  if (warm_start != nullptr && !warm_start->direction_A.isZero(0.0)) {
    result.warm_start = *warm_start;
  } else {
    result.warm_start.direction_A = to_vector3(transposed_product(X_WA.rotation, normal));
  }
  return true;
}

}  // namespace

Collision collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const CollideOptions& options, MomentumWeight weight) {
  const bool has_half_space = a.core().kind == CoreShape::Kind::half_space ||
                              b.core().kind == CoreShape::Kind::half_space;
  if (weight == MomentumWeight::chosen || options.method == Method::automatic || has_half_space)
    return collide(a, X_WA, b, X_WB, options);
  check_options(options.tolerance, options.max_iterations, options.initial_direction,
                options.warm_start);
  return collide_by_method(a, X_WA, b, X_WB, options, weight);
}

Collision collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const CollideOptions& options) {
  if (!need_no_check(options))
    check_options(options.tolerance, options.max_iterations, options.initial_direction,
                  options.warm_start);
  Collision result;
  if (options.method == Method::automatic &&
      balls_are_apart(a, X_WA, b, X_WB, options.warm_start, result))
    return result;
  const DistanceOptions full{.method = options.method,
                             .tolerance = options.tolerance,
                             .max_iterations = options.max_iterations,
                             .initial_direction = options.initial_direction,
                             .warm_start = options.warm_start};
  const PairEntry& entry = pair_entry(pair_table(), a.core(), b.core());
  const bool automatic = options.method == Method::automatic;
  bool tried = false;
  if (automatic && entry.collide_by != CollideBy::search && entry.try_directly != nullptr) {
    tried = true;
    Distance found;
    if (entry.try_directly(a.core(), X_WA, b.core(), X_WB, full, found))
      return from_distance(found);
  }
  // a stage that has failed is not tried again
  const auto whole_query = [&] {
    Distance found;
    if (tried || !automatic) {
      general_distance(entry.solvers, a, X_WA, b, X_WB, full, found);
    } else {
      found = distance(a, X_WA, b, X_WB, full);
    }
    return from_distance(found);
  };
  const bool is_half_space_pair = a.core().kind == CoreShape::Kind::half_space ||
                                  b.core().kind == CoreShape::Kind::half_space;
  if (entry.collide_by == CollideBy::distance && (automatic || is_half_space_pair))
    return whole_query();
  if (!automatic) return collide_by_method(a, X_WA, b, X_WB, options, MomentumWeight::chosen);
  const PairFrame frame = make_pair_frame(a, X_WA, b, X_WB);

  CorePair pair = make_core_pair(a.core(), b.core(), frame, options.warm_start);
  GjkState state = start_gjk(pair, first_direction(a.core(), b.core(), frame,
                                                   options.initial_direction, options.warm_start));
  const double margin = decisive(pair, frame.scale);
  const GjkOutcome outcome = run_gjk(pair,
                                     {.gap = 0.0,
                                      .max_iterations = options.max_iterations,
                                      .stop_above = pair.radius() + margin,
                                      .stop_below = pair.radius() - margin,
                                      .momentum = true},
                                     state);
  const std::optional<Status> status = proved_status(outcome, state, pair.radius(), pair);
  return status ? from_search(*status, state, frame, pair) : whole_query();
}

}  // namespace tactum
