// SPDX-License-Identifier: BSD-2-Clause
// Direct forms: pairs that are solved from the poses in the world to an answer, without a change of
// frame for the pair.
//
// A point or a segment is rotated by one product, so spheres and capsules among themselves and
// against primitives and ellipsoids need no more; boxes, ellipsoids, curved primitives and hulls
// against spheres change the frame once, inline. The numbers are the same at every SIMD level.
//
// Proof      every answer has bounds within 16 eps of the scale, from a closed form
//            (segment_pair.hpp, point_primitive.hpp, segment_primitive.hpp, point_ellipsoid.hpp,
//            box_box.hpp), a walk (hull_pair.hpp) or Newton (curved_pair.hpp), and its own check;
//            overlapping ellipsoids within 2e-13 (ellipsoid_pair.hpp) and curved primitives within
//            56 eps (core_distance.hpp), for tolerances that allow it.
// Fails      poses that are not exact, origins that meet, cores of capsules that meet or nearly do,
//            overlaps without a proof, points on an axis. The query then continues in the frame of
//            A; a failure costs only time.
// Saves      1.3 (boxes) to 7.3 times (spheres) the time of the closed forms in the frame of A:
//            docs/decisions/0023-one-road.md.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "narrow/formula/point_ellipsoid.hpp"
#include "narrow/formula/segment_pair.hpp"
#include "narrow/pair/pair_answer.hpp"
#include "narrow/pairs/box_box.hpp"
#include "narrow/pairs/closed_forms.hpp"
#include "narrow/pairs/ellipsoid_pair.hpp"
#include "narrow/pairs/hull_pair.hpp"

namespace tactum::direct {

/// Largest orthonormality error of the rotations for which formulas in the axes of the world match
/// those in the frame of A to rounding. A product of two rotations and a rotation from a quaternion
/// have less.
constexpr double kExactInWorld = 4e-15;

/// Spheres are rotation-invariant and accept every pose that a query uses without correction.
constexpr double kExactOfSpheres = 1e-12;

/// Whether the core is a point at the origin of its frame, tested on the bits of its numbers.
[[gnu::always_inline]] inline bool is_ball(const CoreShape& core) {
  return std::bit_cast<std::uint64_t>(core.bounding_radius) ==
         std::bit_cast<std::uint64_t>(core.radius);
}

[[gnu::always_inline]] inline Double3 from_a_to_b(const Pose& X_WA, const Pose& X_WB) {
  return to_double3(X_WB.translation) - to_double3(X_WA.translation);
}

/// Computes the scale of a pair of bounded shapes. False where the origins coincide; else the
/// squares of the lengths neither underflow nor overflow.
[[gnu::always_inline]] inline bool find_scale(const CoreShape& a, const CoreShape& b, Double3 t,
                                              double& scale) {
  const double squared = t.squared_norm();
  scale = std::max(std::sqrt(squared), std::max(a.bounding_radius, b.bounding_radius));
  return squared > 1e-280;
}

/// Whether the core is a segment on the z axis about the origin, as the core of every capsule is.
[[gnu::always_inline]] inline bool is_on_axis(const CoreShape& core) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  return (bits(core.size.x()) | bits(core.size.y()) | bits(core.center.x()) |
          bits(core.center.y()) | bits(core.center.z())) == 0;
}

/// The constants that most pairs of kinds share. Each struct below is one pair: it derives from
/// this one, states the constants in which it differs, and adds kAxes, kBaseA and kBaseB, the axes
/// of the normal and the bases of the points (pair_answer.hpp).
struct CommonForm {
  /// Largest orthonormality error of the rotations.
  static constexpr double kExactness = kExactInWorld;
  /// Proved gap relative to the scale, where it is more than rounding; else zero.
  static constexpr double kGap = 0.0;
  /// Answers in the frame of A the queries that solve() refuses; null: iterations do.
  static constexpr ClosedForm* kClosedForm = nullptr;
  /// How collide() decides the pair.
  static constexpr CollideBy kCollideBy = CollideBy::distance;
  /// Whether solve() does not trap with any numbers below 2 for rotations, so that these may be
  /// checked afterwards.
  static constexpr bool kIsRobust = false;
};

/// Two capsules.
struct Capsules : CommonForm {
  static constexpr ClosedForm* kClosedForm = solve_segments;
  static constexpr bool kIsRobust = true;
  static constexpr Axes kAxes = Axes::world;
  static constexpr Base kBaseA = Base::axis_a, kBaseB = Base::axis_b;

  [[gnu::always_inline]] static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                           const Pose& X_WB, PairAnswer& answer) {
    if (!is_on_axis(a) || !is_on_axis(b)) return false;
    const Double3 t = from_a_to_b(X_WA, X_WB), e = to_double3(X_WA.rotation.col(2)),
                  f = to_double3(X_WB.rotation.col(2));
    if (!find_scale(a, b, t, answer.scale)) return false;
    SegmentPairAnswer nearest;
    if (!solve_segment_pair(e, a.size.z(), f, b.size.z(), t, answer.scale, nearest)) return false;
    answer.distance = answer.upper = nearest.upper;
    answer.lower = nearest.lower;
    answer.inverse = nearest.inverse;
    answer.along = nearest.separation;
    answer.on_axis_a = nearest.s;
    answer.on_axis_b = nearest.t;
    answer.step_a = a.radius;
    answer.step_b = -b.radius;
    return true;
  }
};

/// A sphere and a capsule.
template <bool ball_is_a>
struct SphereCapsule : CommonForm {
  static constexpr ClosedForm* kClosedForm = solve_segments;
  static constexpr bool kIsRobust = true;
  static constexpr Axes kAxes = Axes::world;
  static constexpr Base kBaseA = ball_is_a ? Base::center_a : Base::axis_a,
                        kBaseB = ball_is_a ? Base::axis_b : Base::center_b;

  [[gnu::always_inline]] static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                           const Pose& X_WB, PairAnswer& answer) {
    const CoreShape &ball = ball_is_a ? a : b, &capsule = ball_is_a ? b : a;
    const Pose &X_ball = ball_is_a ? X_WA : X_WB, &X_capsule = ball_is_a ? X_WB : X_WA;
    if (!is_ball(ball) || !is_on_axis(capsule)) return false;
    const Double3 r = from_a_to_b(X_ball, X_capsule), f = to_double3(X_capsule.rotation.col(2));
    if (!find_scale(a, b, r, answer.scale)) return false;
    SegmentPairAnswer nearest;
    if (!solve_point_segment(f, capsule.size.z(), r, answer.scale, nearest)) return false;
    answer.distance = answer.upper = nearest.upper;
    answer.lower = nearest.lower;
    answer.inverse = nearest.inverse;
    answer.along = ball_is_a ? nearest.separation : -nearest.separation;
    answer.on_axis_a = answer.on_axis_b = nearest.t;
    answer.step_a = a.radius;
    answer.step_b = -b.radius;
    return true;
  }
};

/// Two spheres whose centers are not too close to each other. The separation along n = t / |t| is
/// |t|.
struct Spheres : CommonForm {
  static constexpr double kExactness = kExactOfSpheres;
  static constexpr ClosedForm* kClosedForm = solve_points;
  static constexpr bool kIsRobust = true;
  static constexpr Axes kAxes = Axes::centers;
  static constexpr Base kBaseA = Base::center_a, kBaseB = Base::center_b;

  [[gnu::always_inline]] static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                           const Pose& X_WB, PairAnswer& answer) {
    if (!is_ball(a) || !is_ball(b)) return false;
    const Double3 t = from_a_to_b(X_WA, X_WB);
    const double squared = t.squared_norm(), size = std::max(a.radius, b.radius);
    if (!(squared > std::max(1e-280, 1e-6 * size * size))) return false;
    answer.lower = answer.upper = answer.distance = std::sqrt(squared);
    answer.inverse = answer.distance * (1.0 / squared);
    answer.scale = std::max(answer.distance, size);
    answer.step_a = a.radius;
    answer.step_b = -b.radius;
    return true;
  }
};

/// A sphere and a primitive. The center of the sphere lies at the distance found from the nearest
/// point of the primitive, along the normal.
template <class PointPrimitive, bool ball_is_a>
struct SpherePrimitive : CommonForm {
  static constexpr ClosedForm* kClosedForm = std::is_same_v<PointPrimitive, PointEllipsoid>
                                                 ? static_cast<ClosedForm*>(solve_ellipsoids)
                                             : ball_is_a ? solve_point_primitive
                                                         : solve_primitive_point;
  static constexpr CollideBy kCollideBy = CollideBy::direct_then_search;
  static constexpr bool kIsRobust = true;
  static constexpr Axes kAxes = ball_is_a ? Axes::frame_b : Axes::frame_a;
  static constexpr Base kBaseA = ball_is_a ? Base::center_a : Base::center_b, kBaseB = kBaseA;

  [[gnu::always_inline]] static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                           const Pose& X_WB, PairAnswer& answer) {
    const CoreShape &ball = ball_is_a ? a : b, &primitive = ball_is_a ? b : a;
    const Pose &X_ball = ball_is_a ? X_WA : X_WB, &X_primitive = ball_is_a ? X_WB : X_WA;
    if (!is_ball(ball)) return false;
    const Double3 to_ball = from_a_to_b(X_primitive, X_ball);
    if (!find_scale(a, b, to_ball, answer.scale)) return false;
    PointPrimitiveAnswer nearest;
    if (!PointPrimitive::nearest(to_double3(primitive.size),
                                 transposed_product(X_primitive.rotation, to_ball), nearest))
      return false;
    answer.lower = answer.upper = answer.distance = nearest.distance;
    answer.inverse = nearest.inverse;
    answer.along = ball_is_a ? -nearest.along : nearest.along;
    answer.step_a = ball_is_a ? a.radius : a.radius - nearest.distance;
    answer.step_b = ball_is_a ? nearest.distance - b.radius : -b.radius;
    return true;
  }
};

/// A capsule and a primitive that its axis does not meet.
template <class PointPrimitive, bool capsule_is_a>
struct CapsulePrimitive : CommonForm {
  static constexpr CollideBy kCollideBy = CollideBy::direct_then_search;
  static constexpr bool kIsRobust = true;
  static constexpr Axes kAxes = capsule_is_a ? Axes::frame_b : Axes::frame_a;
  static constexpr Base kBaseA = capsule_is_a ? Base::axis_a : Base::axis_b, kBaseB = kBaseA;

  [[gnu::always_inline]] static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                           const Pose& X_WB, PairAnswer& answer) {
    const CoreShape &capsule = capsule_is_a ? a : b, &primitive = capsule_is_a ? b : a;
    const Pose &X_capsule = capsule_is_a ? X_WA : X_WB, &X_primitive = capsule_is_a ? X_WB : X_WA;
    if (!is_on_axis(capsule)) return false;
    const Double3 to_capsule = from_a_to_b(X_primitive, X_capsule),
                  axis = to_double3(X_capsule.rotation.col(2));
    if (!find_scale(a, b, to_capsule, answer.scale)) return false;
    SegmentPrimitiveAnswer found;
    if (!segment_against<PointPrimitive>(
            to_double3(primitive.size), transposed_product(X_primitive.rotation, to_capsule),
            transposed_product(X_primitive.rotation, axis), capsule.size.z(), answer.scale, found))
      return false;
    answer.distance = answer.upper = found.nearest.distance;
    answer.lower = found.lower;
    answer.inverse = found.nearest.inverse;
    answer.along = capsule_is_a ? -found.nearest.along : found.nearest.along;
    answer.on_axis_a = answer.on_axis_b = found.s;
    answer.step_a = capsule_is_a ? a.radius : a.radius - found.nearest.distance;
    answer.step_b = capsule_is_a ? found.nearest.distance - b.radius : -b.radius;
    return true;
  }
};

/// A primitive or a hull and another core, apart or overlapping with a proof. The normal and the
/// points are found in the frame of the first of them.
template <SolvePair* solve_pair, bool first_is_a>
struct CurvedPrimitives : CommonForm {
  static constexpr double kGap = kEllipsoidGap;
  static constexpr CollideBy kCollideBy = CollideBy::direct_then_search;
  static constexpr Axes kAxes = first_is_a ? Axes::frame_a : Axes::frame_b;
  static constexpr Base kBaseA = first_is_a ? Base::frame_a : Base::frame_b, kBaseB = kBaseA;

  [[gnu::always_inline]] static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                           const Pose& X_WB, PairAnswer& answer) {
    const CoreShape &first = first_is_a ? a : b, &second = first_is_a ? b : a;
    const Pose &X_first = first_is_a ? X_WA : X_WB, &X_second = first_is_a ? X_WB : X_WA;
    if (!find_scale(a, b, from_a_to_b(X_first, X_second), answer.scale)) return false;
    PrimitivePairAnswer found;
    if (!solve_pair(first, second, relative_pose(X_first, X_second), answer.scale, found))
      return false;
    answer.distance = answer.lower = found.lower;
    answer.upper = found.upper;
    answer.radius = a.radius + a.inner_radius + b.radius + b.inner_radius;
    answer.inverse = 1.0;
    answer.along = first_is_a ? found.normal : -found.normal;
    answer.base_a = first_is_a ? found.point_first : found.point_second;
    answer.base_b = first_is_a ? found.point_second : found.point_first;
    answer.step_a = a.radius + a.inner_radius;
    answer.step_b = -b.radius - b.inner_radius;
    answer.iterations = found.iterations;
    answer.vertices_visited = found.vertices_visited;
    return true;
  }
};

/// A half-space and a bounded core: one support point of the core in the frame of the half-space.
template <bool plane_is_a>
struct HalfSpacePair : CommonForm {
  static constexpr ClosedForm* kClosedForm = solve_half_space;
  static constexpr Axes kAxes = plane_is_a ? Axes::frame_a : Axes::frame_b;
  static constexpr Base kBaseA = plane_is_a ? Base::frame_b : Base::frame_a, kBaseB = kBaseA;

  [[gnu::always_inline]] static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                           const Pose& X_WB, PairAnswer& answer) {
    const CoreShape &plane = plane_is_a ? a : b, &core = plane_is_a ? b : a;
    const RelativePose pose = relative_pose(plane_is_a ? X_WA : X_WB, plane_is_a ? X_WB : X_WA);
    const double squared = pose.center.squared_norm();
    if (!(squared > 1e-280)) return false;
    answer.scale = std::max(std::sqrt(squared),
                            std::max(core.bounding_radius, std::abs(plane.offset)));
    const Double3 outward = to_double3(plane.size),
                  point =
                      core_support(core, -pose.to_second(outward), answer.vertices_visited).point;
    const double height = dot(outward, pose.from_second(point) + pose.center) - plane.offset;
    answer.radius = core.radius + core.inner_radius;
    answer.distance = answer.lower = answer.upper = height;
    answer.inverse = 1.0;
    answer.along = plane_is_a ? outward : -outward;
    answer.base_a = answer.base_b = point;
    answer.step_a = plane_is_a ? -height : answer.radius;
    answer.step_b = plane_is_a ? -answer.radius : height;
    return true;
  }
};

/// Two boxes whose origins do not meet.
struct Boxes : CommonForm {
  static constexpr ClosedForm* kClosedForm = solve_boxes;
  static constexpr Axes kAxes = Axes::frame_a;
  static constexpr Base kBaseA = Base::frame_a, kBaseB = Base::frame_a;

  [[gnu::always_inline]] static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                           const Pose& X_WB, PairAnswer& answer) {
    if (!find_scale(a, b, from_a_to_b(X_WA, X_WB), answer.scale)) return false;
    const RelativePose X_AB = relative_pose(X_WA, X_WB);
    CoreDistance found;
    if (!solve_boxes({a.size.data(), b.size.data(), &X_AB.x.x, &X_AB.center.x, answer.scale},
                     found))
      return false;
    set_from_cores(found, a.radius, b.radius, answer);
    return true;
  }
};

/// Two ellipsoids whose origins do not meet.
struct Ellipsoids : CommonForm {
  static constexpr double kGap = kEllipsoidGap;
  static constexpr ClosedForm* kClosedForm = solve_ellipsoids;
  static constexpr CollideBy kCollideBy = CollideBy::direct_then_search;
  static constexpr Axes kAxes = Axes::frame_a;
  static constexpr Base kBaseA = Base::frame_a, kBaseB = Base::frame_a;

  [[gnu::always_inline]] static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                           const Pose& X_WB, PairAnswer& answer) {
    if (!find_scale(a, b, from_a_to_b(X_WA, X_WB), answer.scale)) return false;
    const EllipsoidPair pair = {semi_axes(a), semi_axes(b), relative_pose(X_WA, X_WB),
                                answer.scale};
    CoreDistance found;
    answer.support_calls = 0;
    if (!solve_ellipsoids(pair, a.inner_radius, b.inner_radius, found, answer.support_calls))
      return false;
    answer.iterations = found.iterations;
    set_from_cores(found, a.radius + a.inner_radius, b.radius + b.inner_radius, answer);
    return true;
  }
};

}  // namespace tactum::direct
