// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/formula/box_facets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#if TACTUM_HAS_X86_TARGETS
#include <immintrin.h>
#endif

namespace tactum {
namespace {

constexpr double kParallel = 1e-30;  ///< squared sine below which two edges span no facet
constexpr double kLast = -1e300;     ///< rank of an axis that belongs to no facet
constexpr std::int64_t kNumberBits = 15;

double dot(const double* u, const double* v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; }

/// Ranks facets by sep |sep|, given sep * length and length^2, without a square root; the number of
/// the facet takes the last bits.
double ranked(double scaled, double squared_length, std::int64_t facet) {
  const double square = squared_length > kParallel ? scaled * std::abs(scaled) / squared_length
                                                   : kLast;
  return std::bit_cast<double>((std::bit_cast<std::int64_t>(square) & ~kNumberBits) | facet);
}

int best_facet_baseline(const double* a, const double* b, const double* rotation, const double* t) {
  const double* R[3] = {rotation, rotation + 3, rotation + 6};
  double C[3][3], absolute_C[3][3], absolute_R[3][3];
  for (int j = 0; j < 3; ++j) {
    const double *u = R[(j + 1) % 3], *v = R[(j + 2) % 3];
    for (int i = 0; i < 3; ++i) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      C[j][i] = u[i1] * v[i2] - u[i2] * v[i1];
      absolute_C[j][i] = std::abs(C[j][i]);
      absolute_R[j][i] = std::abs(R[j][i]);
    }
  }
  const double determinant = std::abs(dot(R[0], C[0]));
  double best = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const double reach_b = absolute_R[0][i] * b[0] + absolute_R[1][i] * b[1] +
                           absolute_R[2][i] * b[2];
    best = std::max(best, ranked(std::abs(t[i]) - a[i] - reach_b, 1.0, i));
    const double along = std::abs(dot(C[i], t)) - dot(absolute_C[i], a) - b[i] * determinant;
    best = std::max(best, ranked(along, dot(C[i], C[i]), 3 + i));
  }
  for (int j = 0; j < 3; ++j) {
    const int k = (j + 1) % 3, l = (j + 2) % 3;
    for (int i = 0; i < 3; ++i) {
      // e_i x R_j has the two other components of R_j; its products with R_k and R_l are cofactors
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      const double reach_a = a[i1] * absolute_R[j][i2] + a[i2] * absolute_R[j][i1];
      const double reach_b = absolute_C[l][i] * b[k] + absolute_C[k][i] * b[l];
      const double along = std::abs(t[i1] * R[j][i2] - t[i2] * R[j][i1]) - reach_a - reach_b;
      best = std::max(best,
                      ranked(along, R[j][i1] * R[j][i1] + R[j][i2] * R[j][i2], 6 + 3 * j + i));
    }
  }
  return static_cast<int>(std::bit_cast<std::int64_t>(best) & kNumberBits);
}

#if TACTUM_HAS_X86_TARGETS

// The following functions hold three numbers in four lanes and do the operations in the order of
// the baseline. The fourth lane repeats the third and is never read.

using Lanes = __m256d;

/// Loads three numbers one at a time: the matrix has just been written in this way, and a wide load
/// would wait for the stores.
TACTUM_TARGET_AVX2 inline Lanes load(const double* p) {
  return _mm256_set_pd(p[2], p[2], p[1], p[0]);
}
TACTUM_TARGET_AVX2 inline Lanes absolute(Lanes v) {
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v);
}
/// The lanes 1, 2, 0.
TACTUM_TARGET_AVX2 inline Lanes forward(Lanes v) { return _mm256_permute4x64_pd(v, 0b11'00'10'01); }
/// The lanes 2, 0, 1.
TACTUM_TARGET_AVX2 inline Lanes backward(Lanes v) {
  return _mm256_permute4x64_pd(v, 0b11'01'00'10);
}

TACTUM_TARGET_AVX2 inline Lanes numbered(Lanes order, std::int64_t first) {
  const __m256i number = _mm256_set_epi64x(first + 2, first + 2, first + 1, first);
  const __m256i upper_bits = _mm256_andnot_si256(_mm256_set1_epi64x(kNumberBits),
                                                 _mm256_castpd_si256(order));
  return _mm256_castsi256_pd(_mm256_or_si256(upper_bits, number));
}

TACTUM_TARGET_AVX2 inline Lanes ranked(Lanes scaled, Lanes squared_length, std::int64_t first) {
  const Lanes smallest = _mm256_set1_pd(kParallel);
  const Lanes square = scaled * absolute(scaled) / _mm256_max_pd(squared_length, smallest);
  const Lanes facets = _mm256_cmp_pd(squared_length, smallest, _CMP_GT_OQ);
  return numbered(_mm256_blendv_pd(_mm256_set1_pd(kLast), square, facets), first);
}

TACTUM_TARGET_AVX2 int best_facet_avx2(const double* a_, const double* b_, const double* rotation,
                                       const double* t_) {
  const Lanes a = load(a_), b = load(b_), t = load(t_);
  const Lanes b0 = _mm256_set1_pd(b_[0]), b1 = _mm256_set1_pd(b_[1]), b2 = _mm256_set1_pd(b_[2]);
  const Lanes R0 = load(rotation), R1 = load(rotation + 3), R2 = load(rotation + 6);
  const Lanes R01 = forward(R0), R11 = forward(R1), R21 = forward(R2);
  const Lanes R02 = backward(R0), R12 = backward(R1), R22 = backward(R2);
  const Lanes C0 = R11 * R22 - R12 * R21, C1 = R21 * R02 - R22 * R01, C2 = R01 * R12 - R02 * R11;
  const Lanes M0 = absolute(C0), M1 = absolute(C1), M2 = absolute(C2);
  const Lanes face_a = absolute(t) - a -
                       (absolute(R0) * b0 + absolute(R1) * b1 + absolute(R2) * b2);

  const Lanes t1 = forward(t), t2 = backward(t), a1 = forward(a), a2 = backward(a);
  const Lanes edge0 = absolute(t1 * R02 - t2 * R01) - (a1 * absolute(R02) + a2 * absolute(R01)) -
                      (M2 * b1 + M1 * b2);
  const Lanes edge1 = absolute(t1 * R12 - t2 * R11) - (a1 * absolute(R12) + a2 * absolute(R11)) -
                      (M0 * b2 + M2 * b0);
  const Lanes edge2 = absolute(t1 * R22 - t2 * R21) - (a1 * absolute(R22) + a2 * absolute(R21)) -
                      (M1 * b0 + M0 * b1);

  // rows of C: one face of B in each lane
  const Lanes low = _mm256_unpacklo_pd(C0, C1), high = _mm256_unpackhi_pd(C0, C1);
  const Lanes C_0 = _mm256_insertf128_pd(low, _mm256_castpd256_pd128(C2), 1);
  const Lanes C_1 = _mm256_insertf128_pd(high,
                                         _mm256_castpd256_pd128(_mm256_permute_pd(C2, 0b1111)), 1);
  const Lanes C_2 = _mm256_permute2f128_pd(low, C2, 0x31);
  const Lanes volume = R0 * C0;
  const Lanes determinant = _mm256_set1_pd(std::abs(volume[0] + volume[1] + volume[2]));
  const Lanes t_0 = _mm256_set1_pd(t_[0]), t_1 = _mm256_set1_pd(t_[1]), t_2 = _mm256_set1_pd(t_[2]);
  const Lanes a_0 = _mm256_set1_pd(a_[0]), a_1 = _mm256_set1_pd(a_[1]), a_2 = _mm256_set1_pd(a_[2]);
  const Lanes face_b = absolute(C_0 * t_0 + C_1 * t_1 + C_2 * t_2) -
                       (absolute(C_0) * a_0 + absolute(C_1) * a_1 + absolute(C_2) * a_2) -
                       b * determinant;

  const Lanes faces = _mm256_max_pd(numbered(face_a * absolute(face_a), 0),
                                    ranked(face_b, C_0 * C_0 + C_1 * C_1 + C_2 * C_2, 3));
  const Lanes edges01 = _mm256_max_pd(ranked(edge0, R01 * R01 + R02 * R02, 6),
                                      ranked(edge1, R11 * R11 + R12 * R12, 9));
  const Lanes best = _mm256_max_pd(
      faces, _mm256_max_pd(edges01, ranked(edge2, R21 * R21 + R22 * R22, 12)));
  return static_cast<int>(
      std::bit_cast<std::int64_t>(std::max(std::max(best[0], best[1]), best[2])) & kNumberBits);
}

constexpr SimdVariants<BestBoxFacet> kBestFacets{best_facet_baseline, best_facet_avx2,
                                                 best_facet_avx2};
#else
constexpr SimdVariants<BestBoxFacet> kBestFacets{best_facet_baseline, best_facet_baseline,
                                                 best_facet_baseline};
#endif

}  // namespace

BestBoxFacet* best_box_facet(SimdLevel level) { return kBestFacets.at(level); }

}  // namespace tactum
