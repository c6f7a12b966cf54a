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
  for (int f = 1; f < count; ++f) best = planes.bound[f] > planes.bound[best] ? f : best;
  return best;
}

/// Written so that a compiler turns it into vectors of any width.
[[gnu::always_inline]] inline void fan_pass(FanPlanes& fan, int count, const FanApex& apex) {
  constexpr double never_zero = 1e-290;  // keeps a triangle without area from dividing by zero
  const double a0 = apex.a[0], a1 = apex.a[1], a2 = apex.a[2], b0 = apex.b[0], b1 = apex.b[1], b2 = apex.b[2];
  const double r0 = apex.R[0], r1 = apex.R[1], r2 = apex.R[2], r3 = apex.R[3], r4 = apex.R[4], r5 = apex.R[5], r6 = apex.R[6],
               r7 = apex.R[7], r8 = apex.R[8];
  for (int k = 0; k <= count; ++k) {
    const double u = fan.b[0][k] - b0, v = fan.b[1][k] - b1, t = fan.b[2][k] - b2;
    fan.edge[0][k] = (r0 * u + r3 * v + r6 * t) - (fan.a[0][k] - a0);
    fan.edge[1][k] = (r1 * u + r4 * v + r7 * t) - (fan.a[1][k] - a1);
    fan.edge[2][k] = (r2 * u + r5 * v + r8 * t) - (fan.a[2][k] - a2);
  }
  const double px = apex.w[0], py = apex.w[1], pz = apex.w[2];
  for (int k = 0; k < count; ++k) {
    const double fx = fan.edge[0][k], fy = fan.edge[1][k], fz = fan.edge[2][k];
    const double tx = fan.edge[0][k + 1], ty = fan.edge[1][k + 1], tz = fan.edge[2][k + 1];
    const double cx = ty * fz - tz * fy, cy = tz * fx - tx * fz, cz = tx * fy - ty * fx;
    const double squared = cx * cx + cy * cy + cz * cz;
    const double edges = (fx * fx + fy * fy + fz * fz) * (tx * tx + ty * ty + tz * tz);
    const double inverse = 1.0 / std::sqrt(squared + never_zero);
    const double nx = cx * inverse, ny = cy * inverse, nz = cz * inverse;
    const double at_from = nx * fan.w[0][k] + ny * fan.w[1][k] + nz * fan.w[2][k];
    const double at_to = nx * fan.w[0][k + 1] + ny * fan.w[1][k + 1] + nz * fan.w[2][k + 1];
    const double at_apex = nx * px + ny * py + nz * pz;
    const double larger = at_from > at_to ? at_from : at_to;
    fan.x[k] = nx;
    fan.y[k] = ny;
    fan.z[k] = nz;
    fan.value[k] = larger > at_apex ? larger : at_apex;
    fan.squared_sine[k] = squared / (edges + never_zero);
  }
}

void fan_baseline(FanPlanes& fan, int count, const FanApex& apex) { fan_pass(fan, count, apex); }

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
  __m256d most = _mm256_load_pd(planes.bound);
  for (int f = 4; f < count; f += 4) most = _mm256_max_pd(most, _mm256_load_pd(planes.bound + f));
  most = _mm256_max_pd(most, _mm256_permute2f128_pd(most, most, 1));
  most = _mm256_max_pd(most, _mm256_permute_pd(most, 5));
  for (int f = 0;; f += 4) {
    const int equal = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_load_pd(planes.bound + f), most, _CMP_EQ_OQ));
    if (equal != 0) return f + __builtin_ctz(static_cast<unsigned>(equal));
  }
}

TACTUM_TARGET_AVX2 void fan_avx2(FanPlanes& fan, int count, const FanApex& apex) { fan_pass(fan, count, apex); }

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
