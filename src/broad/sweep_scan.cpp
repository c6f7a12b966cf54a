// SPDX-License-Identifier: BSD-2-Clause
#include "broad/sweep_scan.hpp"

#include "core/simd_level.hpp"
#if TACTUM_HAS_X86_TARGETS
#include <immintrin.h>
#endif

namespace tactum {
namespace {

SweepBlock scan_baseline(const SweepColumns& c, const SweepLimits& limits, std::size_t begin) {
  for (;; begin += kSweepBlock) {
    std::uint32_t hits = 0, inside = 0;
    for (std::size_t k = 0; k < kSweepBlock; ++k) {
      const std::size_t j = begin + k;
      const bool first = c.first_lower[j] <= limits.first_upper;
      bool all = first;
      all &= c.second_lower[j] <= limits.second_upper;
      all &= c.second_upper[j] >= limits.second_lower;
      all &= c.third_lower[j] <= limits.third_upper;
      all &= c.third_upper[j] >= limits.third_lower;
      inside |= static_cast<std::uint32_t>(first) << k;
      hits |= static_cast<std::uint32_t>(all) << k;
    }
    const bool last = inside != 0xFFFFU;
    if (hits != 0 || last) return {begin, hits, last};
  }
}

#if TACTUM_HAS_X86_TARGETS

TACTUM_TARGET_AVX2 SweepBlock scan_avx2(const SweepColumns& c, const SweepLimits& limits,
                                        std::size_t begin) {
  const __m256 first_upper = _mm256_set1_ps(limits.first_upper);
  const __m256 second_lower = _mm256_set1_ps(limits.second_lower),
               second_upper = _mm256_set1_ps(limits.second_upper);
  const __m256 third_lower = _mm256_set1_ps(limits.third_lower),
               third_upper = _mm256_set1_ps(limits.third_upper);
  for (;; begin += kSweepBlock) {
    std::uint32_t hits = 0, inside = 0;
    for (std::size_t k = 0; k < kSweepBlock; k += 8) {
      const std::size_t j = begin + k;
      const __m256 first = _mm256_cmp_ps(_mm256_loadu_ps(c.first_lower + j), first_upper,
                                         _CMP_LE_OQ);
      const __m256 second = _mm256_and_ps(
          _mm256_cmp_ps(_mm256_loadu_ps(c.second_lower + j), second_upper, _CMP_LE_OQ),
          _mm256_cmp_ps(_mm256_loadu_ps(c.second_upper + j), second_lower, _CMP_GE_OQ));
      const __m256 third = _mm256_and_ps(
          _mm256_cmp_ps(_mm256_loadu_ps(c.third_lower + j), third_upper, _CMP_LE_OQ),
          _mm256_cmp_ps(_mm256_loadu_ps(c.third_upper + j), third_lower, _CMP_GE_OQ));
      inside |= static_cast<std::uint32_t>(_mm256_movemask_ps(first)) << k;
      hits |= static_cast<std::uint32_t>(
                  _mm256_movemask_ps(_mm256_and_ps(first, _mm256_and_ps(second, third))))
              << k;
    }
    const bool last = inside != 0xFFFFU;
    if (hits != 0 || last) return {begin, hits, last};
  }
}

TACTUM_TARGET_AVX512 SweepBlock scan_avx512(const SweepColumns& c, const SweepLimits& limits,
                                            std::size_t begin) {
  const __m512 first_upper = _mm512_set1_ps(limits.first_upper);
  const __m512 second_lower = _mm512_set1_ps(limits.second_lower),
               second_upper = _mm512_set1_ps(limits.second_upper);
  const __m512 third_lower = _mm512_set1_ps(limits.third_lower),
               third_upper = _mm512_set1_ps(limits.third_upper);
  for (;; begin += kSweepBlock) {
    const __mmask16 inside = _mm512_cmp_ps_mask(_mm512_loadu_ps(c.first_lower + begin), first_upper,
                                                _CMP_LE_OQ);
    __mmask16 hits = _mm512_mask_cmp_ps_mask(inside, _mm512_loadu_ps(c.second_lower + begin),
                                             second_upper, _CMP_LE_OQ);
    hits = _mm512_mask_cmp_ps_mask(hits, _mm512_loadu_ps(c.second_upper + begin), second_lower,
                                   _CMP_GE_OQ);
    hits = _mm512_mask_cmp_ps_mask(hits, _mm512_loadu_ps(c.third_lower + begin), third_upper,
                                   _CMP_LE_OQ);
    hits = _mm512_mask_cmp_ps_mask(hits, _mm512_loadu_ps(c.third_upper + begin), third_lower,
                                   _CMP_GE_OQ);
    const bool last = inside != 0xFFFFU;
    if (hits != 0 || last) return {begin, hits, last};
  }
}

constexpr SimdVariants<SweepScan> kScans{scan_baseline, scan_avx2, scan_avx512};
#else
constexpr SimdVariants<SweepScan> kScans{scan_baseline, scan_baseline, scan_baseline};
#endif

}  // namespace

SweepScan* sweep_scan_at(SimdLevel level) { return kScans.at(level); }
SweepScan* sweep_scan() { return kScans.at(simd_level()); }

}  // namespace tactum
