// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/face_planes.hpp"

#include <algorithm>
#include <cmath>

#if TACTUM_HAS_X86_TARGETS
#include <immintrin.h>
#endif

namespace tactum {
namespace {

bool mark_visible_baseline(const FacePlanes& planes, int count, const double* w, double rounding, std::uint64_t* visible) {
  bool clearly = false;
  for (int begin = 0; begin < count; begin += 64) {
    std::uint64_t seen = 0;
    const int end = std::min(count, begin + 64);
    for (int f = begin; f < end; ++f) {
      const double below = planes.value[f] - (planes.x[f] * w[0] + planes.y[f] * w[1] + planes.z[f] * w[2]);
      seen |= std::uint64_t{below > -rounding} << (f - begin);
      clearly |= below > rounding;
    }
    visible[begin / 64] = seen;
  }
  return clearly;
}

int best_face_baseline(const FacePlanes& planes, int count) {
  int best = 0;
  for (int f = 1; f < count; ++f) best = planes.value[f] > planes.value[best] ? f : best;
  return best;
}

/// Written so that a compiler turns it into vectors of any width.
[[gnu::always_inline]] inline void fan_pass(FanPlanes& fan, int count, const double* apex, double smallest) {
  const double px = apex[0], py = apex[1], pz = apex[2];
  for (int k = 0; k < count; ++k) {
    const double fx = fan.loop[0][k], fy = fan.loop[1][k], fz = fan.loop[2][k];
    const double tx = fan.loop[0][k + 1], ty = fan.loop[1][k + 1], tz = fan.loop[2][k + 1];
    const double ax = tx - px, ay = ty - py, az = tz - pz;
    const double bx = fx - px, by = fy - py, bz = fz - pz;
    const double cx = ay * bz - az * by, cy = az * bx - ax * bz, cz = ax * by - ay * bx;
    const double squared = cx * cx + cy * cy + cz * cz;
    const bool good = squared > smallest * smallest;
    const double area = std::sqrt(good ? squared : 1.0);
    const double inverse = 1.0 / area;
    const double nx = cx * inverse, ny = cy * inverse, nz = cz * inverse;
    const double at_from = nx * fx + ny * fy + nz * fz;
    const double at_to = nx * tx + ny * ty + nz * tz;
    const double at_apex = nx * px + ny * py + nz * pz;
    const double larger = at_from > at_to ? at_from : at_to;
    fan.x[k] = nx;
    fan.y[k] = ny;
    fan.z[k] = nz;
    fan.value[k] = larger > at_apex ? larger : at_apex;
    fan.area[k] = good ? area : 0.0;
  }
}

void fan_baseline(FanPlanes& fan, int count, const double* apex, double smallest) { fan_pass(fan, count, apex, smallest); }

constexpr FacePasses baseline{mark_visible_baseline, best_face_baseline, fan_baseline};

#if TACTUM_HAS_X86_TARGETS

TACTUM_TARGET_AVX2 bool mark_visible_avx2(const FacePlanes& planes, int count, const double* w, double rounding,
                                          std::uint64_t* visible) {
  const __m256d wx = _mm256_set1_pd(w[0]), wy = _mm256_set1_pd(w[1]), wz = _mm256_set1_pd(w[2]);
  const __m256d limit = _mm256_set1_pd(rounding), minus = _mm256_set1_pd(-rounding);
  __m256d clearly = _mm256_setzero_pd();
  for (int begin = 0; begin < count; begin += 64) {
    std::uint64_t seen = 0;
    const int end = std::min(count, begin + 64);
    for (int f = begin; f < end; f += 4) {
      const __m256d along = _mm256_add_pd(
          _mm256_add_pd(_mm256_mul_pd(_mm256_load_pd(planes.x + f), wx), _mm256_mul_pd(_mm256_load_pd(planes.y + f), wy)),
          _mm256_mul_pd(_mm256_load_pd(planes.z + f), wz));
      const __m256d below = _mm256_sub_pd(_mm256_load_pd(planes.value + f), along);
      clearly = _mm256_or_pd(clearly, _mm256_cmp_pd(below, limit, _CMP_GT_OQ));
      seen |= static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_cmp_pd(below, minus, _CMP_GT_OQ))) << (f - begin);
    }
    visible[begin / 64] = seen;
  }
  return _mm256_movemask_pd(clearly) != 0;
}

TACTUM_TARGET_AVX2 int best_face_avx2(const FacePlanes& planes, int count) {
  __m256d most = _mm256_load_pd(planes.value);
  for (int f = 4; f < count; f += 4) most = _mm256_max_pd(most, _mm256_load_pd(planes.value + f));
  most = _mm256_max_pd(most, _mm256_permute2f128_pd(most, most, 1));
  most = _mm256_max_pd(most, _mm256_permute_pd(most, 5));
  for (int f = 0;; f += 4) {
    const int equal = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_load_pd(planes.value + f), most, _CMP_EQ_OQ));
    if (equal != 0) return f + __builtin_ctz(static_cast<unsigned>(equal));
  }
}

TACTUM_TARGET_AVX2 void fan_avx2(FanPlanes& fan, int count, const double* apex, double smallest) {
  fan_pass(fan, count, apex, smallest);
}

// short passes: wider vectors than these bring nothing
constexpr FacePasses avx2{mark_visible_avx2, best_face_avx2, fan_avx2};

#else
constexpr FacePasses avx2 = baseline;
#endif

}  // namespace

const FacePasses& face_passes(SimdLevel level) { return level == SimdLevel::baseline ? baseline : avx2; }

const FacePasses& face_passes() {
  static const FacePasses& chosen = face_passes(simd_level());
  return chosen;
}

}  // namespace tactum
