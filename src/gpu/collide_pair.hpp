// SPDX-License-Identifier: BSD-2-Clause
// Whether two shapes share a point, decided by the search itself: at the first plane that separates
// them, or the first proof of overlap.
//
// Single precision proves both where a margin is left for its rounding. With E the largest distance
// of a point of M = B - A from the origin and D the largest distance of two of its points, a
// computed point of M is within 8 units of E of a true one, and a support value within 16 units of
// E:
//   apart the separation of the cores along a direction exceeds the swept radii by more than 32
//   units of E; overlap a convex combination of points of M is nearer to the origin than the swept
//   radii by more than 32 units of E, or four points hold the origin and each of their four
//            determinants exceeds 16 units of E D (D + E), which is more than errors of the points
//            and of the products can add up to.
// Everything else is left to double precision, which answers with `distance_of_pair`.
#pragma once

#include "gpu/distance_pair.hpp"

namespace tactum::gpu {

template <class Real>
struct CollisionMargins {
  Real apart;            ///< separation of the cores above which the shapes are apart
  Real overlap_squared;  ///< squared distance of the cores below which the shapes overlap;
                         ///< negative: none does
  Real share;            ///< determinant above which four points hold the origin
};

template <class Real>
TACTUM_HOST_DEVICE CollisionMargins<Real> collision_margins(const CoreRecord<Real>& a,
                                                            const CoreRecord<Real>& b,
                                                            const RelativePose<Real>& X_AB) {
  const Real spread = 2 * (a.reach + b.reach), extent = norm(X_AB.translation) + a.reach + b.reach;
  const Real radii = a.radius + b.radius, slack = 32 * kUnit<Real> * (extent + radii);
  const Real inside = radii - slack;
  return {radii + slack, inside > 0 ? inside * inside : Real(-1),
          16 * kUnit<Real> * extent * spread * (spread + extent)};
}

enum class CollisionState : std::uint8_t { searching, apart, overlapping, unsure };

/// Whether a convex combination of the corners is as near to the origin as `squared` says. The
/// nearest point of a thin triangle, taken from its plane, may not be.
template <class Real, class Tag>
TACTUM_HOST_DEVICE bool is_within(const GjkLane<Real, Tag>& lane, Real squared) {
  const Vector<Real> a = lane.point_0, b = lane.point_1, c = lane.point_2;
  const TrianglePoint<Real> nearest = closest_on_triangle<false>(a, b, c);
  const Real weight_a = 1 - nearest.weight_b - nearest.weight_c;
  return squared_norm(weight_a * a + nearest.weight_b * b + nearest.weight_c * c) < squared;
}

template <KindSet kKinds, class Real, class Tag, class View>
TACTUM_HOST_DEVICE CollisionState advance_collision(GjkLane<Real, Tag>& lane,
                                                    const CollisionMargins<Real>& margins,
                                                    const CoreRecord<Real>& a,
                                                    const CoreRecord<Real>& b, const View& view,
                                                    int max_iterations) {
  Tag tag;
  const Real along_squared = squared_norm(lane.nearest);
  const Vector<Real> point = support_of_lane<kKinds>(lane, a, b, view, tag);
  if (dot(lane.nearest, point) > margins.apart * std::sqrt(along_squared))
    return CollisionState::apart;
  const Real before = lane.squared;
  detail::insert(lane, point, tag);
  ++lane.iterations;
  Real share = 0;
  if (detail::reduce(lane, share))
    return share > margins.share ? CollisionState::overlapping : CollisionState::unsure;
  if (lane.squared < margins.overlap_squared) {
    return is_within(lane, margins.overlap_squared) ? CollisionState::overlapping
                                                    : CollisionState::unsure;
  }
  const bool goes_on = lane.is_apart() && lane.squared < before && lane.iterations < max_iterations;
  return goes_on ? CollisionState::searching : CollisionState::unsure;
}

/// separated, penetrating (overlap is proved), touching, or not_converged where double precision
/// cannot decide.
template <KindSet kKinds, int kReplicas>
TACTUM_HOST_DEVICE Status collision_again(const DoublePair& pair,
                                          const VertexView<kReplicas>& view) {
  const PairAnswer answer = certified<kKinds>(pair, view, searched_again<kKinds>(pair, view));
  return answer.overlapping   ? Status::penetrating
         : answer.lower > 0.0 ? Status::separated
                              : answer.status;
}

template <KindSet kKinds, int kReplicas>
TACTUM_HOST_DEVICE Status collision_of_pair(const TableView<kReplicas>& table, int index_a,
                                            const WorldPose& X_WA, int index_b,
                                            const WorldPose& X_WB) {
  const CoreRecord<float>&a = table.single[index_a], &b = table.single[index_b];
  if (is_refused<kKinds>(X_WA, X_WB, a.kind, b.kind)) return Status::invalid_input;
  const DoublePair pair = double_pair(table, index_a, X_WA, index_b, X_WB, kCollisionTolerance);
  if (has_half_space<kKinds>(a.kind, b.kind))
    return half_space_answer<kKinds>(pair, table.vertices).status;
  CollisionState state = CollisionState::unsure;
  if (fits_single(pair.scale)) {
    GjkLane<float, PieceTag> lane;
    lane.X_AB = converted<float>(pair.X_AB);
    begin(lane, a, b, static_cast<float>(pair.scale), 0.0F);
    const CollisionMargins<float> margins = collision_margins(a, b, lane.X_AB);
    state = CollisionState::searching;
    while (state == CollisionState::searching) {
      state = advance_collision<kKinds>(lane, margins, a, b, table.vertices, kSingleIterations);
    }
  }
  if (state == CollisionState::apart) return Status::separated;
  if (state == CollisionState::overlapping) return Status::penetrating;
  return collision_again<kKinds>(pair, table.vertices);
}

}  // namespace tactum::gpu
