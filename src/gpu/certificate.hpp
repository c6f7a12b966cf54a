// SPDX-License-Identifier: BSD-2-Clause
// What the simplex of a search proves, in double precision: a normal, two points, a lower and an
// upper bound of the signed distance.
//
// Nothing of the search is believed but the names of its points. They are points of the shapes;
// formed again in double, they give
//   apart two points p_A, p_B of the cores: upper = |p_B - p_A|; a unit normal n from the nearest
//   feature; lower = separation of the cores along n,
//                by one exact support of each;
//   overlapping a tetrahedron inside M = B - A that holds the origin with a margin: upper = -(its
//   smallest distance from a face), n = the inward normal of
//                that face, lower = separation along n, which is negative.
// The swept radii are then taken off both. Rounding moves a bound by less than kBoundSlack times
// the scale of the pair. So lower <= true distance <= upper always, and the status says whether
// they are as close as asked.
#pragma once

#include "gpu/gjk_lane.hpp"
#include "tactum/status.hpp"

namespace tactum::gpu {

/// as on the CPU
inline constexpr double kContactBand = 64.0 * std::numeric_limits<double>::epsilon();
inline constexpr double kBoundSlack = 16.0 * std::numeric_limits<double>::epsilon();

/// Vectors shorter than this have squares that underflow: they have no direction.
inline constexpr double kSmallestNormal = 1e-140;

/// The answer for one pair, in the frame of A.
struct PairAnswer {
  Status status;
  double distance;
  Vector<double> normal;   ///< unit, from A to B
  Vector<double> point_a;  ///< on A
  Vector<double> point_b;  ///< on B, in the frame of A
  double lower, upper;
  int iterations;
  bool overlapping;  ///< proved to overlap, though the depth may be known to its bounds alone
};

/// Both shapes, the pose of B in the frame of A, and the length that tolerances are relative to.
struct DoublePair {
  CoreRecord<double> a, b;
  RelativePose<double> X_AB;
  double scale;
  double tolerance;  ///< relative to the scale
};

TACTUM_HOST_DEVICE double pair_scale(const CoreRecord<double>& a, const CoreRecord<double>& b,
                                     Vector<double> translation) {
  const double size_a = a.kind == CoreKind::half_space ? std::fabs(a.offset) : a.reach + a.radius;
  const double size_b = b.kind == CoreKind::half_space ? std::fabs(b.offset) : b.reach + b.radius;
  return larger(norm(translation), larger(size_a, size_b));
}

/// The answer for a row that cannot be computed.
TACTUM_HOST_DEVICE PairAnswer refused_answer() {
  return {Status::invalid_input,
          0.0,
          {0.0, 0.0, 1.0},
          {0.0, 0.0, 0.0},
          {0.0, 0.0, 0.0},
          -kInfinity,
          kInfinity,
          0,
          false};
}

namespace detail {

/// Two points of the cores and their difference, in the frame of A.
struct CornerPair {
  Vector<double> on_a, on_b, point;
};

/// `pair` is a DoublePair, or names the same members.
template <KindSet kKinds, class Pair, class Tag, class View>
TACTUM_HOST_DEVICE CornerPair corner_of(const Pair& pair, const View& view, const Tag& tag) {
  const Vector<double> direction = direction_of(tag);
  const auto piece_a = static_cast<std::int32_t>(tag.pieces & 0xFFU),
             piece_b = static_cast<std::int32_t>((tag.pieces >> 8) & 0xFFU);
  const Vector<double> on_a = piece_point<kKinds>(pair.a, view, piece_a, direction);
  const Vector<double> on_b = moved_to_a(
      pair.X_AB, piece_point<kKinds>(pair.b, view, piece_b, -turned_to_b(pair.X_AB, direction)));
  return {on_a, on_b, on_b - on_a};
}

/// Separation of the cores along the unit vector, and the two points that bound it.
struct Separation {
  double value;
  Vector<double> on_a, on_b;
};

/// `on_a` and `on_b` are any points of the cores, in the frame of A: the nearer to the answer, the
/// less there is to look at.
template <KindSet kKinds, class View>
TACTUM_HOST_DEVICE Separation separation_along(const DoublePair& pair, const View& view,
                                               Vector<double> normal, Vector<double> on_a,
                                               Vector<double> on_b) {
  const Vector<double> farthest_a =
      exact_support<kKinds>(pair.a, view, normal, dot(normal, on_a)).point;
  const double floor_b = dot(normal, pair.X_AB.translation - on_b);
  const Vector<double> farthest_b = moved_to_a(
      pair.X_AB,
      exact_support<kKinds>(pair.b, view, -turned_to_b(pair.X_AB, normal), floor_b).point);
  return {dot(normal, farthest_b - farthest_a), farthest_a, farthest_b};
}

/// The separation along a normal where no points of the cores are known.
template <KindSet kKinds, class View>
TACTUM_HOST_DEVICE Separation separation_along(const DoublePair& pair, const View& view,
                                               Vector<double> normal) {
  const Vector<double> farthest_a = exact_support<kKinds>(pair.a, view, normal).point;
  const Vector<double> farthest_b = moved_to_a(
      pair.X_AB, exact_support<kKinds>(pair.b, view, -turned_to_b(pair.X_AB, normal)).point);
  return {dot(normal, farthest_b - farthest_a), farthest_a, farthest_b};
}

/// The status that the bounds of a distance prove.
TACTUM_HOST_DEVICE Status status_of_bounds(double lower, double upper, double distance,
                                           double scale, double tolerance) {
  if (!(upper - lower <= tolerance * scale)) return Status::not_converged;
  // a sign is claimed only where the bounds prove it
  const double band = kContactBand * scale;
  return lower > 0.0 && distance > band    ? Status::separated
         : upper < 0.0 && distance < -band ? Status::penetrating
                                           : Status::touching;
}

/// Status from the bounds alone, and the swept radii.
TACTUM_HOST_DEVICE PairAnswer answer_of(const DoublePair& pair, double distance,
                                        Vector<double> normal, Vector<double> on_a,
                                        Vector<double> on_b, double lower, double upper,
                                        int iterations) {
  const double radii = pair.a.radius + pair.b.radius, slack = kBoundSlack * pair.scale;
  PairAnswer answer{Status::not_converged,
                    distance - radii,
                    normal,
                    on_a + pair.a.radius * normal,
                    on_b - pair.b.radius * normal,
                    lower - radii - slack,
                    upper - radii + slack,
                    iterations,
                    false};
  answer.overlapping = answer.upper < 0.0;
  // where rounding crosses the bounds, the distance lies between them all the same
  answer.distance = larger(answer.lower, smaller(answer.upper, answer.distance));
  answer.status = status_of_bounds(answer.lower, answer.upper, answer.distance, pair.scale,
                                   pair.tolerance);
  return answer;
}

/// A normal and two points from a simplex, before the normal is tried on the whole shapes. Where
/// the simplex is the nearest face of four points that hold the origin, the normal points to the
/// origin.
struct Candidate {
  Vector<double> normal;  ///< unit
  Vector<double> on_a, on_b;
  double upper;  ///< proved: the distance of the points
};

template <KindSet kKinds, class Tag, class View>
TACTUM_HOST_DEVICE Candidate candidate_apart(const DoublePair& pair, const View& view,
                                             const LaneResult<Tag>& result) {
  const bool inside = result.state == LaneState::overlapping;
  const CornerPair a = corner_of<kKinds>(pair, view, result.tag_0);
  const CornerPair b = result.size > 1 ? corner_of<kKinds>(pair, view, result.tag_1) : a;
  const CornerPair c = result.size > 2 ? corner_of<kKinds>(pair, view, result.tag_2) : b;
  const TrianglePoint<double> nearest = closest_on_triangle<true>(a.point, b.point, c.point);
  const double weight_a = 1.0 - nearest.weight_b - nearest.weight_c;
  const Vector<double> on_a = weight_a * a.on_a + nearest.weight_b * b.on_a +
                              nearest.weight_c * c.on_a;
  const Vector<double> on_b = weight_a * a.on_b + nearest.weight_b * b.on_b +
                              nearest.weight_c * c.on_b;
  // a face has a normal of its own, good however near the origin is
  const bool by_face = inside || nearest.on_face;
  const Vector<double> along = by_face ? nearest.normal : nearest.point;
  const double length = norm(along);
  const double sign = by_face && (dot(nearest.normal, a.point) < 0.0) != inside ? -1.0 : 1.0;
  const Vector<double> normal = length > kSmallestNormal ? (sign / length) * along
                                                         : Vector<double>{0.0, 0.0, 1.0};
  return {normal, on_a, on_b, norm(on_b - on_a)};
}

/// Inward unit normal and distance of the nearest face of a tetrahedron that contains the
/// origin.
struct NearestFace {
  Vector<double> inward;
  double distance;
  double proved;  ///< no face is nearer than this, whatever rounding did to the normals of thin
                  ///< ones
  int opposite;   ///< the corner that is not of this face
};

TACTUM_HOST_DEVICE void see_face(NearestFace& best, int opposite, Vector<double> a,
                                 Vector<double> b, Vector<double> c) {
  const Vector<double> ab = b - a, ac = c - a, normal = cross(ab, ac);
  const double length = norm(normal);
  if (!(length > kSmallestNormal)) {
    best.proved = smaller(best.proved, 0.0);
    return;
  }
  const double unit = 1.0 / length;
  const double offset = unit * dot(normal, a), distance = std::fabs(offset);
  // each component of the product is right to three units of the lengths of its factors
  const double rounding = 8.0 * kUnit<double> *
                          std::sqrt(squared_norm(ab) * squared_norm(ac) * squared_norm(a)) * unit;
  best.proved = smaller(best.proved, distance - rounding);
  if (distance < best.distance)
    best = {(offset > 0.0 ? -unit : unit) * normal, distance, best.proved, opposite};
}

/// Judges four points of M that seem to hold the origin.
struct OverlapView {
  NearestFace face;
  bool proved;  ///< they do hold it, whatever rounding did
};

template <KindSet kKinds, class Tag, class View>
TACTUM_HOST_DEVICE OverlapView view_of_overlap(const DoublePair& pair, const View& view,
                                               const LaneResult<Tag>& result) {
  OverlapView seen{{{0.0, 0.0, 1.0}, kLargest<double>, kLargest<double>, 3}, false};
  const Vector<double> a = corner_of<kKinds>(pair, view, result.tag_0).point,
                       b = corner_of<kKinds>(pair, view, result.tag_1).point;
  const Vector<double> c = corner_of<kKinds>(pair, view, result.tag_2).point,
                       d = corner_of<kKinds>(pair, view, result.tag_3).point;
  see_face(seen.face, 3, a, b, c);
  see_face(seen.face, 1, a, c, d);
  see_face(seen.face, 2, a, d, b);
  see_face(seen.face, 0, b, d, c);
  // corners are at most three scales away and their differences six, each right to ten rounding
  // units of a scale: a determinant errs by less
  seen.proved = view_of_tetrahedron(a, b, c, d).smallest_share() >
                4096.0 * kUnit<double> * pair.scale * pair.scale * pair.scale;
  return seen;
}

/// The points of the cores that belong to the point of the face nearest to the origin.
template <KindSet kKinds, class Tag, class View>
TACTUM_HOST_DEVICE Candidate candidate_on_face(const DoublePair& pair, const View& view,
                                               const LaneResult<Tag>& result,
                                               const OverlapView& seen) {
  const CornerPair a = corner_of<kKinds>(pair, view,
                                         seen.face.opposite == 0 ? result.tag_3 : result.tag_0);
  const CornerPair b = corner_of<kKinds>(pair, view,
                                         seen.face.opposite == 1 ? result.tag_3 : result.tag_1);
  const CornerPair c = corner_of<kKinds>(pair, view,
                                         seen.face.opposite == 2 ? result.tag_3 : result.tag_2);
  const TrianglePoint<double> nearest = closest_on_triangle<true>(a.point, b.point, c.point);
  const double weight_a = 1.0 - nearest.weight_b - nearest.weight_c;
  const Vector<double> on_a = weight_a * a.on_a + nearest.weight_b * b.on_a +
                              nearest.weight_c * c.on_a;
  const Vector<double> on_b = weight_a * a.on_b + nearest.weight_b * b.on_b +
                              nearest.weight_c * c.on_b;
  return {seen.face.inward, on_a, on_b, norm(on_b - on_a)};
}

}  // namespace detail

/// Whether a search in higher precision could say more: the bounds are too wide, or they leave the
/// sign open. Where overlap is proved, a search has nothing to add.
TACTUM_HOST_DEVICE bool wants_more(const PairAnswer& answer) {
  return !answer.overlapping &&
         (answer.status == Status::not_converged || answer.status == Status::touching);
}

/// Bounds of a depth this near to each other, relative to the scale, may belong to the deepest
/// face: `certified_overlap` then looks.
inline constexpr double kNearlyFound = 1e-3;

/// The proved answer of a search that has ended with up to three points, or with four of which the
/// first three are the nearest face and a ball inside is known: the depth is then bounded by that
/// ball and by the separation along the normal of the face. One function for both, so that lanes
/// with rows of either sort work in step.
template <KindSet kKinds, class Tag, class View>
TACTUM_HOST_DEVICE PairAnswer certified_by_face(const DoublePair& pair, const View& view,
                                                const LaneResult<Tag>& result) {
  const bool inside = result.state == LaneState::overlapping;
  const detail::Candidate found = detail::candidate_apart<kKinds>(pair, view, result);
  const detail::Separation separation = detail::separation_along<kKinds>(pair, view, found.normal,
                                                                         found.on_a, found.on_b);
  const double upper = inside ? -static_cast<double>(result.inside) : found.upper;
  PairAnswer answer = detail::answer_of(pair, inside ? separation.value : found.upper, found.normal,
                                        chosen(inside, separation.on_a, found.on_a),
                                        chosen(inside, separation.on_b, found.on_b),
                                        separation.value, upper, result.iterations);
  if (inside) answer.status = Status::not_converged;
  return answer;
}

/// Whether `certified_overlap` could say more than the bounds by a face do.
TACTUM_HOST_DEVICE bool may_be_deepest(const DoublePair& pair, const PairAnswer& answer) {
  return !answer.overlapping ||
         answer.upper - answer.lower <= larger(kNearlyFound, pair.tolerance) * pair.scale;
}

/// The proved answer of a search that has ended with four points, which seem to hold the origin.
template <KindSet kKinds, class Tag, class View>
TACTUM_HOST_DEVICE PairAnswer certified_overlap(const DoublePair& pair, const View& view,
                                                const LaneResult<Tag>& result) {
  const detail::OverlapView seen = detail::view_of_overlap<kKinds>(pair, view, result);
  const Vector<double> normal = seen.face.inward;
  const detail::Separation separation = detail::separation_along<kKinds>(pair, view, normal);
  const double allowed = pair.tolerance * pair.scale, inside = -larger(seen.face.proved, 0.0);
  if (!seen.proved || inside - separation.value <= allowed) {
    const detail::Candidate found = detail::candidate_on_face<kKinds>(pair, view, result, seen);
    if (!seen.proved) {
      return detail::answer_of(pair, found.upper, normal, found.on_a, found.on_b, separation.value,
                               found.upper, result.iterations);
    }
    // the depth is that of the face where the face belongs to M and the projection of the origin
    // lies on it
    const double depth = -dot(normal, found.on_b - found.on_a);
    if (found.upper <= depth + allowed) {
      return detail::answer_of(pair, -depth, normal, found.on_a, found.on_b, separation.value,
                               inside, result.iterations);
    }
  }
  // else the separation along its normal is the best that is known
  PairAnswer answer = detail::answer_of(pair, separation.value, normal, separation.on_a,
                                        separation.on_b, separation.value, inside,
                                        result.iterations);
  answer.status = Status::not_converged;
  return answer;
}

/// The proved answer of a search that has ended.
template <KindSet kKinds, class Tag, class View>
TACTUM_HOST_DEVICE PairAnswer certified(const DoublePair& pair, const View& view,
                                        const LaneResult<Tag>& result) {
  return result.state == LaneState::overlapping ? certified_overlap<kKinds>(pair, view, result)
                                                : certified_by_face<kKinds>(pair, view, result);
}

/// A half-space against anything else: one support of the other shape.
template <KindSet kKinds, class View>
TACTUM_HOST_DEVICE PairAnswer half_space_answer(const DoublePair& pair, const View& view) {
  constexpr KindSet kOther = kKinds & ~set_of(CoreKind::half_space);
  if (pair.a.kind == CoreKind::half_space) {
    const Vector<double> normal = pair.a.size;
    const Vector<double> on_b = moved_to_a(
        pair.X_AB, exact_support<kOther>(pair.b, view, -turned_to_b(pair.X_AB, normal)).point);
    const double distance = dot(normal, on_b) - pair.a.offset;
    return detail::answer_of(pair, distance, normal, on_b - distance * normal, on_b, distance,
                             distance, 0);
  }
  const Vector<double> outward = turned_to_a(pair.X_AB, pair.b.size);
  const Vector<double> on_a = exact_support<kOther>(pair.a, view, -outward).point;
  const double distance = dot(outward, on_a - pair.X_AB.translation) - pair.b.offset;
  return detail::answer_of(pair, distance, -outward, on_a, on_a - distance * outward, distance,
                           distance, 0);
}

}  // namespace tactum::gpu
