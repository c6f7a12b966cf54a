// SPDX-License-Identifier: BSD-2-Clause
// Scans of one list of a direction table, for each SIMD level.
//
// Tiny       at most 16 vertices: all heights in double, their maximum, and the first that equals
//            it. Where a height is not a number no lane equals the maximum: the remainder then
//            gives vertex 0.
// Short      one block, as nearly all lists of a table have: all heights in registers, one maximum,
//            one comparison.
// Long       several blocks: the best and the second best height of each lane are kept, with the
//            vertex of the best.
// Doubt      where more than one height is within the tolerance of the maximum, those vertices are
//            compared in double. This happens at the end of most distance queries, whose direction
//            is normal to a face or an edge, so it has to be fast as well.
#include "shape/hull/support_scan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#if TACTUM_HAS_X86_TARGETS
#include <immintrin.h>
#endif

namespace tactum {
namespace {

constexpr unsigned kWidth = SupportBlock::kWidth;
constexpr float kLowest = std::numeric_limits<float>::lowest();

/// The direction in the frame of the table, and the list of its cell.
struct Query {
  float x, y, z;
  float margin;  // heights nearer than this are told apart in double
  const SupportBlock* first;
  const SupportBlock* rest;  // the second block of the list and those after it
  unsigned count;

  unsigned num_blocks() const { return (count + kWidth - 1) / kWidth; }
  const SupportBlock& block(unsigned index) const { return index == 0 ? *first : rest[index - 1]; }
};

/// The cell of a direction in the frame of the table, given with its length |x| + |y| + |z|; the
/// table has cells.
[[gnu::always_inline]] inline unsigned cell_of(const SupportView& view, float x, float y, float z,
                                               float length) {
  const auto resolution = static_cast<unsigned>(view.resolution);
  const float per_cell = static_cast<float>(view.resolution) / length;
  // on the diagonal, and within rounding of it, the square beyond is not a cell
  const unsigned row = std::min(
      static_cast<unsigned>(static_cast<std::int32_t>(std::abs(y) * per_cell)), resolution - 1);
  const unsigned column = std::min(
      static_cast<unsigned>(static_cast<std::int32_t>(std::abs(x) * per_cell)),
      resolution - 1 - row);
  const auto sign = [](float value) { return std::bit_cast<std::uint32_t>(value) >> 31; };
  const unsigned octant = sign(x) | sign(y) << 1 | sign(z) << 2;
  return octant * DirectionTable::cells_in_octant(resolution) +
         DirectionTable::row_start(row, resolution) + column;
}

/// Prepares a scan. `direction` is finite, not zero, and in the range of float.
[[gnu::always_inline]] inline Query query_of(const SupportView& view, const double* direction) {
  const float x = view.scale[0] * static_cast<float>(direction[0]);
  const float y = view.scale[1] * static_cast<float>(direction[1]);
  const float z = view.scale[2] * static_cast<float>(direction[2]);
  const float length = std::abs(x) + std::abs(y) + std::abs(z);
  const unsigned cell = view.resolution > 0 ? cell_of(view, x, y, z, length) : 0;
  const SupportList list = view.lists[cell];
  return {x,
          y,
          z,
          view.tolerance * length,
          view.blocks + cell,
          view.blocks + list.next_block,
          list.num_vertices};
}

/// The best of the vertices offered, by height in double and then by index.
struct Decision {
  const HullVertex* vertices;
  const double* direction;
  int best = std::numeric_limits<int>::max();
  double best_height = -std::numeric_limits<double>::infinity();

  [[gnu::always_inline]] void consider(int vertex) {
    const double* point = vertices[vertex].point.data();
    const double height = direction[0] * point[0] + direction[1] * point[1] +
                          direction[2] * point[2];
    if (height > best_height || (height == best_height && vertex < best)) {
      best = vertex;
      best_height = height;
    }
  }
};

// -------------------------------------------------------------------------------------------------
// baseline

// instructions of every processor: four floats at a time, in the compiler's own notation
using Floats = float __attribute__((vector_size(16)));

inline Floats load(const float* from) {
  Floats result;
  std::memcpy(&result, from, sizeof(result));
  return result;
}

inline Floats heights_baseline(const Query& query, const SupportBlock& block, unsigned first) {
  return query.x * load(block.x.data() + first) + query.y * load(block.y.data() + first) +
         query.z * load(block.z.data() + first);
}

int farthest_baseline(const Query& query, const SupportView& view, const double* direction) {
  Floats highest{kLowest, kLowest, kLowest, kLowest};
  for (unsigned b = 0; b < query.num_blocks(); ++b) {
    for (unsigned first = 0; first < kWidth; first += 4) {
      const Floats heights = heights_baseline(query, query.block(b), first);
      highest = heights > highest ? heights : highest;
    }
  }
  const float threshold = std::max(std::max(highest[0], highest[1]),
                                   std::max(highest[2], highest[3])) -
                          query.margin;
  Decision decision{view.vertices, direction};
  for (unsigned b = 0; b < query.num_blocks(); ++b) {
    for (unsigned first = 0; first < kWidth; first += 4) {
      const auto within = heights_baseline(query, query.block(b), first) >= threshold;
      if ((within[0] | within[1] | within[2] | within[3]) == 0) continue;
      for (unsigned k = 0; k < 4; ++k) {
        if (within[k] != 0) decision.consider(query.block(b).vertex[first + k]);
      }
    }
  }
  return decision.best;
}

int tiny_baseline(const SupportView& view, const double* direction) {
  const TinyHull& hull = *view.tiny;
  std::array<double, TinyHull::kMostVertices> heights;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    heights[i] = direction[0] * hull.x[i] + direction[1] * hull.y[i] + direction[2] * hull.z[i];
  }
  std::array<double, 4> highest{heights[0], heights[1], heights[2], heights[3]};
  for (std::size_t i = 4; i < heights.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k)
      highest[k] = heights[i + k] > highest[k] ? heights[i + k] : highest[k];
  }
  const double most = std::max(std::max(highest[0], highest[1]), std::max(highest[2], highest[3]));
  int first = 0;
  for (int i = view.num_vertices - 1; i >= 0; --i) first = heights[i] == most ? i : first;
  return first;
}

#if TACTUM_HAS_X86_TARGETS

// -------------------------------------------------------------------------------------------------
// avx2

struct DirectionAvx2 {
  __m256 x, y, z;
};

/// Heights of eight entries of a block, from `first` on.
TACTUM_TARGET_AVX2 inline __m256 heights(const SupportBlock& block, unsigned first,
                                         const DirectionAvx2& d) {
  const __m256 xy = _mm256_add_ps(_mm256_mul_ps(d.x, _mm256_load_ps(block.x.data() + first)),
                                  _mm256_mul_ps(d.y, _mm256_load_ps(block.y.data() + first)));
  return _mm256_add_ps(xy, _mm256_mul_ps(d.z, _mm256_load_ps(block.z.data() + first)));
}

/// The largest lane, in every lane.
TACTUM_TARGET_AVX2 inline __m256 largest_lane(__m256 v) {
  v = _mm256_max_ps(v, _mm256_permute2f128_ps(v, v, 1));
  v = _mm256_max_ps(v, _mm256_permute_ps(v, 0x4e));
  return _mm256_max_ps(v, _mm256_permute_ps(v, 0xb1));
}

TACTUM_TARGET_AVX2 inline unsigned lanes_at_least(__m256 v, __m256 threshold) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(v, threshold, _CMP_GE_OQ)));
}

/// Compares in double the entries of the list whose float heights reach the threshold.
[[gnu::noinline]] TACTUM_TARGET_AVX2 int decide_avx2(const Query& query, float threshold,
                                                     const SupportView& view,
                                                     const double* direction) {
  const DirectionAvx2 d{_mm256_set1_ps(query.x), _mm256_set1_ps(query.y), _mm256_set1_ps(query.z)};
  const __m256 least = _mm256_set1_ps(threshold);
  Decision decision{view.vertices, direction};
  for (unsigned b = 0; b < query.num_blocks(); ++b) {
    const SupportBlock& block = query.block(b);
    unsigned within = lanes_at_least(heights(block, 0, d), least) |
                      lanes_at_least(heights(block, 8, d), least) << 8;
    within = _bzhi_u32(within, std::min(query.count - b * kWidth, kWidth));
    for (; within != 0; within = _blsr_u32(within))
      decision.consider(block.vertex[std::countr_zero(within)]);
  }
  return decision.best;
}

/// The best heights that each of eight lanes has met.
struct LanesAvx2 {
  __m256 best, second;
  __m256i vertex;  // of the best
};

TACTUM_TARGET_AVX2 inline void update_lanes(LanesAvx2& lanes, const SupportBlock& block,
                                            unsigned first, const DirectionAvx2& d) {
  const __m256 height = heights(block, first, d);
  const __m256 higher = _mm256_cmp_ps(height, lanes.best, _CMP_GT_OQ);
  const __m256i here = _mm256_load_si256(
      reinterpret_cast<const __m256i*>(block.vertex.data() + first));
  lanes.vertex = _mm256_blendv_epi8(lanes.vertex, here, _mm256_castps_si256(higher));
  lanes.second = _mm256_max_ps(lanes.second, _mm256_min_ps(lanes.best, height));
  lanes.best = _mm256_max_ps(lanes.best, height);
}

TACTUM_TARGET_AVX2 int farthest_in_long_list_avx2(const Query& query, const SupportView& view,
                                                  const double* direction) {
  const DirectionAvx2 d{_mm256_set1_ps(query.x), _mm256_set1_ps(query.y), _mm256_set1_ps(query.z)};
  const __m256 none = _mm256_set1_ps(kLowest);
  LanesAvx2 low{none, none, _mm256_setzero_si256()}, high = low;
  for (unsigned b = 0; b < query.num_blocks(); ++b) {
    update_lanes(low, query.block(b), 0, d);
    update_lanes(high, query.block(b), 8, d);
  }
  const __m256 threshold = _mm256_sub_ps(largest_lane(_mm256_max_ps(low.best, high.best)),
                                         _mm256_set1_ps(query.margin));
  const unsigned within = lanes_at_least(low.best, threshold) | lanes_at_least(high.best, threshold)
                                                                    << 8;
  const unsigned also = lanes_at_least(_mm256_max_ps(low.second, high.second), threshold);
  if ((_blsr_u32(within) | also) != 0)
    return decide_avx2(query, _mm256_cvtss_f32(threshold), view, direction);
  alignas(32) std::array<std::int32_t, kWidth> vertex;
  _mm256_store_si256(reinterpret_cast<__m256i*>(vertex.data()), low.vertex);
  _mm256_store_si256(reinterpret_cast<__m256i*>(vertex.data() + 8), high.vertex);
  return vertex[std::countr_zero(within)];
}

TACTUM_TARGET_AVX2 inline int farthest_avx2(const Query& query, const SupportView& view,
                                            const double* direction) {
  if (query.count > kWidth) return farthest_in_long_list_avx2(query, view, direction);
  const DirectionAvx2 d{_mm256_set1_ps(query.x), _mm256_set1_ps(query.y), _mm256_set1_ps(query.z)};
  const __m256 low = heights(*query.first, 0, d), high = heights(*query.first, 8, d);
  const __m256 threshold = _mm256_sub_ps(largest_lane(_mm256_max_ps(low, high)),
                                         _mm256_set1_ps(query.margin));
  const unsigned within = _bzhi_u32(
      lanes_at_least(low, threshold) | lanes_at_least(high, threshold) << 8, query.count);
  if (_blsr_u32(within) != 0)
    return decide_avx2(query, _mm256_cvtss_f32(threshold), view, direction);
  return query.first->vertex[std::countr_zero(within)];
}

TACTUM_TARGET_AVX2 inline __m256d heights(const TinyHull& hull, unsigned first, __m256d x,
                                          __m256d y, __m256d z) {
  const __m256d xy = _mm256_add_pd(_mm256_mul_pd(x, _mm256_load_pd(hull.x.data() + first)),
                                   _mm256_mul_pd(y, _mm256_load_pd(hull.y.data() + first)));
  return _mm256_add_pd(xy, _mm256_mul_pd(z, _mm256_load_pd(hull.z.data() + first)));
}

TACTUM_TARGET_AVX2 inline int tiny_avx2(const SupportView& view, const double* direction) {
  const TinyHull& hull = *view.tiny;
  const __m256d x = _mm256_broadcast_sd(direction), y = _mm256_broadcast_sd(direction + 1),
                z = _mm256_broadcast_sd(direction + 2);
  const __m256d a = heights(hull, 0, x, y, z), b = heights(hull, 4, x, y, z);
  const __m256d c = heights(hull, 8, x, y, z), d = heights(hull, 12, x, y, z);
  __m256d highest = _mm256_max_pd(_mm256_max_pd(a, b), _mm256_max_pd(c, d));
  highest = _mm256_max_pd(highest, _mm256_permute2f128_pd(highest, highest, 1));
  highest = _mm256_max_pd(highest, _mm256_permute_pd(highest, 0x5));
  const int in_ab = _mm256_movemask_pd(_mm256_cmp_pd(a, highest, _CMP_EQ_OQ)) |
                    _mm256_movemask_pd(_mm256_cmp_pd(b, highest, _CMP_EQ_OQ)) << 4;
  const int in_cd = _mm256_movemask_pd(_mm256_cmp_pd(c, highest, _CMP_EQ_OQ)) |
                    _mm256_movemask_pd(_mm256_cmp_pd(d, highest, _CMP_EQ_OQ)) << 4;
  const unsigned first = _bzhi_u32(static_cast<unsigned>(in_ab | in_cd << 8),
                                   static_cast<unsigned>(view.num_vertices));
  return std::countr_zero(first) % TinyHull::kMostVertices;
}

// -------------------------------------------------------------------------------------------------
// avx512

struct DirectionAvx512 {
  __m512 x, y, z;
};

TACTUM_TARGET_AVX512 inline __m512 heights(const SupportBlock& block, const DirectionAvx512& d) {
  const __m512 xy = _mm512_add_ps(_mm512_mul_ps(d.x, _mm512_load_ps(block.x.data())),
                                  _mm512_mul_ps(d.y, _mm512_load_ps(block.y.data())));
  return _mm512_add_ps(xy, _mm512_mul_ps(d.z, _mm512_load_ps(block.z.data())));
}

TACTUM_TARGET_AVX512 inline __m512 largest_lane(__m512 v) {
  v = _mm512_maskz_max_ps(0xffff, v, _mm512_maskz_shuffle_f32x4(0xffff, v, v, 0x4e));
  v = _mm512_maskz_max_ps(0xffff, v, _mm512_maskz_shuffle_f32x4(0xffff, v, v, 0xb1));
  v = _mm512_maskz_max_ps(0xffff, v, _mm512_maskz_permute_ps(0xffff, v, 0x4e));
  return _mm512_maskz_max_ps(0xffff, v, _mm512_maskz_permute_ps(0xffff, v, 0xb1));
}

TACTUM_TARGET_AVX512 inline unsigned lanes_at_least(__m512 v, __m512 threshold) {
  return _mm512_cmp_ps_mask(v, threshold, _CMP_GE_OQ);
}

TACTUM_TARGET_AVX512 int farthest_in_long_list_avx512(const Query& query, const SupportView& view,
                                                      const double* direction) {
  const DirectionAvx512 d{_mm512_set1_ps(query.x), _mm512_set1_ps(query.y),
                          _mm512_set1_ps(query.z)};
  __m512 best = _mm512_set1_ps(kLowest), second = best;
  __m512i vertex = _mm512_setzero_si512();
  for (unsigned b = 0; b < query.num_blocks(); ++b) {
    const __m512 height = heights(query.block(b), d);
    const __mmask16 higher = _mm512_cmp_ps_mask(height, best, _CMP_GT_OQ);
    vertex = _mm512_mask_mov_epi32(vertex, higher, _mm512_load_si512(query.block(b).vertex.data()));
    second = _mm512_maskz_max_ps(0xffff, second, _mm512_maskz_min_ps(0xffff, best, height));
    best = _mm512_maskz_max_ps(0xffff, best, height);
  }
  const __m512 threshold = _mm512_sub_ps(largest_lane(best), _mm512_set1_ps(query.margin));
  const unsigned within = lanes_at_least(best, threshold);
  if ((_blsr_u32(within) | lanes_at_least(second, threshold)) != 0) {
    return decide_avx2(query, _mm512_cvtss_f32(threshold), view, direction);
  }
  alignas(64) std::array<std::int32_t, kWidth> vertices;
  _mm512_store_si512(vertices.data(), vertex);
  return vertices[std::countr_zero(within)];
}

TACTUM_TARGET_AVX512 inline int farthest_avx512(const Query& query, const SupportView& view,
                                                const double* direction) {
  if (query.count > kWidth) return farthest_in_long_list_avx512(query, view, direction);
  const DirectionAvx512 d{_mm512_set1_ps(query.x), _mm512_set1_ps(query.y),
                          _mm512_set1_ps(query.z)};
  const __m512 height = heights(*query.first, d);
  const __m512 threshold = _mm512_sub_ps(largest_lane(height), _mm512_set1_ps(query.margin));
  const unsigned within = _bzhi_u32(lanes_at_least(height, threshold), query.count);
  if (_blsr_u32(within) != 0)
    return decide_avx2(query, _mm512_cvtss_f32(threshold), view, direction);
  return query.first->vertex[std::countr_zero(within)];
}

TACTUM_TARGET_AVX512 inline __m512d heights(const TinyHull& hull, unsigned first, __m512d x,
                                            __m512d y, __m512d z) {
  const __m512d xy = _mm512_add_pd(_mm512_mul_pd(x, _mm512_load_pd(hull.x.data() + first)),
                                   _mm512_mul_pd(y, _mm512_load_pd(hull.y.data() + first)));
  return _mm512_add_pd(xy, _mm512_mul_pd(z, _mm512_load_pd(hull.z.data() + first)));
}

TACTUM_TARGET_AVX512 inline int tiny_avx512(const SupportView& view, const double* direction) {
  const TinyHull& hull = *view.tiny;
  const __m512d x = _mm512_set1_pd(direction[0]), y = _mm512_set1_pd(direction[1]),
                z = _mm512_set1_pd(direction[2]);
  const __m512d a = heights(hull, 0, x, y, z), b = heights(hull, 8, x, y, z);
  __m512d highest = _mm512_maskz_max_pd(0xff, a, b);
  highest = _mm512_maskz_max_pd(0xff, highest,
                                _mm512_maskz_shuffle_f64x2(0xff, highest, highest, 0x4e));
  highest = _mm512_maskz_max_pd(0xff, highest,
                                _mm512_maskz_shuffle_f64x2(0xff, highest, highest, 0xb1));
  highest = _mm512_maskz_max_pd(0xff, highest, _mm512_maskz_permute_pd(0xff, highest, 0x55));
  const unsigned in_a = _mm512_cmp_pd_mask(a, highest, _CMP_EQ_OQ),
                 in_b = _mm512_cmp_pd_mask(b, highest, _CMP_EQ_OQ);
  const unsigned first = _bzhi_u32(in_a | in_b << 8, static_cast<unsigned>(view.num_vertices));
  return std::countr_zero(first) % TinyHull::kMostVertices;
}

#endif

// -------------------------------------------------------------------------------------------------
// choice of level

/// Whether the direction is far from the limits of float.
[[gnu::always_inline]] inline bool fits_float(const double* direction) {
  const double length = std::abs(direction[0]) + std::abs(direction[1]) + std::abs(direction[2]);
  return length > 0x1p-60 && length < 0x1p60;
}

/// Like scan, for a direction that is too long or too short: it is scaled by a power of two, which
/// keeps the order of heights.
[[gnu::noinline]] int scan_scaled(SupportScan* scan, const SupportView& view,
                                  const double* direction, int& visited) {
  double largest = 0.0;
  for (int k = 0; k < 3; ++k) {
    if (!std::isfinite(direction[k])) return 0;
    largest = std::max(largest, std::abs(direction[k]));
  }
  if (largest == 0.0) return 0;
  const int exponent = std::ilogb(largest);
  const std::array<double, 3> scaled{std::scalbn(direction[0], -exponent),
                                     std::scalbn(direction[1], -exponent),
                                     std::scalbn(direction[2], -exponent)};
  return scan(view, scaled.data(), visited);
}

int scan_baseline(const SupportView& view, const double* direction, int& visited) {
  if (!fits_float(direction)) [[unlikely]]
    return scan_scaled(scan_baseline, view, direction, visited);
  const Query query = query_of(view, direction);
  visited += static_cast<int>(query.count);
  return farthest_baseline(query, view, direction);
}

int scan_tiny_baseline(const SupportView& view, const double* direction, int& visited) {
  visited += view.num_vertices;
  return tiny_baseline(view, direction);
}

#if TACTUM_HAS_X86_TARGETS

TACTUM_TARGET_AVX2 int scan_avx2(const SupportView& view, const double* direction, int& visited) {
  if (!fits_float(direction)) [[unlikely]]
    return scan_scaled(scan_avx2, view, direction, visited);
  const Query query = query_of(view, direction);
  visited += static_cast<int>(query.count);
  return farthest_avx2(query, view, direction);
}

TACTUM_TARGET_AVX2 int scan_tiny_avx2(const SupportView& view, const double* direction,
                                      int& visited) {
  visited += view.num_vertices;
  return tiny_avx2(view, direction);
}

TACTUM_TARGET_AVX512 int scan_avx512(const SupportView& view, const double* direction,
                                     int& visited) {
  if (!fits_float(direction)) [[unlikely]]
    return scan_scaled(scan_avx512, view, direction, visited);
  const Query query = query_of(view, direction);
  visited += static_cast<int>(query.count);
  return farthest_avx512(query, view, direction);
}

TACTUM_TARGET_AVX512 int scan_tiny_avx512(const SupportView& view, const double* direction,
                                          int& visited) {
  visited += view.num_vertices;
  return tiny_avx512(view, direction);
}

constexpr SimdVariants<SupportScan> kScans{scan_baseline, scan_avx2, scan_avx512};
constexpr SimdVariants<SupportScan> kTinyScans{scan_tiny_baseline, scan_tiny_avx2,
                                               scan_tiny_avx512};
#else
constexpr SimdVariants<SupportScan> kScans{scan_baseline, scan_baseline, scan_baseline};
constexpr SimdVariants<SupportScan> kTinyScans{scan_tiny_baseline, scan_tiny_baseline,
                                               scan_tiny_baseline};
#endif

}  // namespace

void prefetch_list(const SupportView& view, const double* direction) {
  if (view.resolution == 0) return;
  const float x = view.scale[0] * static_cast<float>(direction[0]);
  const float y = view.scale[1] * static_cast<float>(direction[1]);
  const float z = view.scale[2] * static_cast<float>(direction[2]);
  const unsigned cell = cell_of(view, x, y, z, std::abs(x) + std::abs(y) + std::abs(z));
  const char* const block = reinterpret_cast<const char*>(view.blocks + cell);
  __builtin_prefetch(view.lists + cell);
  for (std::size_t line = 0; line < sizeof(SupportBlock); line += 64)
    __builtin_prefetch(block + line);
}

SupportScan* support_scan(const DirectionTable& table, SimdLevel level) {
  return (table.view().tiny != nullptr ? kTinyScans : kScans).at(level);
}

}  // namespace tactum
