// SPDX-License-Identifier: BSD-2-Clause
// Writes the result of a query from the answer of its solver: the last stage of every query.
//
// The vectors are written number by number or, where the processor has AVX2, as whole vectors; the
// bits are the same, since every number comes from the same operations.
#pragma once

#include "core/simd_level.hpp"
#include "math/exact_pose.hpp"
#include "narrow/pair/bounds_and_status.hpp"
#include "narrow/pair/pair_answer.hpp"

#if TACTUM_HAS_X86_TARGETS
#include <immintrin.h>
#endif

namespace tactum {

/// Writes bounds, status and counters. `support_error`, in m, bounds the error of the support
/// points of both cores.
[[gnu::always_inline]] inline void write_numbers(const PairAnswer& answer, double support_error,
                                                 double cutoff, Distance& result) {
  const BoundsAndStatus proved(answer.distance - answer.radius, answer.lower - answer.radius,
                               answer.upper - answer.radius, support_error, answer.scale, cutoff);
  result.status = proved.status;
  result.distance = proved.distance;
  result.lower = proved.lower;
  result.upper = proved.upper;
  result.iterations = answer.iterations;
  result.support_calls = answer.support_calls;
  result.vertices_visited = answer.vertices_visited;
}

/// Factor that makes a vector of almost unit length a unit vector: one Newton step for
/// 1 / sqrt(squared_norm).
[[gnu::always_inline]] inline double length_correction(double squared_norm) {
  return 1.5 - 0.5 * squared_norm;
}

/// Checks two poses and writes the vectors of a result, number by number. `Pair` says in which axes
/// the answer has its normal and where its points start from.
struct ScalarWriter {
  [[gnu::always_inline]] static bool are_in_range(const Pose& a, const Pose& b) {
    return are_poses_in_range(a, b);
  }
  [[gnu::always_inline]] static bool are_exact(const Pose& a, const Pose& b, double error) {
    return are_exact_rotations(a.rotation, b.rotation, error);
  }

  template <Base base>
  [[gnu::always_inline]] static Double3 base_of(const Pose& X_WA, const Pose& X_WB, double on_axis,
                                                Double3 in_frame) {
    const Pose& X = base == Base::center_b || base == Base::axis_b || base == Base::frame_b ? X_WB
                                                                                            : X_WA;
    if constexpr (base == Base::center_a || base == Base::center_b)
      return to_double3(X.translation);
    if constexpr (base == Base::frame_a || base == Base::frame_b)
      return to_double3(X.translation) + product(X.rotation, in_frame);
    return to_double3(X.translation) + on_axis * to_double3(X.rotation.col(2));
  }

  template <class Pair>
  [[gnu::always_inline]] static void write_vectors(const PairAnswer& answer, const Pose& X_WA,
                                                   const Pose& X_WB, Distance& result) {
    Double3 along = answer.along;
    if constexpr (Pair::kAxes == Axes::centers)
      along = to_double3(X_WB.translation) - to_double3(X_WA.translation);
    if constexpr (Pair::kAxes == Axes::frame_a) along = product(X_WA.rotation, answer.along);
    if constexpr (Pair::kAxes == Axes::frame_b) along = product(X_WB.rotation, answer.along);
    const Double3 along_A = Pair::kAxes == Axes::frame_a ? answer.along
                                                         : transposed_product(X_WA.rotation, along);
    Double3 n = answer.inverse * along;
    if constexpr (Pair::kBaseA == Base::frame_a || Pair::kBaseA == Base::frame_b)
      n = length_correction(n.squared_norm()) * n;
    result.normal = to_vector3(n);
    result.point_a = to_vector3(base_of<Pair::kBaseA>(X_WA, X_WB, answer.on_axis_a, answer.base_a) +
                                answer.step_a * n);
    result.point_b = to_vector3(base_of<Pair::kBaseB>(X_WA, X_WB, answer.on_axis_b, answer.base_b) +
                                answer.step_b * n);
    result.warm_start.direction_A = to_vector3(answer.inverse * along_A);
  }
};

#if TACTUM_HAS_X86_TARGETS
/// Checks two poses and writes the vectors of a result with whole vectors. A vector has its three
/// numbers in the lower lanes; the highest lane holds some other number of the poses, so that
/// nothing traps there.
struct Avx2Writer {
  /// The numbers i to i + 3 of a pose: nine of the rotation, by columns, and three of the
  /// translation, in a row.
  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static __m256d four(const Pose& pose, int i) {
    static_assert(sizeof(Pose) == 12 * sizeof(double));
    return _mm256_loadu_pd(reinterpret_cast<const double*>(&pose) + i);
  }

  /// Lanes whose absolute value, read as an integer, is more than the limit.
  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static __m256i larger(const Pose& pose, int i,
                                                                  __m256i limit) {
    const __m256i size = _mm256_and_si256(_mm256_castpd_si256(four(pose, i)),
                                          _mm256_set1_epi64x(0x7FFF'FFFF'FFFF'FFFF));
    return _mm256_cmpgt_epi64(size, limit);
  }

  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static bool are_in_range(const Pose& a, const Pose& b) {
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

  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static bool are_exact(const Pose& a, const Pose& b,
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

  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static __m256d translation(const Pose& pose) {
    return _mm256_permute4x64_pd(four(pose, 8), _MM_SHUFFLE(0, 3, 2, 1));
  }
  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static __m256d column(const Pose& pose, int i) {
    return four(pose, 3 * i);
  }

  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static __m256d packed(Double3 v) {
    return _mm256_set_m128d(_mm_set_sd(v.z), _mm_set_pd(v.y, v.x));
  }
  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static __m256d scaled(double s, __m256d v) {
    return _mm256_mul_pd(_mm256_set1_pd(s), v);
  }

  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static __m256d product(const Pose& X, Double3 v) {
    return _mm256_add_pd(_mm256_add_pd(scaled(v.x, column(X, 0)), scaled(v.y, column(X, 1))),
                         scaled(v.z, column(X, 2)));
  }

  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static void store(__m256d v, Vector3& to) {
    _mm_storeu_pd(to.data(), _mm256_castpd256_pd128(v));
    _mm_store_sd(to.data() + 2, _mm256_extractf128_pd(v, 1));
  }

  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static double squared_norm(__m256d v) {
    const __m256d squares = _mm256_mul_pd(v, v);
    const __m128d low = _mm256_castpd256_pd128(squares);
    return _mm_cvtsd_f64(
        _mm_add_sd(_mm_add_sd(low, _mm_unpackhi_pd(low, low)), _mm256_extractf128_pd(squares, 1)));
  }

  /// Stores s R' v.
  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static void store_turned_back(double s, const Pose& X,
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
  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static __m256d base_of(const Pose& X_WA,
                                                                   const Pose& X_WB, double on_axis,
                                                                   Double3 in_frame) {
    const Pose& X = base == Base::center_b || base == Base::axis_b || base == Base::frame_b ? X_WB
                                                                                            : X_WA;
    if constexpr (base == Base::center_a || base == Base::center_b) return translation(X);
    if constexpr (base == Base::frame_a || base == Base::frame_b)
      return _mm256_add_pd(translation(X), product(X, in_frame));
    return _mm256_add_pd(translation(X), scaled(on_axis, column(X, 2)));
  }

  template <class Pair>
  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static __m256d along_in_world(const PairAnswer& answer,
                                                                          const Pose& X_WA,
                                                                          const Pose& X_WB) {
    if constexpr (Pair::kAxes == Axes::centers)
      return _mm256_sub_pd(translation(X_WB), translation(X_WA));
    if constexpr (Pair::kAxes == Axes::frame_a) return product(X_WA, answer.along);
    if constexpr (Pair::kAxes == Axes::frame_b) return product(X_WB, answer.along);
    return packed(answer.along);
  }

  template <class Pair>
  [[gnu::always_inline]] TACTUM_TARGET_AVX2 static void write_vectors(const PairAnswer& answer,
                                                                      const Pose& X_WA,
                                                                      const Pose& X_WB,
                                                                      Distance& result) {
    const __m256d along = along_in_world<Pair>(answer, X_WA, X_WB);
    __m256d n = scaled(answer.inverse, along);
    if constexpr (Pair::kBaseA == Base::frame_a || Pair::kBaseA == Base::frame_b)
      n = scaled(length_correction(squared_norm(n)), n);
    store(n, result.normal);
    store(_mm256_add_pd(base_of<Pair::kBaseA>(X_WA, X_WB, answer.on_axis_a, answer.base_a),
                        scaled(answer.step_a, n)),
          result.point_a);
    store(_mm256_add_pd(base_of<Pair::kBaseB>(X_WA, X_WB, answer.on_axis_b, answer.base_b),
                        scaled(answer.step_b, n)),
          result.point_b);
    if constexpr (Pair::kAxes == Axes::frame_a) {
      result.warm_start.direction_A = to_vector3(answer.inverse * answer.along);
    } else {
      store_turned_back(answer.inverse, X_WA, along, result.warm_start.direction_A);
    }
  }
};
#else
using Avx2Writer = ScalarWriter;
#endif

}  // namespace tactum
