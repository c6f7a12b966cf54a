// SPDX-License-Identifier: BSD-2-Clause
// Queries of two geometries: branch and bound over pairs of parts, with the answer so far as the
// cutoff of the next query.
//
// Frame      parts are placed in the frame of A, so that nothing depends on how far both geometries
//            are from the origin of the world. The bounds are widened by the rounding of the places
//            of parts, which may be far from the origin of their compound.
#include <algorithm>
#include <tuple>

#include "math/epsilon.hpp"
#include "narrow/pair/bounds_and_status.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "scene/geometry_reach.hpp"
#include "scene/part_tree.hpp"
#include "tactum/compound.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A geometry at a pose, as parts and boxes.
class Placed {
 public:
  Placed(const Geometry& geometry, const Pose& X) : geometry_(geometry), X_(X) {
    if (geometry.shape() != nullptr && !is_half_space())
      leaf_.volume = part_box(geometry.shape()->aabb());
  }

  bool is_half_space() const {
    return geometry_.shape() != nullptr && geometry_.shape()->kind() == ShapeKind::half_space;
  }
  PartBoxes boxes() const {
    if (geometry_.shape() != nullptr) return {{&leaf_, 1}, {&kOnlyPart, 1}};
    return {geometry_.compound()->tree().nodes(), geometry_.compound()->tree().parts()};
  }
  const Pose& X() const { return X_; }
  const Shape& shape(std::int32_t part) const {
    return geometry_.shape() != nullptr
               ? *geometry_.shape()
               : geometry_.compound()->parts()[static_cast<std::size_t>(part)].shape;
  }
  Pose pose(std::int32_t part) const {
    return geometry_.shape() != nullptr
               ? X_
               : X_ * geometry_.compound()->parts()[static_cast<std::size_t>(part)].X_CP;
  }
  bool has(std::int32_t part) const { return part >= 0 && part < geometry_.num_parts(); }
  /// The next part that equals this one, or -1.
  std::int32_t next_equal(std::int32_t part) const {
    return geometry_.shape() != nullptr
               ? -1
               : geometry_.compound()->next_equal()[static_cast<std::size_t>(part)];
  }
  double reach() const { return reach_of(geometry_); }
  double support_error() const { return support_error_of(geometry_); }

 private:
  const Geometry& geometry_;
  Pose X_;
  static constexpr std::int32_t kOnlyPart = 0;
  PartTree::Node leaf_{{Vector3::Zero(), Vector3::Zero()}, 0, 1, -1};
};

/// R_A' R_B and R_A' (t_B - t_A): the difference comes first, so that no digits are lost far from
/// the origin.
Pose relative_pose(const Pose& X_WA, const Pose& X_WB) {
  return {X_WA.rotation.transpose() * X_WB.rotation,
          X_WA.rotation.transpose() * (X_WB.translation - X_WA.translation)};
}

/// Two geometries in the frame of the first.
class PlacedPair {
 public:
  PlacedPair(const Geometry& geometry_a, const Pose& X_WA, const Geometry& geometry_b,
             const Pose& X_WB)
      : checked_a_(check_pose(X_WA, "X_WA")),
        checked_b_(check_pose(X_WB, "X_WB")),
        a(geometry_a, {}),
        b(geometry_b, relative_pose(checked_a_.pose, checked_b_.pose)) {}

  bool corrected() const { return checked_a_.corrected || checked_b_.corrected; }
  /// No pair of parts has a larger scale, in m.
  double largest_scale() const { return a.reach() + b.reach() + b.X().translation.stableNorm(); }
  /// Bound, in m, of the motion of two parts against each other by rounding.
  double placement_error() const { return kBoundSlack * largest_scale(); }
  /// Distance, in m, below which parts may be in contact: no pair of parts has a longer contact
  /// reach.
  double longest_reach() const {
    return contact_reach(largest_scale(), a.support_error() + b.support_error());
  }

  Vector3 direction_in_world(const Vector3& v) const { return checked_a_.pose.rotation * v; }
  Vector3 point_in_world(const Vector3& p) const { return checked_a_.pose * p; }
  /// Takes normal and points from the frame of A to the world, and widens the bounds by the
  /// placement error. A sign that the bounds then leave open is not claimed.
  void to_world(Distance& result) const {
    result.normal = direction_in_world(result.normal).normalized();
    result.point_a = point_in_world(result.point_a);
    result.point_b = point_in_world(result.point_b);
    result.lower -= placement_error();
    result.upper += placement_error();
    result.pose_corrected = corrected();
    const bool open = (result.status == Status::separated && !(result.lower > 0.0)) ||
                      (result.status == Status::penetrating && !(result.upper < 0.0));
    if (open) result.status = Status::touching;
  }

 private:
  CheckedPose checked_a_, checked_b_;

 public:
  const Placed a, b;
};

template <class Visit>
double visit_near(const PlacedPair& pair, double largest, Visit&& visit) {
  const Placed &a = pair.a, &b = pair.b;
  const Pose& X_AB = b.X();
  if (!a.is_half_space() && !b.is_half_space())
    return visit_near_parts(a.boxes(), b.boxes(), BoxBound(X_AB), largest, visit);
  const bool first = a.is_half_space();
  const CoreShape& plane = (first ? a : b).shape(0).core();
  const PlaneBound bound(plane.size, plane.offset, first ? X_AB : inverse(X_AB));
  return visit_near_parts(
      a.boxes(), b.boxes(), [&](const auto& p, const auto& q) { return bound(first ? q : p); },
      largest, visit);
}

/// The nearest pair of parts so far, and the bounds proved for all pairs that were queried.
class Nearest {
 public:
  Nearest(const PlacedPair& pair, const DistanceOptions& options)
      : pair_(pair),
        a_(pair.a),
        b_(pair.b),
        options_(options),
        // a pair beyond this is beyond the cutoff however the parts are placed
        cutoff_(options.cutoff + 2.0 * pair.placement_error()),
        farthest_(std::max(cutoff_, pair.longest_reach())) {}

  /// Queries a pair; returns largest().
  double look(std::int32_t part_a, std::int32_t part_b, const WarmStart* warm_start) {
    if (found_ && is_no_nearer(part_a, part_b)) return largest();
    DistanceOptions options = options_;
    options.warm_start = warm_start;
    options.cutoff = std::min(cutoff_, std::max(best_.distance, 0.0));
    const Distance result = distance(a_.shape(part_a), a_.pose(part_a), b_.shape(part_b),
                                     b_.pose(part_b), options);
    iterations_ += result.iterations;
    support_calls_ += result.support_calls;
    vertices_visited_ += result.vertices_visited;
    if (result.lower < lower_) unsure_ = result.status == Status::not_converged;
    lower_ = std::min(lower_, result.lower);
    upper_ = std::min(upper_, result.upper);
    // beyond the cutoff a pair counts only while there is nothing better, for the normal and points
    // of the answer
    const bool candidate = result.status != Status::beyond_cutoff || !found_;
    if (candidate && std::tie(result.distance, part_a, part_b) <
                         std::tie(best_.distance, best_.part_a, best_.part_b)) {
      static_cast<Distance&>(best_) = result;
      best_.part_a = part_a;
      best_.part_b = part_b;
      found_ = result.status != Status::beyond_cutoff;
    }
    return largest();
  }

  /// No pair farther apart than this can change the answer.
  double largest() const { return found_ ? std::min(farthest_, best_.distance) : farthest_; }

  /// Returns the answer. `left_out` is a lower bound of the pairs that were not queried.
  GeometryDistance answer(double left_out) const {
    GeometryDistance result = best_;
    result.iterations = iterations_;
    result.support_calls = support_calls_;
    result.vertices_visited = vertices_visited_;
    if (!found_) {
      result.status = Status::beyond_cutoff;
      result.lower = std::min(lower_, left_out);
      result.upper = kInfinity;
      pair_.to_world(result);
      result.distance = result.lower;
      return result;
    }
    result.lower = lower_;
    result.upper = upper_;
    // the bounds of the nearest pair leave contact open, and another pair proves it
    if (best_.status == Status::touching && best_.upper >= 0.0 && upper_ < 0.0)
      result.status = Status::penetrating;
    pair_.to_world(result);
    if (unsure_) result.status = Status::not_converged;
    return result;
  }

 private:
  /// Whether the normal of the nearest pair so far also separates these parts, to rounding, and the
  /// order of parts decides for that pair: where thousands of parts coincide no query can add
  /// anything. Their bound is kept.
  bool is_no_nearer(std::int32_t part_a, std::int32_t part_b) {
    if (a_.is_half_space() || b_.is_half_space()) return false;  // the whole query costs no more
    const CoreShape &core_a = a_.shape(part_a).core(), &core_b = b_.shape(part_b).core();
    const Pose X_WA = a_.pose(part_a), X_WB = b_.pose(part_b);
    const Double3 n = to_double3(best_.normal),
                  t = to_double3(X_WB.translation) - to_double3(X_WA.translation);
    const auto height = [&](const CoreShape& core, const Pose& X, Double3 u) {
      const Double3 along = transposed_product(X.rotation, u);
      return dot(along, core_support(core, along, vertices_visited_).point) + core.radius +
             core.inner_radius;
    };
    const double separation = dot(n, t) - height(core_a, X_WA, n) - height(core_b, X_WB, -n);
    const double rounding = 16.0 * kEpsilon * pair_scale(core_a, core_b, t);
    const bool later = std::tie(best_.part_a, best_.part_b) < std::tie(part_a, part_b);
    if (!(separation > best_.distance + (later ? -rounding : rounding))) return false;
    support_calls_ += 1;
    lower_ = std::min(lower_, separation - rounding);
    return true;
  }

  const PlacedPair& pair_;
  const Placed& a_;
  const Placed& b_;
  const DistanceOptions& options_;
  double cutoff_, farthest_;  ///< m: a pair farther apart than farthest_ does not count
  GeometryDistance best_ = [] {
    GeometryDistance none;
    none.distance = kInfinity;
    return none;
  }();
  bool found_ = false;
  bool unsure_ = false;  ///< the smallest lower bound is that of a query that did not converge
  double lower_ = kInfinity, upper_ = kInfinity;
  int iterations_ = 0, support_calls_ = 0, vertices_visited_ = 0;
};

}  // namespace

GeometryDistance distance(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                          const DistanceOptions& options, std::int32_t first_a,
                          std::int32_t first_b) {
  if (a.shape() != nullptr && b.shape() != nullptr)
    return {distance(*a.shape(), X_WA, *b.shape(), X_WB, options), 0, 0};
  const PlacedPair pair(a, X_WA, b, X_WB);
  Nearest nearest(pair, options);
  const WarmStart none;
  const bool tracked = options.warm_start != nullptr;
  if (!pair.a.has(first_a) || !pair.b.has(first_b)) first_a = first_b = 0;
  const double largest = nearest.look(first_a, first_b, options.warm_start);
  const double left_out = visit_near(pair, largest, [&](std::int32_t part_a, std::int32_t part_b) {
    if (part_a == first_a && part_b == first_b) return nearest.largest();
    return nearest.look(part_a, part_b, tracked ? &none : nullptr);
  });
  return nearest.answer(left_out);
}

Collision collide(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                  const CollideOptions& options) {
  if (a.shape() != nullptr && b.shape() != nullptr)
    return collide(*a.shape(), X_WA, *b.shape(), X_WB, options);
  const PlacedPair pair(a, X_WA, b, X_WB);
  Collision best;
  best.status = Status::separated;
  best.lower = kInfinity;
  int iterations = 0;
  const double reach = pair.longest_reach();
  const double left_out = visit_near(pair, reach, [&](std::int32_t part_a, std::int32_t part_b) {
    const Collision result = collide(pair.a.shape(part_a), pair.a.pose(part_a),
                                     pair.b.shape(part_b), pair.b.pose(part_b), options);
    iterations += result.iterations;
    if (result.colliding || result.lower < best.lower) best = result;
    return best.colliding ? -kInfinity : reach;
  });
  best.iterations = iterations;
  best.pose_corrected = pair.corrected();
  best.normal = pair.direction_in_world(best.normal).normalized();
  // parts that were not queried may be deeper than the one that collides
  best.lower = best.colliding ? -kInfinity
                              : std::min(best.lower, left_out) - pair.placement_error();
  return best;
}

void contact_patches(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                     const ContactPatchOptions& options, std::vector<PartPatch>& out) {
  ContactPatchOptions own = options;
  own.warm_start = nullptr;
  const PlacedPair pair(a, X_WA, b, X_WB);
  const std::size_t begin = out.size();
  const double farthest = std::max(options.cutoff, pair.longest_reach());
  visit_near(pair, farthest, [&](std::int32_t part_a, std::int32_t part_b) {
    ContactPatch patch = contact_patch(pair.a.shape(part_a), pair.a.pose(part_a),
                                       pair.b.shape(part_b), pair.b.pose(part_b), own);
    if (patch.count == 0) return farthest;
    pair.to_world(patch.distance);
    patch.status = patch.distance.status;
    patch.normal = patch.distance.normal;
    for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i) {
      patch.points_a[i] = pair.point_in_world(patch.points_a[i]);
      patch.points_b[i] = pair.point_in_world(patch.points_b[i]);
    }
    for (std::int32_t i = part_a; i >= 0; i = pair.a.next_equal(i)) {
      for (std::int32_t j = part_b; j >= 0; j = pair.b.next_equal(j)) out.push_back({i, j, patch});
    }
    return farthest;
  });
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
            [](const PartPatch& p, const PartPatch& q) {
              return std::tie(p.part_a, p.part_b) < std::tie(q.part_a, q.part_b);
            });
}

RayHit ray_cast(const Geometry& geometry, const Pose& X, const Vector3& origin,
                const Vector3& direction, double max_distance) {
  if (geometry.shape() != nullptr)
    return ray_cast(*geometry.shape(), X, origin, direction, max_distance);
  const Pose X_WC = check_pose(X, "X").pose;
  RayHit best;
  for (const CompoundPart& part : geometry.compound()->parts()) {
    check_interrupt();
    const RayHit hit = ray_cast(part.shape, X_WC * part.X_CP, origin, direction,
                                std::min(max_distance, best.distance));
    if (hit && hit.distance < best.distance) best = hit;
  }
  return best;
}

}  // namespace tactum
