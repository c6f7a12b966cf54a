// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/depth/triangle_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "narrow/depth/largest_lane.hpp"

namespace tactum {
namespace {

using VertexPair = WarmPolytope::VertexPair;
using Triangle = WarmPolytope::Triangle;

void place_points_baseline(const PlacedHulls& hulls, std::span<const VertexPair> vertices,
                           PackedPoint* points) {
  const Double3 t = to_double3(hulls.X_AB.translation);
  for (const auto& [i, j] : vertices) {
    const Double3 w = product(hulls.X_AB.rotation, to_double3(hulls.b[j].point)) + t -
                      to_double3(hulls.a[i].point);
    *points++ = {w.x, w.y, w.z, 0.0};
  }
}

bool beyond_ball_baseline(const PackedPoint* points, std::span<const Triangle> triangles,
                          double radius) {
  bool all = true;
  for (const auto& [i, j, k] : triangles) {
    const Double3 p = points[i].to_double3(), q = points[j].to_double3(),
                  r = points[k].to_double3();
    const Double3 area = cross(q - p, r - p);
    // the plane with the computed normal through the lowest of the three corners is a bound
    // whatever the error of the normal
    const double height = std::min(dot(area, p), std::min(dot(area, q), dot(area, r)));
    all &= height > 0.0 && height * height >= radius * radius * area.squared_norm();
  }
  return all;
}

bool set_planes_baseline(const PackedPoint* points, std::span<const Triangle> triangles,
                         double rounding, FacePlanes& planes, bool* rough) {
  bool all = true;
  for (std::size_t f = 0; f < triangles.size(); ++f) {
    const auto& [i, j, k] = triangles[f];
    const Double3 p = points[i].to_double3(), q = points[j].to_double3(),
                  r = points[k].to_double3();
    const Double3 d = p - r, e = q - r, area = cross(e, d);
    const double squared = area.squared_norm(), edges = d.squared_norm() * e.squared_norm();
    const double inverse = 1.0 / std::sqrt(squared > 0.0 ? squared : 1.0);
    const Double3 n = inverse * area;
    const double value = inverse * std::max(dot(area, p), std::max(dot(area, q), dot(area, r)));
    planes.x[f] = n.x;
    planes.y[f] = n.y;
    planes.z[f] = n.z;
    planes.value[f] = planes.bound[f] = value;
    rough[f] = squared <= kExactSine * kExactSine * edges;
    all &= squared > kFlatSine * kFlatSine * edges && value < -rounding;
  }
  return all;
}

FanPlanes set_fan_baseline(const PackedPoint* points, const Fan& fan, double rounding,
                           FacePlanes& planes, bool* rough) {
  FanPlanes result{true, 0, -std::numeric_limits<double>::infinity()};
  const Double3 r = fan.apex;
  for (int e = 0; e < fan.count; ++e) {
    const Double3 p = points[fan.from[e]].to_double3(), q = points[fan.to[e]].to_double3();
    const Double3 d = p - r, g = q - r, area = cross(g, d);
    const double squared = area.squared_norm(), edges = d.squared_norm() * g.squared_norm();
    const double inverse = 1.0 / std::sqrt(squared > 0.0 ? squared : 1.0);
    const Double3 n = inverse * area;
    const double value = inverse * std::max(dot(area, p), std::max(dot(area, q), dot(area, r)));
    const int f = fan.slot[e];
    planes.x[f] = n.x;
    planes.y[f] = n.y;
    planes.z[f] = n.z;
    planes.value[f] = planes.bound[f] = value;
    rough[f] = squared <= kExactSine * kExactSine * edges;
    result.around &= squared > kFlatSine * kFlatSine * edges && value < -rounding;
    if (!(value > result.value)) continue;
    result.value = value;
    result.nearest = e;
  }
  return result;
}

constexpr TrianglePasses kTrianglesBaseline{place_points_baseline, beyond_ball_baseline,
                                            set_planes_baseline, set_fan_baseline};

#if TACTUM_HAS_X86_TARGETS

TACTUM_TARGET_AVX2 void place_points_avx2(const PlacedHulls& hulls,
                                          std::span<const VertexPair> vertices,
                                          PackedPoint* points) {
  const __m256i three = _mm256_set_epi64x(0, -1, -1, -1);
  const auto column = [&](const double* numbers)
                          TACTUM_TARGET_AVX2 { return _mm256_maskload_pd(numbers, three); };
  const double* const R = hulls.X_AB.rotation.data();
  const __m256d r0 = column(R), r1 = column(R + 3), r2 = column(R + 6),
                t = column(hulls.X_AB.translation.data());
  for (const auto& [i, j] : vertices) {
    const double* const b = hulls.b[j].point.data();
    const __m256d turned = _mm256_add_pd(
        _mm256_add_pd(_mm256_mul_pd(r0, _mm256_broadcast_sd(b)),
                      _mm256_mul_pd(r1, _mm256_broadcast_sd(b + 1))),
        _mm256_mul_pd(r2, _mm256_broadcast_sd(b + 2)));
    const __m256d w = _mm256_sub_pd(_mm256_add_pd(turned, t), column(hulls.a[i].point.data()));
    _mm256_store_pd(&points++->x, w);
  }
}

struct FourPoints {
  __m256d x, y, z;
};

/// Coordinates of four points, one a lane.
TACTUM_TARGET_AVX2 inline FourPoints transposed(const PackedPoint& a, const PackedPoint& b,
                                                const PackedPoint& c, const PackedPoint& d) {
  const __m256d p = _mm256_load_pd(&a.x), q = _mm256_load_pd(&b.x), r = _mm256_load_pd(&c.x),
                s = _mm256_load_pd(&d.x);
  const __m256d xz0 = _mm256_unpacklo_pd(p, q), xz1 = _mm256_unpacklo_pd(r, s);
  const __m256d y0 = _mm256_unpackhi_pd(p, q), y1 = _mm256_unpackhi_pd(r, s);
  return {_mm256_permute2f128_pd(xz0, xz1, 0x20), _mm256_permute2f128_pd(y0, y1, 0x20),
          _mm256_permute2f128_pd(xz0, xz1, 0x31)};
}

TACTUM_TARGET_AVX2 inline FourPoints difference(const FourPoints& a, const FourPoints& b) {
  return {_mm256_sub_pd(a.x, b.x), _mm256_sub_pd(a.y, b.y), _mm256_sub_pd(a.z, b.z)};
}

TACTUM_TARGET_AVX2 inline __m256d product_difference(__m256d a, __m256d b, __m256d c, __m256d d) {
  return _mm256_sub_pd(_mm256_mul_pd(a, b), _mm256_mul_pd(c, d));
}

TACTUM_TARGET_AVX2 inline __m256d dots(const FourPoints& a, const FourPoints& b) {
  return _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(a.x, b.x), _mm256_mul_pd(a.y, b.y)),
                       _mm256_mul_pd(a.z, b.z));
}

TACTUM_TARGET_AVX2 inline FourPoints crosses(const FourPoints& d, const FourPoints& e) {
  return {product_difference(d.y, e.z, d.z, e.y), product_difference(d.z, e.x, d.x, e.z),
          product_difference(d.x, e.y, d.y, e.x)};
}

TACTUM_TARGET_AVX2 bool beyond_ball_avx2(const PackedPoint* points,
                                         std::span<const Triangle> triangles, double radius) {
  const __m256d squared_radius = _mm256_set1_pd(radius * radius), zero = _mm256_setzero_pd();
  __m256d all = _mm256_cmp_pd(zero, zero, _CMP_EQ_OQ);
  const std::size_t last = triangles.size() - 1;
  for (std::size_t f = 0; f <= last; f += 4) {
    const Triangle &t0 = triangles[f], &t1 = triangles[std::min(f + 1, last)],
                   &t2 = triangles[std::min(f + 2, last)], &t3 = triangles[std::min(f + 3, last)];
    const FourPoints p = transposed(points[t0[0]], points[t1[0]], points[t2[0]], points[t3[0]]);
    const FourPoints q = transposed(points[t0[1]], points[t1[1]], points[t2[1]], points[t3[1]]);
    const FourPoints r = transposed(points[t0[2]], points[t1[2]], points[t2[2]], points[t3[2]]);
    const FourPoints area = crosses(difference(q, p), difference(r, p));
    const __m256d height = _mm256_min_pd(dots(area, p),
                                         _mm256_min_pd(dots(area, q), dots(area, r)));
    const __m256d beyond = _mm256_cmp_pd(
        _mm256_mul_pd(height, height), _mm256_mul_pd(squared_radius, dots(area, area)), _CMP_GE_OQ);
    all = _mm256_and_pd(all, _mm256_and_pd(_mm256_cmp_pd(height, zero, _CMP_GT_OQ), beyond));
  }
  return _mm256_movemask_pd(all) == 0xF;
}

TACTUM_TARGET_AVX2 bool set_planes_avx2(const PackedPoint* points,
                                        std::span<const Triangle> triangles, double rounding,
                                        FacePlanes& planes, bool* rough) {
  const __m256d exact = _mm256_set1_pd(kExactSine * kExactSine),
                flat = _mm256_set1_pd(kFlatSine * kFlatSine);
  const __m256d zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1.0),
                limit = _mm256_set1_pd(-rounding);
  int good = 0xF;
  const std::size_t last = triangles.size() - 1;
  for (std::size_t f = 0; f <= last; f += 4) {
    const Triangle &t0 = triangles[f], &t1 = triangles[std::min(f + 1, last)],
                   &t2 = triangles[std::min(f + 2, last)], &t3 = triangles[std::min(f + 3, last)];
    const FourPoints p = transposed(points[t0[0]], points[t1[0]], points[t2[0]], points[t3[0]]);
    const FourPoints q = transposed(points[t0[1]], points[t1[1]], points[t2[1]], points[t3[1]]);
    const FourPoints r = transposed(points[t0[2]], points[t1[2]], points[t2[2]], points[t3[2]]);
    const FourPoints d = difference(p, r), e = difference(q, r), area = crosses(e, d);
    const __m256d squared = dots(area, area), edges = _mm256_mul_pd(dots(d, d), dots(e, e));
    const __m256d safe = _mm256_blendv_pd(one, squared, _mm256_cmp_pd(squared, zero, _CMP_GT_OQ));
    const __m256d inverse = _mm256_div_pd(one, _mm256_sqrt_pd(safe));
    const FourPoints n = {_mm256_mul_pd(inverse, area.x), _mm256_mul_pd(inverse, area.y),
                          _mm256_mul_pd(inverse, area.z)};
    const __m256d value = _mm256_mul_pd(
        inverse, _mm256_max_pd(dots(area, p), _mm256_max_pd(dots(area, q), dots(area, r))));
    _mm256_store_pd(planes.x + f, n.x);
    _mm256_store_pd(planes.y + f, n.y);
    _mm256_store_pd(planes.z + f, n.z);
    _mm256_store_pd(planes.value + f, value);
    _mm256_store_pd(planes.bound + f, value);
    const int slivers = _mm256_movemask_pd(
        _mm256_cmp_pd(squared, _mm256_mul_pd(exact, edges), _CMP_LE_OQ));
    for (int lane = 0; lane < 4; ++lane) rough[f + lane] = (slivers >> lane & 1) != 0;
    good &= _mm256_movemask_pd(
        _mm256_and_pd(_mm256_cmp_pd(squared, _mm256_mul_pd(flat, edges), _CMP_GT_OQ),
                      _mm256_cmp_pd(value, limit, _CMP_LT_OQ)));
  }
  return good == 0xF;
}

/// Writes the four lanes to four places.
TACTUM_TARGET_AVX2 inline void scatter(__m256d v, double* to, const std::uint8_t* slot) {
  const __m128d low = _mm256_castpd256_pd128(v), high = _mm256_extractf128_pd(v, 1);
  _mm_storel_pd(to + slot[0], low);
  _mm_storeh_pd(to + slot[1], low);
  _mm_storel_pd(to + slot[2], high);
  _mm_storeh_pd(to + slot[3], high);
}

TACTUM_TARGET_AVX2 FanPlanes set_fan_avx2(const PackedPoint* points, const Fan& fan,
                                          double rounding, FacePlanes& planes, bool* rough) {
  const __m256d exact = _mm256_set1_pd(kExactSine * kExactSine),
                flat = _mm256_set1_pd(kFlatSine * kFlatSine);
  const __m256d zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1.0),
                limit = _mm256_set1_pd(-rounding);
  const FourPoints r = {_mm256_set1_pd(fan.apex.x), _mm256_set1_pd(fan.apex.y),
                        _mm256_set1_pd(fan.apex.z)};
  int good = 0xF;
  const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
  LargestLanes lanes = no_lanes();
  for (int e = 0; e < fan.count; e += 4) {
    const std::uint8_t *from = fan.from.data() + e, *to = fan.to.data() + e,
                       *slot = fan.slot.data() + e;
    const FourPoints p = transposed(points[from[0]], points[from[1]], points[from[2]],
                                    points[from[3]]);
    const FourPoints q = transposed(points[to[0]], points[to[1]], points[to[2]], points[to[3]]);
    const FourPoints d = difference(p, r), g = difference(q, r), area = crosses(g, d);
    const __m256d squared = dots(area, area), edges = _mm256_mul_pd(dots(d, d), dots(g, g));
    const __m256d safe = _mm256_blendv_pd(one, squared, _mm256_cmp_pd(squared, zero, _CMP_GT_OQ));
    const __m256d inverse = _mm256_div_pd(one, _mm256_sqrt_pd(safe));
    const FourPoints n = {_mm256_mul_pd(inverse, area.x), _mm256_mul_pd(inverse, area.y),
                          _mm256_mul_pd(inverse, area.z)};
    const __m256d value = _mm256_mul_pd(
        inverse, _mm256_max_pd(dots(area, p), _mm256_max_pd(dots(area, q), dots(area, r))));
    scatter(n.x, planes.x, slot);
    scatter(n.y, planes.y, slot);
    scatter(n.z, planes.z, slot);
    scatter(value, planes.value, slot);
    scatter(value, planes.bound, slot);
    const int slivers = _mm256_movemask_pd(
        _mm256_cmp_pd(squared, _mm256_mul_pd(exact, edges), _CMP_LE_OQ));
    for (int lane = 0; lane < 4; ++lane) rough[slot[lane]] = (slivers >> lane & 1) != 0;
    good &= _mm256_movemask_pd(
        _mm256_and_pd(_mm256_cmp_pd(squared, _mm256_mul_pd(flat, edges), _CMP_GT_OQ),
                      _mm256_cmp_pd(value, limit, _CMP_LT_OQ)));
    update_largest(lanes, value, all);
  }
  const LargestPlace nearest = largest_place(lanes);
  return {good == 0xF, nearest.place, nearest.value};
}

constexpr TrianglePasses kTrianglesAvx2{place_points_avx2, beyond_ball_avx2, set_planes_avx2,
                                        set_fan_avx2};

#else
constexpr TrianglePasses kTrianglesAvx2 = kTrianglesBaseline;
#endif

}  // namespace

const TrianglePasses& triangle_passes(SimdLevel level) {
  return level == SimdLevel::baseline ? kTrianglesBaseline : kTrianglesAvx2;
}

const TrianglePasses& triangle_passes() {
  static const TrianglePasses& chosen = triangle_passes(simd_level());
  return chosen;
}

}  // namespace tactum
