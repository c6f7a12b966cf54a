// SPDX-License-Identifier: BSD-2-Clause
// What a polytope of named points proves about the depth of a pair, in double precision.
//
// Let the faces, one or more, be a closed surface: every edge from u to v belongs to one face, and
// that from v to u to another. Where each face, formed again in double from the names of its
// corners, has the origin behind it at a distance of at least r, seen from outside, the surface
// winds around the origin, and no point of it is nearer than r. So the ball of radius r about the
// origin lies in the hull of the corners and thus in M = B - A: the depth is r or more. No
// convexity is asked for. A warp finds r and the nearest face. The rest needs one lane, so that 32
// pairs end at once: the separation along the normal of that face, by exact supports, bounds the
// depth from above, and where both agree, the projection of the origin on the face gives the two
// points.
#pragma once

#include "gpu/depth_polytope.hpp"

namespace tactum::gpu {

/// The face of a polytope that a warp found deepest.
template <class Tag>
struct DeepestFace {
  double inside;  ///< radius of a ball about the origin that is proved to lie in M; not positive:
                  ///< nothing is proved
  Tag tag_0, tag_1, tag_2;  ///< corners of the nearest face, counterclockwise seen from outside
  int iterations;
};

/// The pair in double, as a warp reads it from shared memory.
struct PairView {
  const CoreRecord<double>& a;
  const CoreRecord<double>& b;
  const RelativePose<double>& X_AB;
};

namespace detail {

/// Three corners of a face in double, and the normal that they span.
struct ExactFace {
  Vector<double> a, ab, ac, normal;

  TACTUM_HOST_DEVICE ExactFace(Vector<double> p, Vector<double> q, Vector<double> r)
      : a(p), ab(q - p), ac(r - p), normal(cross(ab, ac)) {}

  /// Its distance from the origin, less what rounding can do to the normal: each component of a
  /// product is right to three units of the lengths of its factors.
  TACTUM_HOST_DEVICE double proved_offset() const {
    const double squared = squared_norm(normal);
    if (!(squared > kSmallestNormal * kSmallestNormal)) return -kLargest<double>;
    const double spread = squared_norm(ab) * squared_norm(ac) * squared_norm(a);
    return (dot(normal, a) - 8.0 * kUnit<double> * std::sqrt(spread)) / std::sqrt(squared);
  }
  /// Whether its plane is as far from the origin as another one, within rounding.
  TACTUM_HOST_DEVICE bool is_as_far(double offset) const {
    const double height = dot(normal, a), length = norm(normal);
    return std::fabs(height - offset * length) <= kBoundSlack * length * norm(a);
  }
  /// How far inside the face the projection of the origin is, as an area: negative where it is
  /// outside.
  TACTUM_HOST_DEVICE double projection_share() const {
    const Vector<double> b = a + ab, c = a + ac;
    return smaller(dot(normal, cross(a, b)),
                   smaller(dot(normal, cross(b, c)), dot(normal, cross(c, a))));
  }
};

template <class Polytope>
TACTUM_HOST_DEVICE ExactFace exact_face(const Polytope& polytope, const Vector<double>* points,
                                        int at) {
  const std::uint32_t corners = polytope.faces[at];
  return {points[corner_in(corners, 0)], points[corner_in(corners, 1)],
          points[corner_in(corners, 2)]};
}

/// Whether any edge of a face answers yes to the question (from, to).
template <class Warp, class Polytope, class Question>
TACTUM_WARP_CODE bool any_edge(const Warp& warp, const Polytope& polytope, int num_rounds,
                               Question question) {
  return warp.ballot([&](int lane) {
    bool found = false;
    TACTUM_NOT_UNROLLED
    for (int round = 0; round < num_rounds; ++round) {
      const std::uint32_t corners = polytope.faces[lane + round * kWarpLanes];
      if (corners == Polytope::kNoFace) continue;
      for (int i = 0; i < 3; ++i)
        found = question(corner_in(corners, i), corner_in(corners, (i + 1) % 3)) || found;
    }
    return found;
  }) != 0;
}

/// Whether the faces are a closed surface: no edge twice, and each with its reverse.
template <class Warp, class Polytope>
TACTUM_WARP_CODE bool is_closed(const Warp& warp, Polytope& polytope, const PolytopeSize& size) {
  warp.each([&](int lane) { polytope.clear_edges(lane); });
  const bool twice = any_edge(warp, polytope, size.num_rounds, [&](int from, int to) {
    return Warp::set_bit(polytope.edges[from][to / kWarpLanes], to % kWarpLanes);
  });
  warp.each([](int /*lane*/) {});
  const bool open = any_edge(warp, polytope, size.num_rounds,
                             [&](int from, int to) { return !polytope.has_edge(to, from); });
  return !twice && !open;
}

/// The face with the largest value.
template <class Warp, class Polytope, class Value>
TACTUM_WARP_CODE Best<double> largest_of_faces(const Warp& warp, const Polytope& polytope,
                                               int num_rounds, Value value) {
  return warp.template largest<double>([&](int lane) {
    Best<double> mine{-kLargest<double>, lane};
    TACTUM_NOT_UNROLLED
    for (int face = lane; face < num_rounds * kWarpLanes; face += kWarpLanes) {
      if (polytope.faces[face] == Polytope::kNoFace) continue;
      const double of_face = value(face);
      if (of_face > mine.value) mine = {of_face, face};
    }
    return mine;
  });
}

}  // namespace detail

/// The ball that is proved to lie in the polytope, and the face that bounds it: the last nearest
/// one of the search, beyond which there is nothing, where it is as near as the nearest of all but
/// for `allowed`. Of faces in one plane, the one that holds the projection of the origin. `points`
/// is room for the corners in double.
template <KindSet kKinds, class Warp, class Polytope, int kReplicas>
TACTUM_WARP_CODE DeepestFace<typename Polytope::Tag> deepest_face(
    const Warp& warp, Polytope& polytope, const PolytopeSize& size, const PairView& pair,
    const VertexView<kReplicas>& view, Vector<double>* points, double allowed) {
  warp.each([&](int lane) {
    TACTUM_NOT_UNROLLED
    for (int i = lane; i < size.num_corners; i += kWarpLanes)
      points[i] = detail::corner_of<kKinds>(pair, view, polytope.tags[i]).point;
  });
  const bool closed = detail::is_closed(warp, polytope, size);
  const Best<double> nearest = detail::largest_of_faces(
      warp, polytope, size.num_rounds,
      [&](int face) { return -detail::exact_face(polytope, points, face).proved_offset(); });
  // no face at all is a closed surface too, but none around the origin
  const bool around = closed && nearest.value > -kLargest<double>;
  const double inside = around ? -nearest.value : -kLargest<double>;
  if (!(inside > 0.0)) return {-kLargest<double>, {}, {}, {}, 0};
  double offset = kLargest<double>;
  if (size.state == PolytopeState::converged) {
    const detail::ExactFace last = detail::exact_face(polytope, points, size.nearest);
    offset = dot(last.normal, last.a) / norm(last.normal);
  }
  if (offset > inside + allowed) {
    const detail::ExactFace best = detail::exact_face(polytope, points, nearest.name);
    offset = dot(best.normal, best.a) / norm(best.normal);
  }
  const Best<double> chosen = detail::largest_of_faces(
      warp, polytope, size.num_rounds, [&](int face) {
        const detail::ExactFace exact = detail::exact_face(polytope, points, face);
        return exact.is_as_far(offset) ? exact.projection_share() : -kLargest<double>;
      });
  const std::uint32_t corners = polytope.faces[chosen.name];
  return {inside, polytope.tags[corner_in(corners, 0)], polytope.tags[corner_in(corners, 1)],
          polytope.tags[corner_in(corners, 2)], size.num_corners - 4};
}

/// The answer that the nearest face of a polytope proves, in the frame of A. Where it proves no
/// overlap, the status is not_converged and `overlapping` is false.
template <KindSet kKinds, class Tag, int kReplicas>
TACTUM_HOST_DEVICE PairAnswer certified_depth(const DoublePair& pair,
                                              const VertexView<kReplicas>& view,
                                              const DeepestFace<Tag>& found, int iterations) {
  PairAnswer answer = refused_answer();
  answer.status = Status::not_converged;
  if (!(found.inside > 0.0)) return answer;
  const detail::CornerPair a = detail::corner_of<kKinds>(pair, view, found.tag_0),
                           b = detail::corner_of<kKinds>(pair, view, found.tag_1),
                           c = detail::corner_of<kKinds>(pair, view, found.tag_2);
  const TrianglePoint<double> nearest = closest_on_triangle<true>(a.point, b.point, c.point);
  const double weight_a = 1.0 - nearest.weight_b - nearest.weight_c;
  const Vector<double> on_a = weight_a * a.on_a + nearest.weight_b * b.on_a +
                              nearest.weight_c * c.on_a;
  const Vector<double> on_b = weight_a * a.on_b + nearest.weight_b * b.on_b +
                              nearest.weight_c * c.on_b;
  const Vector<double> normal = (-1.0 / norm(nearest.normal)) * nearest.normal;
  const detail::Separation separation = detail::separation_along<kKinds>(pair, view, normal, on_a,
                                                                         on_b);
  const double depth = -dot(normal, on_b - on_a);
  iterations += found.iterations;
  if (norm(on_b - on_a) <= depth + pair.tolerance * pair.scale) {
    answer = detail::answer_of(pair, -depth, normal, on_a, on_b, separation.value, -found.inside,
                               iterations);
    if (answer.status != Status::not_converged) return answer;
  }
  // else the separation along the normal is the best that is known
  answer = detail::answer_of(pair, separation.value, normal, separation.on_a, separation.on_b,
                             separation.value, -found.inside, iterations);
  answer.status = Status::not_converged;
  return answer;
}

/// Room for one polytope in shared memory.
template <class Polytope>
struct DepthRoom {
  Polytope polytope;
  Vector<double> points[Polytope::kCorners];
};

/// In single precision, for most pairs of hulls; in double, with more corners, for what that leaves
/// open.
template <class Real, KindSet kKinds>
struct DepthRoomOf {
  static constexpr int kRounds = sizeof(Real) == sizeof(float) ? 2 : 8;
  using Tag = typename TagOf<Real, kKinds>::Type;
  using Type = DepthRoom<DepthPolytope<Real, Tag, kRounds>>;
};

/// The polytope of a pair whose cores seem to overlap, from the four points that its search ended
/// with. `a` and `b` are its shapes in the precision of the polytope; the tolerance is relative to
/// the scale.
template <class Real, KindSet kKinds, class Warp, class Room, class SearchTag, int kReplicas>
TACTUM_WARP_CODE auto grown_polytope(const Warp& warp, Room& room, const PairView& exact,
                                     double scale, double tolerance, const CoreRecord<Real>& a,
                                     const CoreRecord<Real>& b, const VertexView<kReplicas>& view,
                                     const LaneResult<SearchTag>& result) {
  WarpPair<Warp, Real, kReplicas> pair{a,
                                       b,
                                       view,
                                       converted<Real>(exact.X_AB),
                                       static_cast<Real>(scale),
                                       static_cast<Real>(0.5 * tolerance),
                                       {},
                                       {}};
  keep_vertices<kKinds>(warp, pair);
  PolytopeSize size = begin_polytope<kKinds>(warp, room.polytope, pair, exact, result);
  while (size.state == PolytopeState::growing)
    grow_polytope<kKinds>(warp, room.polytope, size, pair);
  return deepest_face<kKinds>(warp, room.polytope, size, exact, view, room.points,
                              0.25 * tolerance * scale);
}

}  // namespace tactum::gpu
