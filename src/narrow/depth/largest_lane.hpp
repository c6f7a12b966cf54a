// SPDX-License-Identifier: BSD-2-Clause
// Finds the place of the largest of many numbers, four lanes at a time. Only AVX2 kernels include
// this file.
//
// Ties   go to the first of equal numbers, as in a loop from the first to the last. No branch
// depends
//        on the numbers.
#pragma once

#include "core/simd_level.hpp"

#if TACTUM_HAS_X86_TARGETS
#include <immintrin.h>

#include <limits>

namespace tactum {

/// The largest number of each lane so far, and the first place where it occurred.
struct LargestLanes {
  __m256d value, place;
  __m256d here;  ///< places of the next four numbers
};

TACTUM_TARGET_AVX2 inline LargestLanes no_lanes() {
  return {_mm256_set1_pd(-std::numeric_limits<double>::infinity()), _mm256_set1_pd(-1.0),
          _mm256_set_pd(3.0, 2.0, 1.0, 0.0)};
}

/// Updates the lanes by four more numbers; numbers whose `taken` is not set do not count.
TACTUM_TARGET_AVX2 inline void update_largest(LargestLanes& lanes, __m256d value, __m256d taken) {
  const __m256d larger = _mm256_and_pd(taken, _mm256_cmp_pd(value, lanes.value, _CMP_GT_OQ));
  lanes.value = _mm256_blendv_pd(lanes.value, value, larger);
  lanes.place = _mm256_blendv_pd(lanes.place, lanes.here, larger);
  lanes.here = _mm256_add_pd(lanes.here, _mm256_set1_pd(4.0));
}

TACTUM_TARGET_AVX2 inline __m256d largest_of(__m256d v) {
  v = _mm256_max_pd(v, _mm256_permute2f128_pd(v, v, 1));
  return _mm256_max_pd(v, _mm256_permute_pd(v, 5));
}

struct LargestPlace {
  int place;  ///< -1 when no number counted
  double value;
};

TACTUM_TARGET_AVX2 inline LargestPlace largest_place(const LargestLanes& lanes) {
  const __m256d most = largest_of(lanes.value),
                equal = _mm256_cmp_pd(lanes.value, most, _CMP_EQ_OQ);
  // the lowest place, as minus the largest of the negated ones
  const __m256d negated = _mm256_sub_pd(_mm256_setzero_pd(), lanes.place);
  const __m256d first = largest_of(
      _mm256_blendv_pd(_mm256_set1_pd(-std::numeric_limits<double>::infinity()), negated, equal));
  return {-_mm_cvttsd_si32(_mm256_castpd256_pd128(first)), _mm256_cvtsd_f64(most)};
}

}  // namespace tactum
#endif
