// SPDX-License-Identifier: BSD-2-Clause
// GJK on one pair as a state that is advanced one iteration at a time, so that a lane of a GPU can
// change to the next pair as soon as its own has ended.
//
// Computes   the nearest point to the origin of M = B - A, cores without their swept radii, in the
//            frame of A (Gilbert, Johnson, Keerthi 1988).
// Claims     nothing. It ends with a simplex: up to three points of M whose nearest point is near
//            the optimum, or four that seem to hold the origin. What that proves is found in double
//            by `certificate.hpp`, from the names of the points alone.
// Fails      where rounding stops progress: the simplex is then what it is, and the certificate
//            tells.
#pragma once

#include "gpu/direction_lists.hpp"
#include "gpu/relative_pose.hpp"
#include "gpu/simplex.hpp"

namespace tactum::gpu {

/// Names a support point of M: the pieces of A and B, eight bits each.
struct PieceTag {
  std::uint32_t pieces;
};
/// Names a support point of curved cores by its pieces and the direction it was found with, in the
/// frame of A, from A to B.
template <class Real>
struct DirectedTag {
  std::uint32_t pieces;
  Vector<Real> direction;
};

template <class Real>
TACTUM_HOST_DEVICE void set_tag(PieceTag& tag, std::uint32_t pieces, Vector<Real> /*direction*/) {
  tag.pieces = pieces;
}
template <class Real>
TACTUM_HOST_DEVICE void set_tag(DirectedTag<Real>& tag, std::uint32_t pieces,
                                Vector<Real> direction) {
  tag = {pieces, direction};
}
TACTUM_HOST_DEVICE Vector<double> direction_of(const PieceTag& /*tag*/) { return {0.0, 0.0, 1.0}; }
template <class Real>
TACTUM_HOST_DEVICE Vector<double> direction_of(const DirectedTag<Real>& tag) {
  return converted<double>(tag.direction);
}
/// Whether two points are certainly the same: only polyhedra can say so by numbers.
TACTUM_HOST_DEVICE bool same_point(const PieceTag& a, const PieceTag& b) {
  return a.pieces == b.pieces;
}
template <class Real>
TACTUM_HOST_DEVICE bool same_point(const DirectedTag<Real>& /*a*/, const DirectedTag<Real>& /*b*/) {
  return false;
}

template <class Real, KindSet kKinds>
struct TagOf {
  using Type = DirectedTag<Real>;
};
template <class Real, KindSet kKinds>
  requires((kKinds & ~kPolyhedra) == 0)
struct TagOf<Real, kKinds> {
  using Type = PieceTag;
};

enum class LaneState : std::uint8_t {
  searching,
  converged,    ///< no progress, or the gap is small: the simplex of one to three points is the
                ///< answer
  overlapping,  ///< four points that seem to hold the origin
  unsure        ///< too close to the origin for this precision, or out of iterations
};

/// The result of a search: the names of its points, and how it ended.
template <class Tag>
struct LaneResult {
  Tag tag_0, tag_1, tag_2, tag_3;  ///< the newest first
  int size;
  int iterations;
  LaneState state;
  /// Where it is not zero, a ball of this radius about the origin lies in M, and the first three
  /// names are those of the nearest face of the simplex (nearest_face.hpp).
  float inside;
};

template <class Real, class Tag>
struct GjkLane {
  RelativePose<Real> X_AB;
  /// Corners of the simplex, points of M, the newest first. With fewer than three, the last is
  /// repeated: an edge or a point is a flat triangle.
  Vector<Real> point_0, point_1, point_2, point_3;
  Tag tag_0, tag_1, tag_2, tag_3;
  Vector<Real> nearest;  ///< of the simplex, to the origin
  Real squared;          ///< its squared length
  Real gap;              ///< stop where the distance is known to so many metres
  int size;
  int iterations;

  /// Whether the simplex is farther from the origin than rounding or the gap can tell from zero.
  TACTUM_HOST_DEVICE bool is_apart() const { return squared > 4 * gap * gap; }
  TACTUM_HOST_DEVICE LaneResult<Tag> result(LaneState state) const {
    return {tag_0, tag_1, tag_2, tag_3, size, iterations, state, 0.0F};
  }
};

/// Begins with the line of centers. The first iteration takes the support along it.
template <class Real, class Tag>
TACTUM_HOST_DEVICE void begin(GjkLane<Real, Tag>& lane, const CoreRecord<Real>& a,
                              const CoreRecord<Real>& b, Real scale, Real tolerance) {
  const Vector<Real> line = moved_to_a(lane.X_AB, b.center) - a.center;
  const Real length = squared_norm(line);
  lane.nearest = length > 0 ? line : Vector<Real>{1, 0, 0};
  lane.squared = kLargest<Real>;
  lane.gap = larger(tolerance, 8 * kUnit<Real>) * scale;
  lane.size = 0;
  lane.iterations = 0;
}

namespace detail {

/// Puts the new point in front; the points behind it move up.
template <class Real, class Tag>
TACTUM_HOST_DEVICE void insert(GjkLane<Real, Tag>& lane, Vector<Real> point, const Tag& tag) {
  const bool is_first = lane.size == 0;
  lane.point_3 = lane.point_2;
  lane.point_2 = chosen(is_first, point, lane.point_1);
  lane.point_1 = chosen(is_first, point, lane.point_0);
  lane.point_0 = point;
  lane.tag_3 = lane.tag_2;
  lane.tag_2 = lane.tag_1;
  lane.tag_1 = lane.tag_0;
  lane.tag_0 = tag;
  ++lane.size;
}

/// Keeps the newest point and those of the two named slots (0: none) that have weight.
template <class Real, class Tag>
TACTUM_HOST_DEVICE void keep(GjkLane<Real, Tag>& lane, int slot_b, int slot_c) {
  const int first = slot_b != 0 ? slot_b : slot_c,
            second = slot_b != 0 && slot_c != 0 ? slot_c : first;
  const Vector<Real> p1 = lane.point_1, p2 = lane.point_2, p3 = lane.point_3;
  const Tag t1 = lane.tag_1, t2 = lane.tag_2, t3 = lane.tag_3;
  lane.point_1 = first == 3 ? p3 : first == 2 ? p2 : first == 1 ? p1 : lane.point_0;
  lane.tag_1 = first == 3 ? t3 : first == 2 ? t2 : t1;
  lane.point_2 = second == 3 ? p3 : second == 2 ? p2 : second == 1 ? p1 : lane.point_0;
  lane.tag_2 = second == 3 ? t3 : second == 2 ? t2 : t1;
  lane.size = first == 0 ? 1 : second == first ? 2 : 3;
}

/// Faces (0, 1, 2), (0, 2, 3), (0, 3, 1) of a tetrahedron, as bits, that may hold the point nearest
/// to the origin.
///
/// In double, all that see the origin. In single precision one: where the nearest point is inside a
/// face, the plane of that face is the farthest from the origin, and where it is on an edge of two
/// faces that see the origin, both hold it. What is left over is found by the proof. A lane that
/// tries three faces would keep its whole warp waiting.
template <class Real>
TACTUM_HOST_DEVICE unsigned faces_to_try(const TetrahedronView<Real>& view) {
  if (view.flat) return 7U;
  if constexpr (sizeof(Real) == sizeof(double)) {
    return (view.opposite_d < 0 ? 1U : 0U) | (view.opposite_b < 0 ? 2U : 0U) |
           (view.opposite_c < 0 ? 4U : 0U);
  } else {
    // minus the distances of the planes that see the origin
    const Real depth_d = smaller(view.opposite_d, Real(0)) * inverse_root(view.area_d);
    const Real depth_b = smaller(view.opposite_b, Real(0)) * inverse_root(view.area_b);
    const Real depth_c = smaller(view.opposite_c, Real(0)) * inverse_root(view.area_c);
    return depth_d <= depth_b && depth_d <= depth_c ? 1U : depth_b <= depth_c ? 2U : 4U;
  }
}

/// Reduces the simplex to the feature nearest to the origin; true when four points hold the origin,
/// `share` then tells by what margin.
template <class Real, class Tag>
TACTUM_HOST_DEVICE bool reduce(GjkLane<Real, Tag>& lane, Real& share) {
  unsigned faces = 1;
  if (lane.size == 4) {
    const TetrahedronView<Real> view = view_of_tetrahedron(lane.point_0, lane.point_1, lane.point_2,
                                                           lane.point_3);
    if (view.holds_origin()) {
      share = view.smallest_share();
      return true;
    }
    faces = faces_to_try(view);
  }
  Real squared = kLargest<Real>;
  Vector<Real> nearest = lane.nearest;
  int slot_b = 0, slot_c = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  while (faces != 0) {
    const bool first_face = (faces & 1U) != 0, second_face = (faces & 2U) != 0;
    const Vector<Real> b = first_face ? lane.point_1 : second_face ? lane.point_2 : lane.point_3;
    const Vector<Real> c = first_face ? lane.point_2 : second_face ? lane.point_3 : lane.point_1;
    const TrianglePoint<Real> found = closest_on_triangle<false>(lane.point_0, b, c);
    if (found.squared < squared) {
      squared = found.squared;
      nearest = found.point;
      slot_b = !(found.weight_b > 0) ? 0 : first_face ? 1 : second_face ? 2 : 3;
      slot_c = !(found.weight_c > 0) ? 0 : first_face ? 2 : second_face ? 3 : 1;
    }
    faces &= faces - 1;
  }
  keep(lane, slot_b, slot_c);
  lane.nearest = nearest;
  lane.squared = squared;
  return false;
}

}  // namespace detail

/// The point of M that is nearest along the direction of the lane, and its name.
template <KindSet kKinds, class Real, class Tag, class View>
TACTUM_HOST_DEVICE Vector<Real> support_of_lane(const GjkLane<Real, Tag>& lane,
                                                const CoreRecord<Real>& a,
                                                const CoreRecord<Real>& b, const View& view,
                                                Tag& tag) {
  const SupportPoint<Real> of_a = support<kKinds>(a, view, lane.nearest);
  const SupportPoint<Real> of_b = support<kKinds>(b, view, -turned_to_b(lane.X_AB, lane.nearest));
  set_tag(tag, static_cast<std::uint32_t>(of_a.piece | (of_b.piece << 8)), lane.nearest);
  return moved_to_a(lane.X_AB, of_b.point) - of_a.point;
}

/// One iteration: one support of each core, one step of the simplex.
template <KindSet kKinds, class Real, class Tag, class View>
TACTUM_HOST_DEVICE LaneState advance(GjkLane<Real, Tag>& lane, const CoreRecord<Real>& a,
                                     const CoreRecord<Real>& b, const View& view,
                                     int max_iterations) {
  Tag tag;
  const Vector<Real> direction = lane.nearest;
  const Vector<Real> point = support_of_lane<kKinds>(lane, a, b, view, tag);
  const Real along = dot(direction, point);
  if (lane.size > 0) {
    const Real length = std::sqrt(lane.squared);
    const bool known = (same_point(tag, lane.tag_0)) ||
                       (lane.size > 1 && same_point(tag, lane.tag_1)) ||
                       (lane.size > 2 && same_point(tag, lane.tag_2));
    if (known || lane.squared - along <= lane.gap * length) return LaneState::converged;
  }
  const Real before = lane.squared;
  detail::insert(lane, point, tag);
  ++lane.iterations;
  Real share = 0;
  if (detail::reduce(lane, share)) return LaneState::overlapping;
  if (!lane.is_apart() || lane.iterations >= max_iterations) return LaneState::unsure;
  return lane.squared < before ? LaneState::searching : LaneState::converged;
}

}  // namespace tactum::gpu
