// SPDX-License-Identifier: BSD-2-Clause
// Queries of two geometries: branch and bound over pairs of pieces, with the answer so far as the
// cutoff of the next query. A mesh is one piece, whose own query goes down to its triangles.
#include <algorithm>
#include <tuple>

#include "geometry/placed_geometry.hpp"
#include "math/constants.hpp"
#include "math/epsilon.hpp"
#include "mesh/query/mesh_distance.hpp"
#include "narrow/query/try_distance.hpp"

namespace tactum {
namespace {

/// The answer with A and B in the other order.
template <class Result>
void swap_sides(Result& result) {
  result.normal = -result.normal;
  result.warm_start.direction_A = Vector3::Zero();
  std::swap(result.warm_start.vertices[0], result.warm_start.vertices[1]);
}

/// Calls query(options) with the warm start as the pair (B, A) has it.
template <class Options, class Query>
auto with_swapped_start(const Options& options, Query&& query) {
  if (options.warm_start == nullptr) return query(options);
  WarmStart last = *options.warm_start;
  std::swap(last.vertices[0], last.vertices[1]);
  Options own = options;
  own.warm_start = &last;
  return query(own);
}

/// The one piece of a geometry that is no compound.
Piece only_piece(const Geometry& geometry, const Pose& X) {
  return {geometry.shape(), geometry.mesh(), X};
}

/// Distance of two pieces; the parts of the answer are triangles, 0 where the piece is convex.
GeometryDistance piece_distance(const Piece& a, const Piece& b, const DistanceOptions& options) {
  if (a.shape != nullptr && b.shape != nullptr)
    return {distance(*a.shape, a.X, *b.shape, b.X, options), 0, 0};
  if (a.mesh != nullptr && b.mesh != nullptr)
    return mesh_distance(*a.mesh, a.X, *b.mesh, b.X, options);
  if (a.mesh != nullptr) return mesh_distance(*a.mesh, a.X, *b.shape, b.X, options);
  GeometryDistance result = with_swapped_start(options, [&](const DistanceOptions& own) {
    return mesh_distance(*b.mesh, b.X, *a.shape, a.X, own);
  });
  swap_sides(result);
  std::swap(result.point_a, result.point_b);
  std::swap(result.part_a, result.part_b);
  return result;
}

Collision piece_collide(const Piece& a, const Piece& b, const CollideOptions& options) {
  if (a.shape != nullptr && b.shape != nullptr)
    return collide(*a.shape, a.X, *b.shape, b.X, options);
  if (a.mesh != nullptr && b.mesh != nullptr)
    return mesh_collide(*a.mesh, a.X, *b.mesh, b.X, options);
  if (a.mesh != nullptr) return mesh_collide(*a.mesh, a.X, *b.shape, b.X, options);
  Collision result = with_swapped_start(options, [&](const CollideOptions& own) {
    return mesh_collide(*b.mesh, b.X, *a.shape, a.X, own);
  });
  swap_sides(result);
  return result;
}

/// The gap between two convex parts, seen along a unit vector of the frame of the pair.
struct PartGap {
  double separation;  ///< m
  double rounding;    ///< m: what it may be off by
};

PartGap part_gap(const PlacedGeometry& a, std::int32_t part_a, const PlacedGeometry& b,
                 std::int32_t part_b, const Vector3& normal, int& visited) {
  const CoreShape &core_a = a.shape(part_a).core(), &core_b = b.shape(part_b).core();
  const Pose X_WA = a.pose(part_a), X_WB = b.pose(part_b);
  const Double3 n = to_double3(normal),
                t = to_double3(X_WB.translation) - to_double3(X_WA.translation);
  const auto height = [&](const CoreShape& core, const Pose& X, Double3 u) {
    const Double3 along = transposed_product(X.rotation, u);
    return dot(along, core_support(core, along, visited).point) + core.radius + core.inner_radius;
  };
  return {dot(n, t) - height(core_a, X_WA, n) - height(core_b, X_WB, -n),
          16.0 * kEpsilon * pair_scale(core_a, core_b, t)};
}

/// The nearest pair of parts so far, and the bounds proved for all pairs that were queried.
class Nearest {
 public:
  Nearest(const PlacedGeometryPair& pair, const DistanceOptions& options)
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
    const GeometryDistance result = piece_distance(a_.piece(part_a), b_.piece(part_b), options);
    if (a_.mesh() != nullptr) part_a = result.part_a;  // the triangle
    if (b_.mesh() != nullptr) part_b = result.part_b;
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
    if (a_.mesh() != nullptr || b_.mesh() != nullptr) return false;
    const auto [separation, rounding] = part_gap(a_, part_a, b_, part_b, best_.normal,
                                                 vertices_visited_);
    const bool later = std::tie(best_.part_a, best_.part_b) < std::tie(part_a, part_b);
    if (!(separation > best_.distance + (later ? -rounding : rounding))) return false;
    support_calls_ += 1;
    lower_ = std::min(lower_, separation - rounding);
    return true;
  }

  const PlacedGeometryPair& pair_;
  const PlacedGeometry& a_;
  const PlacedGeometry& b_;
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
  if (a.compound() == nullptr && b.compound() == nullptr)
    return piece_distance(only_piece(a, X_WA), only_piece(b, X_WB), options);
  check_distance_options(options);
  const PlacedGeometryPair pair(a, X_WA, b, X_WB);
  Nearest nearest(pair, options);
  const WarmStart none;
  const bool tracked = options.warm_start != nullptr;
  if (a.mesh() != nullptr || !pair.a.has(first_a)) first_a = 0;
  if (b.mesh() != nullptr || !pair.b.has(first_b)) first_b = 0;
  const double largest = nearest.look(first_a, first_b, options.warm_start);
  const double left_out = visit_near(pair, largest, [&](std::int32_t part_a, std::int32_t part_b) {
    if (part_a == first_a && part_b == first_b) return nearest.largest();
    return nearest.look(part_a, part_b, tracked ? &none : nullptr);
  });
  return nearest.answer(left_out);
}

Collision collide(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                  const CollideOptions& options) {
  if (a.compound() == nullptr && b.compound() == nullptr)
    return piece_collide(only_piece(a, X_WA), only_piece(b, X_WB), options);
  const PlacedGeometryPair pair(a, X_WA, b, X_WB);
  Collision best;
  best.status = Status::separated;
  best.lower = kInfinity;
  int iterations = 0, visited = 0;
  const double reach = pair.longest_reach();
  // objects near contact touch in one place: the plane between two parts is one between most others
  const bool has_planes = a.mesh() == nullptr && b.mesh() == nullptr && !pair.a.is_half_space() &&
                          !pair.b.is_half_space();
  const double support_error = pair.a.support_error() + pair.b.support_error();
  bool has_plane = false;
  const double left_out = visit_near(pair, reach, [&](std::int32_t part_a, std::int32_t part_b) {
    if (has_plane) {
      const auto [separation, rounding] = part_gap(pair.a, part_a, pair.b, part_b, best.normal,
                                                   visited);
      const double gap = separation - rounding - support_error;
      if (gap > reach) return best.lower = std::min(best.lower, gap), reach;
    }
    const Collision result = piece_collide(pair.a.piece(part_a), pair.b.piece(part_b), options);
    iterations += result.iterations;
    if (result.colliding || result.lower < best.lower) {
      best = result;
      has_plane = has_planes;
    }
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

}  // namespace tactum
