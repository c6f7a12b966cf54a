// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/depth/plane_kernels.hpp"

#include <algorithm>
#include <limits>

#include "narrow/depth/largest_lane.hpp"

namespace tactum {
namespace {

bool mark_visible_baseline(const FacePlanes& planes, int count, const double* w, double rounding,
                           std::uint64_t* visible) {
  bool clearly = false;
  for (int begin = 0; begin < count; begin += 64) {
    std::uint64_t seen = 0;
    const int end = std::min(count, begin + 64);
    for (int f = begin; f < end; ++f) {
      const double below = planes.value[f] -
                           (planes.x[f] * w[0] + planes.y[f] * w[1] + planes.z[f] * w[2]);
      seen |= std::uint64_t{below > -rounding} << (f - begin);
      clearly |= below > rounding;
    }
    visible[begin / 64] = seen;
  }
  return clearly;
}

bool is_marked(const std::uint64_t* marked, int f) {
  return (marked[f / 64] >> (f % 64) & 1U) != 0;
}

int best_unmarked_baseline(const FacePlanes& planes, int count, const std::uint64_t* marked) {
  int best = -1;
  for (int f = 0; f < count; ++f) {
    if (!is_marked(marked, f) && (best < 0 || planes.bound[f] > planes.bound[best])) best = f;
  }
  return best;
}

SeenFaces see_point_baseline(const FacePlanes& planes, int count, const double* w, double rounding,
                             std::uint64_t* visible) {
  SeenFaces seen{-1, mark_visible_baseline(planes, count, w, rounding, visible)};
  double most = -std::numeric_limits<double>::infinity();
  for (int f = 0; f < count; ++f) {
    if (is_marked(visible, f) || !(planes.value[f] > most)) continue;
    most = planes.value[f];
    seen.best = f;
  }
  return seen;
}

constexpr FacePasses kFacesBaseline{mark_visible_baseline, best_unmarked_baseline,
                                    see_point_baseline};

#if TACTUM_HAS_X86_TARGETS

TACTUM_TARGET_AVX2 bool mark_visible_avx2(const FacePlanes& planes, int count, const double* w,
                                          double rounding, std::uint64_t* visible) {
  const __m256d wx = _mm256_set1_pd(w[0]), wy = _mm256_set1_pd(w[1]), wz = _mm256_set1_pd(w[2]);
  const __m256d limit = _mm256_set1_pd(rounding), minus = _mm256_set1_pd(-rounding);
  __m256d clearly = _mm256_setzero_pd();
  for (int begin = 0; begin < count; begin += 64) {
    std::uint64_t seen = 0;
    const int end = std::min(count, begin + 64);
    for (int f = begin; f < end; f += 4) {
      const __m256d along = _mm256_add_pd(
          _mm256_add_pd(_mm256_mul_pd(_mm256_load_pd(planes.x + f), wx),
                        _mm256_mul_pd(_mm256_load_pd(planes.y + f), wy)),
          _mm256_mul_pd(_mm256_load_pd(planes.z + f), wz));
      const __m256d below = _mm256_sub_pd(_mm256_load_pd(planes.value + f), along);
      clearly = _mm256_or_pd(clearly, _mm256_cmp_pd(below, limit, _CMP_GT_OQ));
      seen |=
          static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_cmp_pd(below, minus, _CMP_GT_OQ)))
          << (f - begin);
    }
    visible[begin / 64] = seen;
  }
  return _mm256_movemask_pd(clearly) != 0;
}

/// Four lanes that are all ones where the face is not marked.
TACTUM_TARGET_AVX2 __m256d unmarked(const std::uint64_t* marked, int f) {
  const auto bits = static_cast<long long>(~(marked[f / 64] >> (f % 64)));
  const __m256i lanes = _mm256_set_epi64x(8, 4, 2, 1);
  return _mm256_castsi256_pd(
      _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits), lanes), lanes));
}

TACTUM_TARGET_AVX2 int best_unmarked_avx2(const FacePlanes& planes, int count,
                                          const std::uint64_t* marked) {
  const __m256d none = _mm256_set1_pd(-std::numeric_limits<double>::infinity());
  const auto bounds = [&](int f) TACTUM_TARGET_AVX2 {
    return _mm256_blendv_pd(none, _mm256_load_pd(planes.bound + f), unmarked(marked, f));
  };
  __m256d most = none;
  for (int f = 0; f < count; f += 4) most = _mm256_max_pd(most, bounds(f));
  most = _mm256_max_pd(most, _mm256_permute2f128_pd(most, most, 1));
  most = _mm256_max_pd(most, _mm256_permute_pd(most, 5));
  for (int f = 0; f < count; f += 4) {
    const __m256d equal = _mm256_and_pd(_mm256_cmp_pd(bounds(f), most, _CMP_EQ_OQ),
                                        unmarked(marked, f));
    const int lanes = _mm256_movemask_pd(equal);
    if (lanes != 0) {
      const int best = f + __builtin_ctz(static_cast<unsigned>(lanes));
      return best < count ? best : -1;
    }
  }
  return -1;
}

TACTUM_TARGET_AVX2 SeenFaces see_point_avx2(const FacePlanes& planes, int count, const double* w,
                                            double rounding, std::uint64_t* visible) {
  const __m256d wx = _mm256_broadcast_sd(w), wy = _mm256_broadcast_sd(w + 1),
                wz = _mm256_broadcast_sd(w + 2);
  const __m256d limit = _mm256_set1_pd(rounding), minus = _mm256_set1_pd(-rounding);
  const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
  __m256d clearly = _mm256_setzero_pd();
  LargestLanes hidden = no_lanes();
  for (int begin = 0; begin < count; begin += 64) {
    std::uint64_t seen = 0;
    const int end = std::min(count, begin + 64);
    for (int f = begin; f < end; f += 4) {
      const __m256d along = _mm256_add_pd(
          _mm256_add_pd(_mm256_mul_pd(_mm256_load_pd(planes.x + f), wx),
                        _mm256_mul_pd(_mm256_load_pd(planes.y + f), wy)),
          _mm256_mul_pd(_mm256_load_pd(planes.z + f), wz));
      const __m256d value = _mm256_load_pd(planes.value + f), below = _mm256_sub_pd(value, along);
      const __m256d sees = _mm256_cmp_pd(below, minus, _CMP_GT_OQ);
      clearly = _mm256_or_pd(clearly, _mm256_cmp_pd(below, limit, _CMP_GT_OQ));
      seen |= static_cast<std::uint64_t>(_mm256_movemask_pd(sees)) << (f - begin);
      update_largest(hidden, value, _mm256_andnot_pd(sees, all));
    }
    visible[begin / 64] = seen;
  }
  return {largest_place(hidden).place, _mm256_movemask_pd(clearly) != 0};
}

// the passes are short: wider vectors bring no gain
constexpr FacePasses kFacesAvx2{mark_visible_avx2, best_unmarked_avx2, see_point_avx2};

#else
constexpr FacePasses kFacesAvx2 = kFacesBaseline;
#endif

}  // namespace

const FacePasses& face_passes(SimdLevel level) {
  return level == SimdLevel::baseline ? kFacesBaseline : kFacesAvx2;
}

const FacePasses& face_passes() {
  static const FacePasses& chosen = face_passes(simd_level());
  return chosen;
}

}  // namespace tactum
