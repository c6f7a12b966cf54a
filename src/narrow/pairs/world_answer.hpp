// SPDX-License-Identifier: BSD-2-Clause
// The closed forms of world_pair.cpp: what they find of two cores, and what that says of the
// shapes. The same numbers at every SIMD level; a level differs in how it checks poses and in how
// it writes the vectors of a result.
#pragma once

#include <bit>
#include <cstdint>

#include "narrow/formula/point_ellipsoid.hpp"
#include "narrow/formula/segment_pair.hpp"
#include "narrow/pair/bounds_and_status.hpp"
#include "narrow/pairs/box_box.hpp"
#include "narrow/pairs/ellipsoid_pair.hpp"
#include "narrow/pairs/hull_pair.hpp"

#define TACTUM_ALWAYS_INLINE __attribute__((always_inline)) inline

namespace tactum::world {

/// The axes of the world and the frame of A give answers that differ by what the rotations are off
/// by: allowed is what a rotation is off by that is the product of two or comes from a quaternion.
/// Of spheres, which look the same from all sides, all that the query takes as it is.
constexpr double kExactInWorld = 4e-15, kExactOfSpheres = 1e-12;

/// Where a point of a pair starts from, to go along the normal: the origin of a frame, a point of
/// its z axis, or a point in a frame.
enum class Base : std::uint8_t { centre_a, axis_a, centre_b, axis_b, frame_a, frame_b };

/// The axes in which a closed form gives the normal; `centres` is the line from the origin of A to
/// that of B, which needs no numbers.
enum class Axes : std::uint8_t { centres, world, frame_a, frame_b };

/// What a closed form finds of the cores. Lengths are left to one factor, so that little waits for
/// its root; positions are left to the poses, from which whole vectors are read.
struct WorldAnswer {
  double distance;              ///< of the cores: between the bounds, and as exact as it is known
  double lower, upper;          ///< proved
  double radius;                ///< swept around both cores together
  double scale;                 ///< m
  double inverse;               ///< of the length of `along`
  Double3 along;                ///< from A to B along the normal, in the axes that the pair says
  double on_axis_a, on_axis_b;  ///< m, where the pair has its base on an axis
  Double3 base_a, base_b;       ///< where it has its base in the frame of A or B
  double step_a, step_b;        ///< m along the normal from the base to the point of the shape
  int iterations, support_calls, vertices_visited;
};

/// What the proof says of the shapes. A tolerance is not as tight as what is proved here, so no
/// bounds are too wide.
struct Verdict {
  TACTUM_ALWAYS_INLINE Verdict(const WorldAnswer& answer, double cutoff) {
    const double slack = kBoundSlack * answer.scale, proved = answer.distance - answer.radius;
    lower = answer.lower - answer.radius - slack;
    upper = answer.upper - answer.radius + slack;
    const bool beyond = is_beyond(proved, lower, answer.scale, cutoff);
    status = beyond ? Status::beyond_cutoff : status_of(proved, lower, upper, answer.scale);
    distance = beyond ? lower : proved;
    upper = beyond ? std::numeric_limits<double>::infinity() : upper;
  }
  Status status;
  double distance, lower, upper;
};

/// All of a result but its vectors.
TACTUM_ALWAYS_INLINE void put_numbers(const WorldAnswer& answer, double cutoff, Distance& result) {
  const Verdict verdict(answer, cutoff);
  result.status = verdict.status;
  result.distance = verdict.distance;
  result.lower = verdict.lower;
  result.upper = verdict.upper;
  result.iterations = answer.iterations;
  result.support_calls = answer.support_calls;
  result.vertices_visited = answer.vertices_visited;
  result.pose_corrected = false;
  result.warm_start.vertices = {0, 0};
  result.warm_start.polytope.clear();
}

/// Whether the core is a point at the origin of its frame. By the bits: both are positive numbers.
TACTUM_ALWAYS_INLINE bool is_ball(const CoreShape& core) {
  return std::bit_cast<std::uint64_t>(core.bounding_radius) ==
         std::bit_cast<std::uint64_t>(core.radius);
}

TACTUM_ALWAYS_INLINE Double3 from_a_to_b(const Pose& X_WA, const Pose& X_WB) {
  return to_double3(X_WB.translation) - to_double3(X_WA.translation);
}

/// The scale of a pair of bounded shapes whose origins do not meet; the squares of such lengths
/// neither underflow nor overflow.
TACTUM_ALWAYS_INLINE bool find_scale(const CoreShape& a, const CoreShape& b, Double3 t,
                                     double& scale) {
  const double squared = t.squared_norm();
  scale = std::max(std::sqrt(squared), std::max(a.bounding_radius, b.bounding_radius));
  return squared > 1e-280;
}

/// Whether the core is a segment on the z axis about the origin, as that of every capsule.
TACTUM_ALWAYS_INLINE bool is_on_axis(const CoreShape& core) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  return (bits(core.size.x()) | bits(core.size.y()) | bits(core.center.x()) |
          bits(core.center.y()) | bits(core.center.z())) == 0;
}

// The pairs. `exactness` is what the rotations may be off by, `gap` what is proved where that is
// more than rounding, relative to the scale. Those with `is_robust` do not trap with any numbers
// below 2 for rotations, so that these may be checked afterwards.

/// Two capsules.
struct Capsules {
  static constexpr double exactness = kExactInWorld, gap = 0.0;
  static constexpr bool is_robust = true;
  static constexpr Axes axes = Axes::world;
  static constexpr Base base_a = Base::axis_a, base_b = Base::axis_b;

  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                         const Pose& X_WB, WorldAnswer& answer) {
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
struct SphereCapsule {
  static constexpr double exactness = kExactInWorld, gap = 0.0;
  static constexpr bool is_robust = true;
  static constexpr Axes axes = Axes::world;
  static constexpr Base base_a = ball_is_a ? Base::centre_a : Base::axis_a,
                        base_b = ball_is_a ? Base::axis_b : Base::centre_b;

  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                         const Pose& X_WB, WorldAnswer& answer) {
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

/// Two spheres whose centres are not too near to each other. The separation along n = t / |t| is
/// |t|.
struct Spheres {
  static constexpr double exactness = kExactOfSpheres, gap = 0.0;
  static constexpr bool is_robust = true;
  static constexpr Axes axes = Axes::centres;
  static constexpr Base base_a = Base::centre_a, base_b = Base::centre_b;

  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                         const Pose& X_WB, WorldAnswer& answer) {
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

/// A sphere and a solid. The point of the solid is as far from the centre of the sphere as the
/// distance says, along the normal.
template <class PointSolid, bool ball_is_a>
struct SphereSolid {
  static constexpr double exactness = kExactInWorld, gap = 0.0;
  static constexpr bool is_robust = true;
  static constexpr Axes axes = ball_is_a ? Axes::frame_b : Axes::frame_a;
  static constexpr Base base_a = ball_is_a ? Base::centre_a : Base::centre_b, base_b = base_a;

  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                         const Pose& X_WB, WorldAnswer& answer) {
    const CoreShape &ball = ball_is_a ? a : b, &solid = ball_is_a ? b : a;
    const Pose &X_ball = ball_is_a ? X_WA : X_WB, &X_solid = ball_is_a ? X_WB : X_WA;
    if (!is_ball(ball)) return false;
    const Double3 to_ball = from_a_to_b(X_solid, X_ball);
    if (!find_scale(a, b, to_ball, answer.scale)) return false;
    PointSolidAnswer nearest;
    if (!PointSolid::nearest(to_double3(solid.size), transposed_product(X_solid.rotation, to_ball),
                             nearest))
      return false;
    answer.lower = answer.upper = answer.distance = nearest.distance;
    answer.inverse = nearest.inverse;
    answer.along = ball_is_a ? -nearest.along : nearest.along;
    answer.step_a = ball_is_a ? a.radius : a.radius - nearest.distance;
    answer.step_b = ball_is_a ? nearest.distance - b.radius : -b.radius;
    return true;
  }
};

/// A capsule and a solid that its axis does not meet.
template <class PointSolid, bool capsule_is_a>
struct CapsuleSolid {
  static constexpr double exactness = kExactInWorld, gap = 0.0;
  static constexpr bool is_robust = true;
  static constexpr Axes axes = capsule_is_a ? Axes::frame_b : Axes::frame_a;
  static constexpr Base base_a = capsule_is_a ? Base::axis_a : Base::axis_b, base_b = base_a;

  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                         const Pose& X_WB, WorldAnswer& answer) {
    const CoreShape &capsule = capsule_is_a ? a : b, &solid = capsule_is_a ? b : a;
    const Pose &X_capsule = capsule_is_a ? X_WA : X_WB, &X_solid = capsule_is_a ? X_WB : X_WA;
    if (!is_on_axis(capsule)) return false;
    const Double3 to_capsule = from_a_to_b(X_solid, X_capsule),
                  axis = to_double3(X_capsule.rotation.col(2));
    if (!find_scale(a, b, to_capsule, answer.scale)) return false;
    SegmentSolidAnswer found;
    if (!segment_against<PointSolid>(
            to_double3(solid.size), transposed_product(X_solid.rotation, to_capsule),
            transposed_product(X_solid.rotation, axis), capsule.size.z(), answer.scale, found))
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

/// A solid or a hull and another core, apart or overlapping with a proof. The normal and the points
/// are known in the frame of the first of them.
template <SolvePair* solve_pair, bool first_is_a>
struct Solids {
  static constexpr double exactness = kExactInWorld, gap = kEllipsoidGap;
  static constexpr bool is_robust = false;
  static constexpr Axes axes = first_is_a ? Axes::frame_a : Axes::frame_b;
  static constexpr Base base_a = first_is_a ? Base::frame_a : Base::frame_b, base_b = base_a;

  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                         const Pose& X_WB, WorldAnswer& answer) {
    const CoreShape &first = first_is_a ? a : b, &second = first_is_a ? b : a;
    const Pose &X_first = first_is_a ? X_WA : X_WB, &X_second = first_is_a ? X_WB : X_WA;
    const Double3 t = from_a_to_b(X_first, X_second);
    if (!find_scale(a, b, t, answer.scale)) return false;
    const auto turned = [&](int i) {
      return transposed_product(X_first.rotation, to_double3(X_second.rotation.col(i)));
    };
    const SolidPose pose = {turned(0), turned(1), turned(2),
                            transposed_product(X_first.rotation, t)};
    SolidPairAnswer found;
    if (!solve_pair(first, second, pose, answer.scale, found)) return false;
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

/// B in the frame of A: the columns of the rotation one after the other, and the translation.
struct RelativePose {
  TACTUM_ALWAYS_INLINE RelativePose(const Pose& X_WA, const Pose& X_WB) {
    for (int i = 0; i < 3; ++i)
      put(i, transposed_product(X_WA.rotation, to_double3(X_WB.rotation.col(i))));
    put(3, transposed_product(X_WA.rotation, from_a_to_b(X_WA, X_WB)));
  }
  TACTUM_ALWAYS_INLINE void put(int i, Double3 column) {
    numbers[3 * i] = column.x;
    numbers[3 * i + 1] = column.y;
    numbers[3 * i + 2] = column.z;
  }
  TACTUM_ALWAYS_INLINE Double3 column(int i) const {
    return {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
  }

  double numbers[12];
};

/// What is known in the frame of A.
TACTUM_ALWAYS_INLINE void take(const CoreAnswer& found, double radius_a, double radius_b,
                               WorldAnswer& answer) {
  const Optimum& optimum = found.optimum;
  answer.distance = answer.lower = optimum.lower;
  answer.upper = found.upper;
  answer.radius = radius_a + radius_b;
  answer.inverse = 1.0;
  answer.along = to_double3(optimum.normal);
  answer.base_a = to_double3(optimum.point_a);
  answer.base_b = to_double3(optimum.point_b);
  answer.step_a = radius_a;
  answer.step_b = -radius_b;
}

/// Two boxes whose origins do not meet.
struct Boxes {
  static constexpr double exactness = kExactInWorld, gap = 0.0;
  static constexpr bool is_robust = false;
  static constexpr Axes axes = Axes::frame_a;
  static constexpr Base base_a = Base::frame_a, base_b = Base::frame_a;

  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                         const Pose& X_WB, WorldAnswer& answer) {
    if (!find_scale(a, b, from_a_to_b(X_WA, X_WB), answer.scale)) return false;
    const RelativePose X_AB(X_WA, X_WB);
    CoreAnswer found;
    if (!solve_boxes({a.size.data(), b.size.data(), X_AB.numbers, X_AB.numbers + 9, answer.scale},
                     found))
      return false;
    take(found, a.radius, b.radius, answer);
    return true;
  }
};

/// Two ellipsoids whose origins do not meet.
struct Ellipsoids {
  static constexpr double exactness = kExactInWorld, gap = kEllipsoidGap;
  static constexpr bool is_robust = false;
  static constexpr Axes axes = Axes::frame_a;
  static constexpr Base base_a = Base::frame_a, base_b = Base::frame_a;

  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                         const Pose& X_WB, WorldAnswer& answer) {
    if (!find_scale(a, b, from_a_to_b(X_WA, X_WB), answer.scale)) return false;
    const RelativePose X_AB(X_WA, X_WB);
    const EllipsoidPair pair = {semi_axes(a),   semi_axes(b),   X_AB.column(0), X_AB.column(1),
                                X_AB.column(2), X_AB.column(3), answer.scale};
    CoreAnswer found;
    answer.support_calls = 0;
    if (!solve_ellipsoids(pair, a.inner_radius, b.inner_radius, found, answer.support_calls))
      return false;
    answer.iterations = found.iterations;
    take(found, a.radius + a.inner_radius, b.radius + b.inner_radius, answer);
    return true;
  }
};

}  // namespace tactum::world
