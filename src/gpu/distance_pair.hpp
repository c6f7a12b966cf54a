// SPDX-License-Identifier: BSD-2-Clause
// One pair from its poses to its certified answer: the stages that the kernels run for many pairs,
// one after the other for one.
//
//   read the poses, form X_AB and the scale in double       prepare
//   a half-space?  one support                              certificate.hpp
//   search in single precision                              gjk_lane.hpp
//   prove in double                                         certificate.hpp
//   cores overlap?  expanding polytope, proved in double    depth_polytope.hpp, depth_proof.hpp
//   not proved?  search and prove in double                 all of these again
// What is still not proved has the status not_converged, with bounds that hold all the same.
#pragma once

#include "gpu/depth_proof.hpp"
#include "gpu/nearest_face.hpp"

namespace tactum::gpu {

/// All shapes of a batch, as host or device memory. `single` and `exact` describe the same shapes.
template <int kReplicas>
struct TableView {
  const CoreRecord<float>* single;
  const CoreRecord<double>* exact;
  VertexView<kReplicas> vertices;
};

inline constexpr int kSingleIterations = 32;   ///< of the search in single precision
inline constexpr int kDoubleIterations = 128;  ///< of that in double precision

/// Single precision is used for pairs of this range of scales, where no product of four lengths
/// leaves the range of a float.
inline constexpr double kSmallestSingleScale = 1e-4, kLargestSingleScale = 1e6;
TACTUM_HOST_DEVICE bool fits_single(double scale) {
  return scale >= kSmallestSingleScale && scale <= kLargestSingleScale;
}

/// Relative to the scale, of a collision that double precision has to decide: an answer of
/// `touching` means that the bounds are as close as this.
inline constexpr double kCollisionTolerance = 1e-10;

/// Gap at which the second search stops at the latest, relative to the scale: it also decides
/// signs.
inline constexpr double kFinestGap = 1e-11;

/// `table` has the records of all shapes in double as its member `exact`.
template <class Table>
TACTUM_HOST_DEVICE DoublePair double_pair(const Table& table, int index_a, const WorldPose& X_WA,
                                          int index_b, const WorldPose& X_WB, double tolerance) {
  DoublePair pair{table.exact[index_a], table.exact[index_b], relative_pose(X_WA, X_WB), 0.0,
                  tolerance};
  pair.scale = pair_scale(pair.a, pair.b, pair.X_AB.translation);
  return pair;
}

/// Whether the pair has an answer at all: good poses, and not two half-spaces.
template <KindSet kKinds>
TACTUM_HOST_DEVICE bool is_refused(const WorldPose& X_WA, const WorldPose& X_WB, CoreKind a,
                                   CoreKind b) {
  if (!X_WA.valid || !X_WB.valid) return true;
  if constexpr ((kKinds & set_of(CoreKind::half_space)) == 0) return false;
  return a == CoreKind::half_space && b == CoreKind::half_space;
}

template <KindSet kKinds>
TACTUM_HOST_DEVICE bool has_half_space(CoreKind a, CoreKind b) {
  if constexpr ((kKinds & set_of(CoreKind::half_space)) == 0) return false;
  return a == CoreKind::half_space || b == CoreKind::half_space;
}

/// The result of a search that has ended in `state`. Where no depth is wanted and four points hold
/// the origin, the nearest of their faces comes first.
template <class Real, class Tag>
TACTUM_HOST_DEVICE LaneResult<Tag> ended(const GjkLane<Real, Tag>& lane, LaneState state,
                                         const CoreRecord<Real>& a, const CoreRecord<Real>& b,
                                         bool depth) {
  if (state != LaneState::overlapping || depth) return lane.result(state);
  return faced_result(lane, a, b);
}

/// Search in the precision `Real` to its end.
template <KindSet kKinds, class Real, int kReplicas>
TACTUM_HOST_DEVICE auto searched(const DoublePair& pair, const CoreRecord<Real>& a,
                                 const CoreRecord<Real>& b, const VertexView<kReplicas>& view,
                                 double gap, int max_iterations, bool depth) {
  using Tag = typename TagOf<Real, kKinds>::Type;
  GjkLane<Real, Tag> lane;
  lane.X_AB = converted<Real>(pair.X_AB);
  begin(lane, a, b, static_cast<Real>(pair.scale), static_cast<Real>(gap));
  LaneState state = LaneState::searching;
  while (state == LaneState::searching) state = advance<kKinds>(lane, a, b, view, max_iterations);
  return ended(lane, state, a, b, depth);
}

/// The second search: double precision, to bounds that leave open only what rounding leaves open.
template <KindSet kKinds, int kReplicas>
TACTUM_HOST_DEVICE auto searched_again(const DoublePair& pair, const VertexView<kReplicas>& view) {
  return searched<kKinds, double>(pair, pair.a, pair.b, view,
                                  smaller(0.5 * pair.tolerance, kFinestGap), kDoubleIterations,
                                  true);
}

/// Whether the polytope in double is worth its time: the cores seem to overlap, and how deep they
/// do is not known. A search that ends at the origin itself may leave a segment or a triangle.
template <class Tag>
TACTUM_HOST_DEVICE bool wants_depth(const LaneResult<Tag>& result, const PairAnswer& answer) {
  const bool holds_origin = result.state == LaneState::overlapping ||
                            (result.state == LaneState::unsure && result.size > 1);
  return holds_origin && answer.status == Status::not_converged;
}

/// Whether the answer of a polytope says anything: else that of the search before it stays.
TACTUM_HOST_DEVICE bool proves_depth(const PairAnswer& deep) {
  return deep.overlapping || deep.status != Status::not_converged;
}

#ifndef __CUDACC__

/// The depth of one pair by one warp, in the precision of `a` and `b`.
template <KindSet kKinds, class Real, class Tag, int kReplicas>
PairAnswer depth_of_pair(const DoublePair& pair, const CoreRecord<Real>& a,
                         const CoreRecord<Real>& b, const VertexView<kReplicas>& view,
                         const LaneResult<Tag>& result) {
  typename DepthRoomOf<Real, kKinds>::Type room;
  const PairView exact{pair.a, pair.b, pair.X_AB};
  const auto found = grown_polytope<Real, kKinds>(HostWarp{}, room, exact, pair.scale,
                                                  pair.tolerance, a, b, view, result);
  return certified_depth<kKinds>(pair, view, found, result.iterations);
}

/// All stages for one pair. With `depth` false a depth is only bounded where cores overlap.
template <KindSet kKinds, int kReplicas>
PairAnswer distance_of_pair(const TableView<kReplicas>& table, int index_a, const WorldPose& X_WA,
                            int index_b, const WorldPose& X_WB, double tolerance,
                            bool depth = true) {
  if (is_refused<kKinds>(X_WA, X_WB, table.exact[index_a].kind, table.exact[index_b].kind))
    return refused_answer();
  const DoublePair pair = double_pair(table, index_a, X_WA, index_b, X_WB, tolerance);
  const VertexView<kReplicas>& view = table.vertices;
  if (has_half_space<kKinds>(pair.a.kind, pair.b.kind))
    return half_space_answer<kKinds>(pair, view);
  if (fits_single(pair.scale)) {
    const CoreRecord<float>&a = table.single[index_a], &b = table.single[index_b];
    const auto result = searched<kKinds>(pair, a, b, view, 0.5 * pair.tolerance, kSingleIterations,
                                         depth);
    if (depth && result.state == LaneState::overlapping) {
      const PairAnswer deep = depth_of_pair<kKinds>(pair, a, b, view, result);
      if (deep.status != Status::not_converged) return deep;
    } else if (result.inside > 0.0F) {
      const PairAnswer bounded = certified_by_face<kKinds>(pair, view, result);
      return may_be_deepest(pair, bounded) ? certified_overlap<kKinds>(pair, view, result)
                                           : bounded;
    } else {
      const PairAnswer answer = certified<kKinds>(pair, view, result);
      if (!wants_more(answer)) return answer;
    }
  }
  const auto result = searched_again<kKinds>(pair, view);
  const PairAnswer answer = certified<kKinds>(pair, view, result);
  if (!depth || !wants_depth(result, answer)) return answer;
  const PairAnswer deep = depth_of_pair<kKinds>(pair, pair.a, pair.b, view, result);
  return proves_depth(deep) ? deep : answer;
}

#endif

/// Six numbers for each pose: how the distance grows with a small motion [v; w] of the shape in its
/// own frame (X exp(d)).
struct DistanceJacobian {
  Vector<double> linear_a, angular_a, linear_b, angular_b;
};

TACTUM_HOST_DEVICE DistanceJacobian distance_jacobian(const RelativePose<double>& X_AB,
                                                      const PairAnswer& answer) {
  const Vector<double> normal_B = turned_to_b(X_AB, answer.normal);
  const Vector<double> point_B = turned_to_b(X_AB, answer.point_b - X_AB.translation);
  return {-answer.normal, cross(answer.normal, answer.point_a), normal_B, cross(point_B, normal_B)};
}

}  // namespace tactum::gpu
