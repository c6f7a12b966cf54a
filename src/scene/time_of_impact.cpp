// SPDX-License-Identifier: BSD-2-Clause
// Conservative advancement (Mirtich 1996; Zhang, Lee, Kim 2006): query the distance, move on by the
// time in which the bodies cannot come within the distance, and query again.
//
// Frame      everything is computed in the frame of A at time 0, so that nothing depends on how far
//            both are from the origin of the world.
// Bounds     the lower bound of each query is lowered by what rounding can move the bodies by on
//            their paths, so the time that has been passed is proved free. The advance ends within
//            the tolerance; a time shortly after at which the upper bound is within the distance is
//            then looked for.
#include "tactum/time_of_impact.hpp"

#include <algorithm>
#include <cmath>

#include "core/format_number.hpp"
#include "geometry/reach.hpp"
#include "math/constants.hpp"
#include "math/relative_pose.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "scene/relative_motion.hpp"
#include "shape/support/core_support.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr int kMostQueries = 10'000'000;
constexpr int kMostProbes = 12;  ///< times tried for the upper bound, each twice as far ahead

BoundingSphere ball_of(const Aabb& box) {
  const Vector3 half = 0.5 * (box.upper - box.lower);
  return {box.lower + half,
          half.norm() * (1.0 + 8.0 * kEpsilon) + 4.0 * kEpsilon * box.lower.cwiseAbs().maxCoeff()};
}

/// A body as the advance sees it.
struct Body {
  BoundingSphere ball;
  double reach;                  ///< m: no point that counts is farther from the origin
  const CoreShape* convex_core;  ///< null for sets that are not convex
};

Body body_of(const Geometry& geometry) {
  const double reach = reach_of(geometry);
  if (geometry.shape() == nullptr) return {ball_of(geometry.aabb()), reach, nullptr};
  return {bounding_sphere(*geometry.shape()), reach, &geometry.shape()->core()};
}

/// The separation of two convex cores along n, less its rounding: a lower bound of their distance
/// as long as it is positive.
double separation_along(const CoreShape& a, const Pose& X_A, const CoreShape& b, const Pose& X_B,
                        const Vector3& n) {
  int visited = 0;
  const auto height = [&](const CoreShape& core, const Pose& X, Double3 u) {
    const Double3 along = transposed_product(X.rotation, u);
    return dot(along, core_support(core, along, visited).point) + core.radius + core.inner_radius;
  };
  const Double3 u = to_double3(n), t = to_double3(X_B.translation) - to_double3(X_A.translation);
  const double rounding = 16.0 * kEpsilon * pair_scale(a, b, t) + a.support_error + b.support_error;
  return dot(u, t) - height(a, X_A, u) - height(b, X_B, -u) - rounding;
}

void check_impact_options(const ImpactOptions& options) {
  if (std::isnan(options.distance) || options.distance < 0.0 || options.distance > 1e30)
    throw InvalidInput("distance", exact_text(options.distance),
                       "give a length from 0 to 1e30 in metres");
  if (std::isnan(options.tolerance) || options.tolerance < kSmallestTolerance ||
      options.tolerance > 1.0)
    throw InvalidInput("tolerance", exact_text(options.tolerance),
                       "give a number from 1.5e-14 to 1");
  if (options.max_iterations < 1 || options.max_iterations > kMostQueries)
    throw InvalidInput("max_iterations", std::to_string(options.max_iterations),
                       "give a number from 1 to 10000000");
}

/// Both bodies at a time: what a distance query says of them, in the frame of A at time 0.
struct Look {
  double time = 0.0;
  Pose X_A, X_B;
  GeometryDistance found = {};
  double length = 0.0;    ///< m: the scale of the pair
  double rounding = 0.0;  ///< m: what the bodies may be from their places
};

/// Runs the advance of one pair.
class Advance {
 public:
  Advance(const Geometry& a, const Pose& X0_WA, const Pose& X1_WA, const Geometry& b,
          const Pose& X0_WB, const Pose& X1_WB, const ImpactOptions& options)
      : a_(a),
        b_(b),
        body_a_(body_of(a)),
        body_b_(body_of(b)),
        options_(options),
        X_WA_(X0_WA),
        motion_({{Pose{}, pose_logarithm(pose_in_frame(X0_WA, X1_WA))}, body_a_.ball},
                {{pose_in_frame(X0_WA, X0_WB), pose_logarithm(pose_in_frame(X0_WB, X1_WB))},
                 body_b_.ball}) {
    for (const MovingBody* body : {&motion_.a(), &motion_.b()})
      path_ += body->is_bounded() ? body->longest_path() : body->motion.twist.v.norm();
  }

  Impact run() {
    Look look = query(0.0);
    if (is_within(look)) return impact(look, Status::penetrating, 0.0);
    while (result_.iterations < options_.max_iterations) {
      check_interrupt();
      if (look.found.status == Status::beyond_cutoff) return none(look);
      const double gap = free_gap(look);
      if (gap <= std::max(tolerance_of(look), look.rounding)) return arrived(look);
      const double step = safe_time(look, gap);
      // a body that stops within the tolerance is looked at where it stops
      const double certain = safe_time(look, gap - tolerance_of(look));
      if (look.time + certain >= 1.0) return none(look);
      const double time = std::min(1.0, look.time + step);
      if (!(time > look.time)) return arrived(look);
      look = query(time);
      if (is_within(look)) return arrived(look);
      if (time == 1.0 && free_gap(look) > tolerance_of(look)) return none(look);
    }
    return impact(look, Status::not_converged, kInfinity);
  }

 private:
  Look query(double time) {
    ++result_.iterations;
    Look look{.time = time, .X_A = motion_.a().motion.at(time), .X_B = motion_.b().motion.at(time)};
    const double between = (look.X_B.translation - look.X_A.translation).stableNorm();
    look.length = std::max(between, std::max(body_a_.reach, body_b_.reach));
    look.rounding = kRounding * (path_ + between + body_a_.reach + body_b_.reach);
    // what lies beyond the cutoff cannot meet any more
    const double cutoff = options_.distance + tolerance_of(look) + look.rounding +
                          motion_.farthest_approach(time) * (1.0 + 8.0 * kEpsilon);
    const DistanceOptions options{
        .tolerance = std::clamp(0.1 * options_.tolerance, kSmallestTolerance, 1e-10),
        .cutoff = cutoff,
        .warm_start = time > 0.0 ? &last_.warm_start : nullptr};
    look.found = distance(a_, look.X_A, b_, look.X_B, options, last_.part_a, last_.part_b);
    last_ = look.found;
    return look;
  }

  double tolerance_of(const Look& look) const { return options_.tolerance * look.length; }

  /// Whether the bodies are within the distance, rounding included.
  bool is_within(const Look& look) const {
    const double band = kContactBand * look.length + look.rounding;
    return look.found.upper <= options_.distance + band ||
           (options_.distance == 0.0 && look.found.status == Status::touching);
  }

  /// m: how much nearer they may come, for sure, before they are within the distance.
  double free_gap(const Look& look) const {
    return look.found.lower - look.rounding - options_.distance;
  }

  double safe_time(const Look& look, double gap) const {
    const double any = motion_.safe_time(look.time, gap);
    if (body_a_.convex_core == nullptr || body_b_.convex_core == nullptr) return any;
    const Vector3& n = look.found.normal;
    const bool is_plane = body_a_.convex_core->kind == CoreShape::Kind::half_space ||
                          body_b_.convex_core->kind == CoreShape::Kind::half_space;
    // the distance of a half-space is the separation along its normal
    const double separation = is_plane ? look.found.lower
                                       : separation_along(*body_a_.convex_core, look.X_A,
                                                          *body_b_.convex_core, look.X_B, n);
    const double excess = look.found.lower - separation;
    return std::max(any, motion_.safe_time_along(n, look.time, gap - std::max(excess, 0.0)));
  }

  Impact none(const Look& look) {
    result_.status = Status::separated;
    result_.time = result_.lower = kInfinity;
    take_value(look);
    return result_;
  }

  Impact impact(const Look& look, Status status, double upper) {
    result_.status = status;
    result_.time = result_.lower = look.time;
    result_.upper = upper;
    take_value(look);
    return result_;
  }

  /// The bodies cannot be told from bodies within the distance: looks for a time at which they are.
  Impact arrived(const Look& look) {
    const double open = look.found.upper - options_.distance;
    if (is_within(look)) return impact(look, Status::touching, look.time);
    // a query that did not converge proves nothing about the distance
    if (open > 2.0 * (tolerance_of(look) + look.rounding))
      return impact(look, Status::not_converged, kInfinity);
    const Impact reached = impact(look, Status::touching, kInfinity);
    const double rate = std::abs(
        motion_.rate_along(look.found.normal, look.found.point_b, look.time));
    double step = (open + look.rounding) / std::max(rate, 1e-3 * path_);
    for (int i = 0; i < kMostProbes && std::isfinite(step); ++i, step *= 2.0) {
      const double time = std::min(1.0, look.time + step);
      if (is_within(query(time))) {
        result_.upper = time;
        break;
      }
      if (time == 1.0) break;
    }
    result_.value = reached.value;
    return result_;
  }

  /// From the frame of A at time 0 to the world.
  void take_value(const Look& look) {
    result_.value = look.found;
    result_.value.normal = (X_WA_.rotation * look.found.normal).normalized();
    result_.value.point_a = X_WA_ * look.found.point_a;
    result_.value.point_b = X_WA_ * look.found.point_b;
  }

  const Geometry& a_;
  const Geometry& b_;
  Body body_a_, body_b_;
  const ImpactOptions& options_;
  Pose X_WA_;
  RelativeMotion motion_;
  double path_ = 0.0;  ///< m: the longest paths of both together
  GeometryDistance last_;
  Impact result_;
};

}  // namespace

Impact time_of_impact(const Geometry& a, const Pose& X0_WA, const Pose& X1_WA, const Geometry& b,
                      const Pose& X0_WB, const Pose& X1_WB, const ImpactOptions& options) {
  check_impact_options(options);
  const CheckedPose poses[] = {check_pose(X0_WA, "X0_WA"), check_pose(X1_WA, "X1_WA"),
                               check_pose(X0_WB, "X0_WB"), check_pose(X1_WB, "X1_WB")};
  Advance advance(a, poses[0].pose, poses[1].pose, b, poses[2].pose, poses[3].pose, options);
  Impact result = advance.run();
  for (const CheckedPose& pose : poses) result.value.pose_corrected |= pose.corrected;
  return result;
}

}  // namespace tactum
