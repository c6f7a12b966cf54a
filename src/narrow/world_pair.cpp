// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/world_pair.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// Three numbers packed in pairs go through the stack where registers run out, and stall there.
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include "math/exact_pose.hpp"
#include "narrow/judge.hpp"
#include "narrow/segment_pair.hpp"
#include "narrow/segment_solid.hpp"

#if TACTUM_HAS_X86_TARGETS
#include <immintrin.h>
#endif

#define TACTUM_ALWAYS_INLINE __attribute__((always_inline)) inline

namespace tactum {
namespace {

/// With rotations less exact than this the axes of the world and the frame of A would give different answers.
constexpr double kExactInWorld = 2e-15;

/// What a closed form finds of the cores, in the axes of the world. Lengths are left to one factor, so that little waits for its root.
struct WorldAnswer {
  double distance;         ///< of two points of the cores: proved from above
  double lower;            ///< separation along the normal: proved from below, within rounding of the distance
  double scale;            ///< m
  double inverse;          ///< of the length of `along`
  Double3 along;           ///< from A to B along the normal
  Double3 along_A;         ///< the same in the frame of A
  Double3 base_a, base_b;  ///< points on the normal ...
  double step_a, step_b;   ///< ... and how far from there the points of the shapes are
};

/// Fills in the result. A tolerance is never as tight as what is proved here, so the status follows from the distance alone.
TACTUM_ALWAYS_INLINE void put(const WorldAnswer& answer, double radius, double cutoff, Distance& result) {
  const double slack = kBoundSlack * answer.scale, distance = answer.distance - radius, lower = answer.lower - radius - slack;
  const bool beyond = lower > cutoff;
  const Double3 n = answer.inverse * answer.along;
  result.status = beyond ? Status::beyond_cutoff : status_of(distance, answer.scale);
  result.distance = beyond ? lower : distance;
  result.normal = eigen(n);
  result.point_a = eigen(answer.base_a + answer.step_a * n);
  result.point_b = eigen(answer.base_b + answer.step_b * n);
  result.lower = lower;
  result.upper = beyond ? std::numeric_limits<double>::infinity() : distance + slack;
  result.support_calls = 1;
  result.warm_start.direction_A = eigen(answer.inverse * answer.along_A);
}

/// Whether the core is a point at the origin of its frame. By the bits: both are positive numbers.
TACTUM_ALWAYS_INLINE bool is_ball(const CoreShape& core) {
  return std::bit_cast<std::uint64_t>(core.bounding_radius) == std::bit_cast<std::uint64_t>(core.radius);
}

TACTUM_ALWAYS_INLINE Double3 from_a_to_b(const Pose& X_WA, const Pose& X_WB) {
  return plain(X_WB.translation) - plain(X_WA.translation);
}

/// Whether the core is a segment on the z axis about the origin, as that of every capsule.
TACTUM_ALWAYS_INLINE bool is_on_axis(const CoreShape& core) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  return (bits(core.size.x()) | bits(core.size.y()) | bits(core.center.x()) | bits(core.center.y()) | bits(core.center.z())) == 0;
}

/// Two capsules.
struct Capsules {
  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
                                         WorldAnswer& answer) {
    if (!is_on_axis(a) || !is_on_axis(b)) return false;
    const Double3 t = from_a_to_b(X_WA, X_WB), e = plain(X_WA.rotation.col(2)), f = plain(X_WB.rotation.col(2));
    answer.scale = pair_scale(a, b, t);
    SegmentPairAnswer nearest;
    if (!solve_segment_pair(e, a.size.z(), f, b.size.z(), t, answer.scale, nearest)) return false;
    answer.distance = nearest.upper;
    answer.lower = nearest.lower;
    answer.inverse = nearest.inverse;
    answer.along = nearest.separation;
    answer.along_A = transposed_product(X_WA.rotation, nearest.separation);
    answer.base_a = plain(X_WA.translation) + nearest.s * e;
    answer.base_b = plain(X_WB.translation) + nearest.t * f;
    answer.step_a = a.radius;
    answer.step_b = -b.radius;
    return true;
  }
};

/// A sphere and a capsule.
template <bool ball_is_a>
struct SphereCapsule {
  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
                                         WorldAnswer& answer) {
    const CoreShape &ball = ball_is_a ? a : b, &capsule = ball_is_a ? b : a;
    const Pose &X_ball = ball_is_a ? X_WA : X_WB, &X_capsule = ball_is_a ? X_WB : X_WA;
    if (!is_ball(ball) || !is_on_axis(capsule)) return false;
    const Double3 r = from_a_to_b(X_ball, X_capsule), f = plain(X_capsule.rotation.col(2));
    answer.scale = pair_scale(a, b, r);
    SegmentPairAnswer nearest;
    if (!solve_point_segment(f, capsule.size.z(), r, answer.scale, nearest)) return false;
    const Double3 on_axis = plain(X_capsule.translation) + nearest.t * f;
    answer.distance = nearest.upper;
    answer.lower = nearest.lower;
    answer.inverse = nearest.inverse;
    answer.along = ball_is_a ? nearest.separation : -nearest.separation;
    answer.along_A = transposed_product(X_WA.rotation, answer.along);
    answer.base_a = ball_is_a ? plain(X_WA.translation) : on_axis;
    answer.base_b = ball_is_a ? on_axis : plain(X_WB.translation);
    answer.step_a = a.radius;
    answer.step_b = -b.radius;
    return true;
  }
};

/// Two spheres whose centres are not too near to each other. The separation along n = t / |t| is |t|.
struct Spheres {
  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
                                         WorldAnswer& answer) {
    if (!is_ball(a) || !is_ball(b)) return false;
    const Double3 t = from_a_to_b(X_WA, X_WB);
    const double squared = t.squared_norm(), size = std::max(a.radius, b.radius);
    if (!(squared > std::max(1e-280, 1e-6 * size * size))) return false;
    answer.lower = answer.distance = std::sqrt(squared);
    answer.inverse = answer.distance * (1.0 / squared);
    answer.scale = std::max(answer.distance, size);
    answer.along = t;
    answer.along_A = transposed_product(X_WA.rotation, t);
    answer.base_a = plain(X_WA.translation);
    answer.base_b = plain(X_WB.translation);
    answer.step_a = a.radius;
    answer.step_b = -b.radius;
    return true;
  }
};

/// A sphere and a solid. The point of the solid is as far from the centre of the sphere as the distance says, along the normal.
template <class PointSolid, bool ball_is_a>
struct SphereSolid {
  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
                                         WorldAnswer& answer) {
    const CoreShape &ball = ball_is_a ? a : b, &solid = ball_is_a ? b : a;
    const Pose &X_ball = ball_is_a ? X_WA : X_WB, &X_solid = ball_is_a ? X_WB : X_WA;
    if (!is_ball(ball)) return false;
    const Double3 to_ball = from_a_to_b(X_solid, X_ball);
    answer.scale = pair_scale(a, b, to_ball);
    PointSolidAnswer nearest;
    if (!PointSolid::nearest(plain(solid.size), transposed_product(X_solid.rotation, to_ball), nearest)) return false;
    const Double3 outward = product(X_solid.rotation, nearest.along);
    answer.lower = answer.distance = nearest.distance;
    answer.inverse = nearest.inverse;
    answer.along = ball_is_a ? -outward : outward;
    answer.along_A = ball_is_a ? transposed_product(X_WA.rotation, answer.along) : nearest.along;
    answer.base_a = answer.base_b = plain(X_ball.translation);
    answer.step_a = ball_is_a ? a.radius : a.radius - nearest.distance;
    answer.step_b = ball_is_a ? nearest.distance - b.radius : -b.radius;
    return true;
  }
};

/// A capsule and a solid that its axis does not meet.
template <class PointSolid, bool capsule_is_a>
struct CapsuleSolid {
  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
                                         WorldAnswer& answer) {
    const CoreShape &capsule = capsule_is_a ? a : b, &solid = capsule_is_a ? b : a;
    const Pose &X_capsule = capsule_is_a ? X_WA : X_WB, &X_solid = capsule_is_a ? X_WB : X_WA;
    if (!is_on_axis(capsule)) return false;
    const Double3 to_capsule = from_a_to_b(X_solid, X_capsule), axis = plain(X_capsule.rotation.col(2));
    answer.scale = pair_scale(a, b, to_capsule);
    SegmentSolidAnswer found;
    if (!segment_against<PointSolid>(plain(solid.size), transposed_product(X_solid.rotation, to_capsule),
                                     transposed_product(X_solid.rotation, axis), capsule.size.z(), answer.scale, found))
      return false;
    const Double3 outward = product(X_solid.rotation, found.nearest.along);
    answer.distance = found.nearest.distance;
    answer.lower = found.lower;
    answer.inverse = found.nearest.inverse;
    answer.along = capsule_is_a ? -outward : outward;
    answer.along_A = capsule_is_a ? transposed_product(X_WA.rotation, answer.along) : found.nearest.along;
    answer.base_a = answer.base_b = plain(X_capsule.translation) + found.s * axis;
    answer.step_a = capsule_is_a ? a.radius : a.radius - found.nearest.distance;
    answer.step_b = capsule_is_a ? found.nearest.distance - b.radius : -b.radius;
    return true;
  }
};

/// The poses by the passes of the baseline.
struct BaselineCheck {
  TACTUM_ALWAYS_INLINE static bool in_range(const Pose& a, const Pose& b) { return are_poses_in_range(a, b); }
  TACTUM_ALWAYS_INLINE static bool exact(const Pose& a, const Pose& b) {
    return are_exact_rotations(a.rotation, b.rotation, kExactInWorld);
  }
};

struct BaselineLevel {
  template <class Pair>
  TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
                                         const DistanceOptions& options, Distance& result) {
    WorldAnswer answer;
    if (!BaselineCheck::in_range(X_WA, X_WB) || !BaselineCheck::exact(X_WA, X_WB)) return false;
    if (!Pair::solve(a, X_WA, b, X_WB, answer)) return false;
    put(answer, a.radius + b.radius, options.cutoff, result);
    return true;
  }
  template <class Pair>
  static bool try_distance(const CoreShape& a, const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
                           const DistanceOptions& options, Distance& result) {
    return solve<Pair>(a, X_WA, b, X_WB, options, result);
  }
  template <class Pair>
  static void distance(Distance& result, const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                       const DistanceOptions& options) {
    if (!solve<Pair>(a.core(), X_WA, b.core(), X_WB, options, result)) frame_distance(result, a, X_WA, b, X_WB, options);
  }
};

#if TACTUM_HAS_X86_TARGETS
/// The same with whole vectors: the same answers, since tests of range are exact and the rest is one rule.
struct Avx2Check {
  /// The numbers 4 i to 4 i + 3 of a pose: nine of the rotation and three of the translation, in a row.
  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static __m256d four(const Pose& pose, int i) {
    static_assert(sizeof(Pose) == 12 * sizeof(double));
    return _mm256_loadu_pd(reinterpret_cast<const double*>(&pose) + 4 * i);
  }

  /// Lanes whose size, as a whole number, is more than the limit.
  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static __m256i larger(const Pose& pose, int i, __m256i limit) {
    const __m256i size = _mm256_and_si256(_mm256_castpd_si256(four(pose, i)), _mm256_set1_epi64x(0x7FFF'FFFF'FFFF'FFFF));
    return _mm256_cmpgt_epi64(size, limit);
  }

  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static bool in_range(const Pose& a, const Pose& b) {
    constexpr long long below_two = 0x3FFF'FFFF'FFFF'FFFF, length = std::bit_cast<long long>(1e30);
    const __m256i entry = _mm256_set1_epi64x(below_two), last = _mm256_set_epi64x(length, length, length, below_two);
    const __m256i rotations = _mm256_or_si256(_mm256_or_si256(larger(a, 0, entry), larger(a, 1, entry)),
                                              _mm256_or_si256(larger(b, 0, entry), larger(b, 1, entry)));
    const __m256i any = _mm256_or_si256(rotations, _mm256_or_si256(larger(a, 2, last), larger(b, 2, last)));
    return _mm256_testz_si256(any, any) != 0;
  }

  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static bool exact(const Pose& a, const Pose& b) {
    const auto low = [](__m256d v) TACTUM_TARGET_AVX2 { return _mm256_castpd256_pd128(v); };
    const auto high = [](__m256d v) TACTUM_TARGET_AVX2 { return _mm256_extractf128_pd(v, 1); };
    const __m256d even0 = _mm256_unpacklo_pd(four(a, 0), four(b, 0)), odd0 = _mm256_unpackhi_pd(four(a, 0), four(b, 0));
    const __m256d even1 = _mm256_unpacklo_pd(four(a, 1), four(b, 1)), odd1 = _mm256_unpackhi_pd(four(a, 1), four(b, 1));
    const __m128d last = _mm_unpacklo_pd(low(four(a, 2)), low(four(b, 2)));
    return detail::are_exact_rotations(low(even0), low(odd0), high(even0), high(odd0), low(even1), low(odd1), high(even1),
                                       high(odd1), last, kExactInWorld);
  }
};

struct Avx2Level {
  template <class Pair>
  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                                                            const Pose& X_WB, const DistanceOptions& options, Distance& result) {
    WorldAnswer answer;
    if (!Avx2Check::in_range(X_WA, X_WB) || !Avx2Check::exact(X_WA, X_WB)) return false;
    if (!Pair::solve(a, X_WA, b, X_WB, answer)) return false;
    put(answer, a.radius + b.radius, options.cutoff, result);
    return true;
  }
  template <class Pair>
  TACTUM_TARGET_AVX2 static bool try_distance(const CoreShape& a, const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
                                              const DistanceOptions& options, Distance& result) {
    return solve<Pair>(a, X_WA, b, X_WB, options, result);
  }
  template <class Pair>
  TACTUM_TARGET_AVX2 static void distance(Distance& result, const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                                          const DistanceOptions& options) {
    if (!solve<Pair>(a.core(), X_WA, b.core(), X_WB, options, result)) frame_distance(result, a, X_WA, b, X_WB, options);
  }
};
#else
using Avx2Level = BaselineLevel;
#endif

template <class Level>
constexpr WorldPairs make_pairs() {
  using Kind = CoreShape::Kind;
  WorldPairs pairs{};
  for (auto& row : pairs) row.fill({frame_distance, nullptr});
  const auto set = [&]<class Pair>(Kind a, Kind b, Pair) {
    pairs[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = {Level::template distance<Pair>,
                                                                       Level::template try_distance<Pair>};
  };
  set(Kind::point, Kind::point, Spheres{});
  set(Kind::point, Kind::segment, SphereCapsule<true>{});
  set(Kind::segment, Kind::point, SphereCapsule<false>{});
  set(Kind::segment, Kind::segment, Capsules{});
  set(Kind::point, Kind::box, SphereSolid<PointBox, true>{});
  set(Kind::box, Kind::point, SphereSolid<PointBox, false>{});
  set(Kind::point, Kind::cylinder, SphereSolid<PointCylinder, true>{});
  set(Kind::cylinder, Kind::point, SphereSolid<PointCylinder, false>{});
  set(Kind::point, Kind::cone, SphereSolid<PointCone, true>{});
  set(Kind::cone, Kind::point, SphereSolid<PointCone, false>{});
  set(Kind::segment, Kind::box, CapsuleSolid<PointBox, true>{});
  set(Kind::box, Kind::segment, CapsuleSolid<PointBox, false>{});
  set(Kind::segment, Kind::cylinder, CapsuleSolid<PointCylinder, true>{});
  set(Kind::cylinder, Kind::segment, CapsuleSolid<PointCylinder, false>{});
  set(Kind::segment, Kind::cone, CapsuleSolid<PointCone, true>{});
  set(Kind::cone, Kind::segment, CapsuleSolid<PointCone, false>{});
  return pairs;
}

constexpr WorldPairs baseline = make_pairs<BaselineLevel>(), avx2 = make_pairs<Avx2Level>();

}  // namespace

const WorldPairs& world_pairs(SimdLevel level) { return level == SimdLevel::baseline ? baseline : avx2; }

const WorldPairs& world_pairs() {
  static const WorldPairs& chosen = world_pairs(simd_level());
  return chosen;
}

}  // namespace tactum
