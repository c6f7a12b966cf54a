// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/pairs/world_pair.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// Three numbers packed in pairs go through the stack where registers run out, and stall there.
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include "math/exact_pose.hpp"
#include "narrow/pairs/world_answer.hpp"

#if TACTUM_HAS_X86_TARGETS
#include <immintrin.h>
#endif

namespace tactum {
namespace {

using namespace world;

/// What is the same in most answers.
TACTUM_ALWAYS_INLINE WorldAnswer begun(const CoreShape& a, const CoreShape& b) {
  WorldAnswer answer;
  answer.radius = a.radius + b.radius;
  answer.iterations = 0;
  answer.support_calls = 1;
  answer.vertices_visited = 0;
  return answer;
}

/// Whether what the pair proves is what is asked for.
template <class Pair>
TACTUM_ALWAYS_INLINE bool is_enough(const DistanceOptions& options) {
  return Pair::gap == 0.0 || options.tolerance > 2.0 * Pair::gap;
}

/// What makes a vector a unit vector that is one within the error of a rotation: one step of Newton
/// for 1 / sqrt(squared).
TACTUM_ALWAYS_INLINE double length_correction(double squared) { return 1.5 - 0.5 * squared; }

/// Checks of poses and the vectors of a result, number by number.
struct BaselineLevel {
  template <Base base>
  TACTUM_ALWAYS_INLINE static Double3 base_of(const Pose& X_WA, const Pose& X_WB, double on_axis,
                                              Double3 in_frame) {
    const Pose& X = base == Base::centre_b || base == Base::axis_b || base == Base::frame_b ? X_WB
                                                                                            : X_WA;
    if constexpr (base == Base::centre_a || base == Base::centre_b)
      return to_double3(X.translation);
    if constexpr (base == Base::frame_a || base == Base::frame_b)
      return to_double3(X.translation) + product(X.rotation, in_frame);
    return to_double3(X.translation) + on_axis * to_double3(X.rotation.col(2));
  }

  template <class Pair>
  TACTUM_ALWAYS_INLINE static void put(const WorldAnswer& answer, const Pose& X_WA,
                                       const Pose& X_WB, Distance& result) {
    Double3 along = answer.along;
    if constexpr (Pair::axes == Axes::centres) along = from_a_to_b(X_WA, X_WB);
    if constexpr (Pair::axes == Axes::frame_a) along = product(X_WA.rotation, answer.along);
    if constexpr (Pair::axes == Axes::frame_b) along = product(X_WB.rotation, answer.along);
    const Double3 along_A = Pair::axes == Axes::frame_a ? answer.along
                                                        : transposed_product(X_WA.rotation, along);
    Double3 n = answer.inverse * along;
    if constexpr (Pair::base_a == Base::frame_a || Pair::base_a == Base::frame_b)
      n = length_correction(n.squared_norm()) * n;
    result.normal = to_vector3(n);
    result.point_a = to_vector3(base_of<Pair::base_a>(X_WA, X_WB, answer.on_axis_a, answer.base_a) +
                                answer.step_a * n);
    result.point_b = to_vector3(base_of<Pair::base_b>(X_WA, X_WB, answer.on_axis_b, answer.base_b) +
                                answer.step_b * n);
    result.warm_start.direction_A = to_vector3(answer.inverse * along_A);
  }

  template <class Pair>
  static bool try_distance(const CoreShape& a, const Pose& X_WA, const CoreShape& b,
                           const Pose& X_WB, const DistanceOptions& options, Distance& result) {
    WorldAnswer answer = begun(a, b);
    if (!is_enough<Pair>(options) || !are_exact_poses(X_WA, X_WB, Pair::exactness) ||
        !Pair::solve(a, X_WA, b, X_WB, answer))
      return false;
    put_numbers(answer, options.cutoff, result);
    put<Pair>(answer, X_WA, X_WB, result);
    return true;
  }

  template <class Pair>
  static Distance distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                           const DistanceOptions& options) {
    WorldAnswer answer = begun(a.core(), b.core());
    if (!is_enough<Pair>(options) || !are_exact_poses(X_WA, X_WB, Pair::exactness) ||
        !Pair::solve(a.core(), X_WA, b.core(), X_WB, answer))
      return frame_distance(a, X_WA, b, X_WB, options);
    Distance result;
    put_numbers(answer, options.cutoff, result);
    put<Pair>(answer, X_WA, X_WB, result);
    return result;
  }
};

#if TACTUM_HAS_X86_TARGETS
/// The same with whole vectors: the same bits, since tests of range are exact and every number
/// comes from the same operations. A vector has its three numbers in the lower lanes; the highest
/// holds some other number of the poses, so that nothing traps there.
struct Avx2Level {
  /// The numbers i to i + 3 of a pose: nine of the rotation, by columns, and three of the
  /// translation, in a row.
  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static __m256d four(const Pose& pose, int i) {
    static_assert(sizeof(Pose) == 12 * sizeof(double));
    return _mm256_loadu_pd(reinterpret_cast<const double*>(&pose) + i);
  }

  /// Lanes whose size, as a whole number, is more than the limit.
  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static __m256i larger(const Pose& pose, int i,
                                                                __m256i limit) {
    const __m256i size = _mm256_and_si256(_mm256_castpd_si256(four(pose, i)),
                                          _mm256_set1_epi64x(0x7FFF'FFFF'FFFF'FFFF));
    return _mm256_cmpgt_epi64(size, limit);
  }

  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static bool are_in_range(const Pose& a, const Pose& b) {
    constexpr long long below_two = 0x3FFF'FFFF'FFFF'FFFF, length = std::bit_cast<long long>(1e30);
    const __m256d entries = _mm256_or_pd(_mm256_or_pd(four(a, 0), four(a, 4)),
                                         _mm256_or_pd(four(b, 0), four(b, 4)));
    const __m256i two_or_more = _mm256_and_si256(_mm256_castpd_si256(entries),
                                                 _mm256_set1_epi64x(0x4000'0000'0000'0000));
    const __m256i last = _mm256_set_epi64x(length, length, length, below_two);
    const __m256i any = _mm256_or_si256(two_or_more,
                                        _mm256_or_si256(larger(a, 8, last), larger(b, 8, last)));
    return _mm256_testz_si256(any, any) != 0;
  }

  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static bool are_exact(const Pose& a, const Pose& b,
                                                                double error) {
    const auto low = [](__m256d v) TACTUM_TARGET_AVX2 { return _mm256_castpd256_pd128(v); };
    const auto high = [](__m256d v) TACTUM_TARGET_AVX2 { return _mm256_extractf128_pd(v, 1); };
    const __m256d even0 = _mm256_unpacklo_pd(four(a, 0), four(b, 0)),
                  odd0 = _mm256_unpackhi_pd(four(a, 0), four(b, 0));
    const __m256d even1 = _mm256_unpacklo_pd(four(a, 4), four(b, 4)),
                  odd1 = _mm256_unpackhi_pd(four(a, 4), four(b, 4));
    const __m128d last = _mm_unpacklo_pd(low(four(a, 8)), low(four(b, 8)));
    return detail::are_exact_rotations(low(even0), low(odd0), high(even0), high(odd0), low(even1),
                                       low(odd1), high(even1), high(odd1), last, error);
  }

  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static __m256d translation(const Pose& pose) {
    return _mm256_permute4x64_pd(four(pose, 8), _MM_SHUFFLE(0, 3, 2, 1));
  }
  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static __m256d column(const Pose& pose, int i) {
    return four(pose, 3 * i);
  }

  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static __m256d packed(Double3 v) {
    return _mm256_set_m128d(_mm_set_sd(v.z), _mm_set_pd(v.y, v.x));
  }
  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static __m256d scaled(double s, __m256d v) {
    return _mm256_mul_pd(_mm256_set1_pd(s), v);
  }

  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static __m256d product(const Pose& X, Double3 v) {
    return _mm256_add_pd(_mm256_add_pd(scaled(v.x, column(X, 0)), scaled(v.y, column(X, 1))),
                         scaled(v.z, column(X, 2)));
  }

  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static void store(__m256d v, Vector3& to) {
    _mm_storeu_pd(to.data(), _mm256_castpd256_pd128(v));
    _mm_store_sd(to.data() + 2, _mm256_extractf128_pd(v, 1));
  }

  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static double squared_norm(__m256d v) {
    const __m256d squares = _mm256_mul_pd(v, v);
    const __m128d low = _mm256_castpd256_pd128(squares);
    return _mm_cvtsd_f64(
        _mm_add_sd(_mm_add_sd(low, _mm_unpackhi_pd(low, low)), _mm256_extractf128_pd(squares, 1)));
  }

  /// s R' v.
  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static void store_turned_back(double s, const Pose& X,
                                                                        __m256d v, Vector3& to) {
    const __m256d px = _mm256_mul_pd(column(X, 0), v), py = _mm256_mul_pd(column(X, 1), v),
                  pz = _mm256_mul_pd(column(X, 2), v);
    const __m256d even = _mm256_unpacklo_pd(px, py), odd = _mm256_unpackhi_pd(px, py);
    const __m128d xy = _mm_add_pd(
        _mm_add_pd(_mm256_castpd256_pd128(even), _mm256_castpd256_pd128(odd)),
        _mm256_extractf128_pd(even, 1));
    const __m128d low = _mm256_castpd256_pd128(pz);
    const __m128d z = _mm_add_sd(_mm_add_sd(low, _mm_unpackhi_pd(low, low)),
                                 _mm256_extractf128_pd(pz, 1));
    _mm_storeu_pd(to.data(), _mm_mul_pd(_mm_set1_pd(s), xy));
    _mm_store_sd(to.data() + 2, _mm_mul_sd(_mm_set_sd(s), z));
  }

  template <Base base>
  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static __m256d base_of(const Pose& X_WA, const Pose& X_WB,
                                                                 double on_axis, Double3 in_frame) {
    const Pose& X = base == Base::centre_b || base == Base::axis_b || base == Base::frame_b ? X_WB
                                                                                            : X_WA;
    if constexpr (base == Base::centre_a || base == Base::centre_b) return translation(X);
    if constexpr (base == Base::frame_a || base == Base::frame_b)
      return _mm256_add_pd(translation(X), product(X, in_frame));
    return _mm256_add_pd(translation(X), scaled(on_axis, column(X, 2)));
  }

  template <class Pair>
  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static __m256d along_in_world(const WorldAnswer& answer,
                                                                        const Pose& X_WA,
                                                                        const Pose& X_WB) {
    if constexpr (Pair::axes == Axes::centres)
      return _mm256_sub_pd(translation(X_WB), translation(X_WA));
    if constexpr (Pair::axes == Axes::frame_a) return product(X_WA, answer.along);
    if constexpr (Pair::axes == Axes::frame_b) return product(X_WB, answer.along);
    return packed(answer.along);
  }

  template <class Pair>
  TACTUM_TARGET_AVX2 TACTUM_ALWAYS_INLINE static void put(const WorldAnswer& answer,
                                                          const Pose& X_WA, const Pose& X_WB,
                                                          Distance& result) {
    const __m256d along = along_in_world<Pair>(answer, X_WA, X_WB);
    __m256d n = scaled(answer.inverse, along);
    if constexpr (Pair::base_a == Base::frame_a || Pair::base_a == Base::frame_b)
      n = scaled(length_correction(squared_norm(n)), n);
    store(n, result.normal);
    store(_mm256_add_pd(base_of<Pair::base_a>(X_WA, X_WB, answer.on_axis_a, answer.base_a),
                        scaled(answer.step_a, n)),
          result.point_a);
    store(_mm256_add_pd(base_of<Pair::base_b>(X_WA, X_WB, answer.on_axis_b, answer.base_b),
                        scaled(answer.step_b, n)),
          result.point_b);
    if constexpr (Pair::axes == Axes::frame_a) {
      result.warm_start.direction_A = to_vector3(answer.inverse * answer.along);
    } else {
      store_turned_back(answer.inverse, X_WA, along, result.warm_start.direction_A);
    }
  }

  template <class Pair>
  TACTUM_TARGET_AVX2 static bool try_distance(const CoreShape& a, const Pose& X_WA,
                                              const CoreShape& b, const Pose& X_WB,
                                              const DistanceOptions& options, Distance& result) {
    WorldAnswer answer = begun(a, b);
    if (!is_enough<Pair>(options) || !are_in_range(X_WA, X_WB) ||
        !are_exact(X_WA, X_WB, Pair::exactness) || !Pair::solve(a, X_WA, b, X_WB, answer))
      return false;
    put_numbers(answer, options.cutoff, result);
    put<Pair>(answer, X_WA, X_WB, result);
    return true;
  }

  template <class Pair>
  TACTUM_TARGET_AVX2 static Distance distance(const Shape& a, const Pose& X_WA, const Shape& b,
                                              const Pose& X_WB, const DistanceOptions& options) {
    WorldAnswer answer = begun(a.core(), b.core());
    if (!is_enough<Pair>(options) || !are_in_range(X_WA, X_WB) ||
        !are_exact(X_WA, X_WB, Pair::exactness) ||
        !Pair::solve(a.core(), X_WA, b.core(), X_WB, answer))
      return frame_distance(a, X_WA, b, X_WB, options);
    Distance result;
    put_numbers(answer, options.cutoff, result);
    put<Pair>(answer, X_WA, X_WB, result);
    return result;
  }
};

/// As with AVX2, but with twice the registers: the closed form can begin before the rotations are
/// checked, which fills the time that its root and its quotient take.
struct Avx512Level {
  template <class Pair>
  TACTUM_TARGET_AVX512 TACTUM_ALWAYS_INLINE static bool solve(const CoreShape& a, const Pose& X_WA,
                                                              const CoreShape& b, const Pose& X_WB,
                                                              const DistanceOptions& options,
                                                              WorldAnswer& answer) {
    if (!is_enough<Pair>(options) || !Avx2Level::are_in_range(X_WA, X_WB)) return false;
    if constexpr (!Pair::is_robust)
      return Avx2Level::are_exact(X_WA, X_WB, Pair::exactness) &&
             Pair::solve(a, X_WA, b, X_WB, answer);
    return Pair::solve(a, X_WA, b, X_WB, answer) &&
           Avx2Level::are_exact(X_WA, X_WB, Pair::exactness);
  }

  template <class Pair>
  TACTUM_TARGET_AVX512 static bool try_distance(const CoreShape& a, const Pose& X_WA,
                                                const CoreShape& b, const Pose& X_WB,
                                                const DistanceOptions& options, Distance& result) {
    WorldAnswer answer = begun(a, b);
    if (!solve<Pair>(a, X_WA, b, X_WB, options, answer)) return false;
    put_numbers(answer, options.cutoff, result);
    Avx2Level::put<Pair>(answer, X_WA, X_WB, result);
    return true;
  }

  template <class Pair>
  TACTUM_TARGET_AVX512 static Distance distance(const Shape& a, const Pose& X_WA, const Shape& b,
                                                const Pose& X_WB, const DistanceOptions& options) {
    WorldAnswer answer = begun(a.core(), b.core());
    if (!solve<Pair>(a.core(), X_WA, b.core(), X_WB, options, answer))
      return frame_distance(a, X_WA, b, X_WB, options);
    Distance result;
    put_numbers(answer, options.cutoff, result);
    Avx2Level::put<Pair>(answer, X_WA, X_WB, result);
    return result;
  }
};
#else
using Avx2Level = BaselineLevel;
using Avx512Level = BaselineLevel;
#endif

template <class Level>
constexpr WorldPairs make_pairs() {
  using Kind = CoreShape::Kind;
  WorldPairs pairs{};
  for (auto& row : pairs) row.fill({frame_distance, nullptr});
  const auto set = [&]<class Pair>(Kind a, Kind b, Pair) {
    pairs[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = {
        Level::template distance<Pair>, Level::template try_distance<Pair>};
  };
  set(Kind::point, Kind::point, Spheres{});
  set(Kind::point, Kind::segment, SphereCapsule<true>{});
  set(Kind::segment, Kind::point, SphereCapsule<false>{});
  set(Kind::segment, Kind::segment, Capsules{});
  set(Kind::box, Kind::box, Boxes{});
  set(Kind::ellipsoid, Kind::ellipsoid, Ellipsoids{});
  set(Kind::point, Kind::ellipsoid, SphereSolid<PointEllipsoid, true>{});
  set(Kind::ellipsoid, Kind::point, SphereSolid<PointEllipsoid, false>{});
  set(Kind::point, Kind::box, SphereSolid<PointBox, true>{});
  set(Kind::box, Kind::point, SphereSolid<PointBox, false>{});
  set(Kind::point, Kind::cylinder, SphereSolid<PointCylinder, true>{});
  set(Kind::cylinder, Kind::point, SphereSolid<PointCylinder, false>{});
  set(Kind::point, Kind::cone, SphereSolid<PointCone, true>{});
  set(Kind::cone, Kind::point, SphereSolid<PointCone, false>{});
  set(Kind::segment, Kind::box, CapsuleSolid<PointBox, true>{});
  set(Kind::box, Kind::segment, CapsuleSolid<PointBox, false>{});
  set(Kind::segment, Kind::ellipsoid, CapsuleSolid<PointEllipsoid, true>{});
  set(Kind::ellipsoid, Kind::segment, CapsuleSolid<PointEllipsoid, false>{});
  set(Kind::segment, Kind::cylinder, CapsuleSolid<PointCylinder, true>{});
  set(Kind::cylinder, Kind::segment, CapsuleSolid<PointCylinder, false>{});
  set(Kind::segment, Kind::cone, CapsuleSolid<PointCone, true>{});
  set(Kind::cone, Kind::segment, CapsuleSolid<PointCone, false>{});
  // the solid that is named first is the first
  const auto set_both = [&]<SolvePair * solve_pair>(
                            Kind first, Kind second,
                            std::integral_constant<SolvePair*, solve_pair>) {
    set(first, second, Solids<solve_pair, true>{});
    set(second, first, Solids<solve_pair, false>{});
  };
  set_both(Kind::box, Kind::cylinder, std::integral_constant<SolvePair*, solve_box_cylinder>{});
  set_both(Kind::box, Kind::cone, std::integral_constant<SolvePair*, solve_box_cone>{});
  set_both(Kind::cone, Kind::cylinder, std::integral_constant<SolvePair*, solve_cone_cylinder>{});
  set_both(Kind::ellipsoid, Kind::box, std::integral_constant<SolvePair*, solve_ellipsoid_box>{});
  set_both(Kind::ellipsoid, Kind::cylinder,
           std::integral_constant<SolvePair*, solve_ellipsoid_cylinder>{});
  set_both(Kind::ellipsoid, Kind::cone, std::integral_constant<SolvePair*, solve_ellipsoid_cone>{});
  set_both(Kind::polytope, Kind::point, std::integral_constant<SolvePair*, solve_hull_point>{});
  set(Kind::cylinder, Kind::cylinder, Solids<solve_cylinders, true>{});
  set(Kind::cone, Kind::cone, Solids<solve_cones, true>{});
  return pairs;
}

constexpr WorldPairs baseline = make_pairs<BaselineLevel>(), avx2 = make_pairs<Avx2Level>(),
                     avx512 = make_pairs<Avx512Level>();

}  // namespace

const WorldPairs& world_pairs(SimdLevel level) {
  return level == SimdLevel::avx512 ? avx512 : level == SimdLevel::avx2 ? avx2 : baseline;
}

const WorldPairs& world_pairs() {
  static const WorldPairs& chosen = world_pairs(simd_level());
  return chosen;
}

}  // namespace tactum
