// SPDX-License-Identifier: BSD-2-Clause
// Support points of cores, in single and in double precision.
//
// Searching  `support` scans hulls in the precision of the search. In single precision the vertex
//            it names may lose to another by rounding; every point it returns is a point of the
//            core, within rounding.
// Proving    `exact_support` is the support in double: hulls are scanned in single precision, and
//            every vertex that could be the farthest, given what rounding can do to the scan, is
//            looked at in double. Its error is a few rounding units of double times the reach.
// Pieces     a support point of a polyhedral core is named by a number, and `piece_point` gives
//            that vertex in double. Of a curved core the number is 0 and the direction that led to
//            the point is the name.
#pragma once

#include <bit>

#include "gpu/core_record.hpp"

namespace tactum::gpu {

template <class Real>
struct SupportPoint {
  Vector<Real> point;
  std::int32_t piece;
};

namespace detail {

TACTUM_HOST_DEVICE float dot_of(float x, float y, float z, Vector<float> u) {
#ifdef __CUDA_ARCH__
  return __fmaf_rn(x, u.x, __fmaf_rn(y, u.y, z * u.z));
#else
  return x * u.x + (y * u.y + z * u.z);
#endif
}

struct FourValues {
  float a, b, c, d;
};

template <int kReplicas>
TACTUM_HOST_DEVICE FourValues values_of(const VertexView<kReplicas>& view, int block,
                                        Vector<float> u) {
  const FourFloats x = view.coordinate(block, 0), y = view.coordinate(block, 1),
                   z = view.coordinate(block, 2);
  return {dot_of(x.x, y.x, z.x, u), dot_of(x.y, y.y, z.y, u), dot_of(x.z, y.z, z.z, u),
          dot_of(x.w, y.w, z.w, u)};
}

TACTUM_HOST_DEVICE float largest(const FourValues& v) {
  return larger(larger(v.a, v.b), larger(v.c, v.d));
}

/// The best of a hull in single precision: the largest of each block first, then the vertex of the
/// best block.
template <int kReplicas>
TACTUM_HOST_DEVICE SupportPoint<float> hull_support(const CoreRecord<float>& core,
                                                    const VertexView<kReplicas>& view,
                                                    Vector<float> u) {
  float best = largest(values_of(view, core.first_block, u));
  int best_block = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 2
#endif
  for (int block = 1; block < core.num_blocks; ++block) {
    const float value = largest(values_of(view, core.first_block + block, u));
    best_block = value > best ? block : best_block;
    best = larger(value, best);
  }
  const int block = core.first_block + best_block;
  const FourFloats x = view.coordinate(block, 0), y = view.coordinate(block, 1),
                   z = view.coordinate(block, 2);
  const FourValues v = values_of(view, block, u);
  const bool second_first = v.b > v.a, second_last = v.d > v.c;
  const bool last = larger(v.c, v.d) > larger(v.a, v.b);
  const Vector<float> first_pair = chosen<float>(second_first, {x.y, y.y, z.y}, {x.x, y.x, z.x});
  const Vector<float> last_pair = chosen<float>(second_last, {x.w, y.w, z.w}, {x.z, y.z, z.z});
  const int in_block = last ? (second_last ? 3 : 2) : (second_first ? 1 : 0);
  return {chosen(last, last_pair, first_pair), 4 * best_block + in_block};
}

/// The best of a hull in double precision.
template <int kReplicas>
TACTUM_HOST_DEVICE SupportPoint<double> hull_support(const CoreRecord<double>& core,
                                                     const VertexView<kReplicas>& view,
                                                     Vector<double> u) {
  int best = 0;
  double best_value = dot(view.vertex(core.first_block, 0), u);
  for (int i = 1; i < 4 * core.num_blocks; ++i) {
    const double value = dot(view.vertex(core.first_block, i), u);
    best = value > best_value ? i : best;
    best_value = larger(value, best_value);
  }
  return {view.vertex(core.first_block, best), best};
}

/// Single precision errs by less than this in the value of a vertex, relative to the reach and to
/// the length of the direction: half a unit each in the vertex and in the direction, three in the
/// products and sums, and what is left for second-order terms.
inline constexpr double kScanError = 6.0 * static_cast<double>(kUnit<float>);

TACTUM_HOST_DEVICE int lowest_bit(unsigned bits) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}

/// The farthest vertex of a hull in double. Only vertices that single precision cannot tell from
/// being as far as `floor`, a value that some point of the hull attains, or as far as the best
/// before them, are looked at in double.
template <int kReplicas>
TACTUM_HOST_DEVICE SupportPoint<double> exact_hull_support(const CoreRecord<double>& core,
                                                           const VertexView<kReplicas>& view,
                                                           Vector<double> u, double floor) {
  const Vector<float> rounded = converted<float>(u);
  const auto doubt = static_cast<float>(2.5 * kScanError * core.reach);
  auto threshold = static_cast<float>(floor - 1.5 * kScanError * core.reach);
  int best = -1;
  double best_value = -kLargest<double>;
  for (int first = 0; first < core.num_blocks; first += 8) {
    const int count = core.num_blocks - first < 8 ? core.num_blocks - first : 8;
    unsigned candidates = 0;
    for (int i = 0; i < count; ++i) {
      const FourValues v = values_of(view, core.first_block + first + i, rounded);
      threshold = larger(threshold, largest(v) - doubt);
      const unsigned above = (v.a >= threshold ? 1U : 0U) | (v.b >= threshold ? 2U : 0U) |
                             (v.c >= threshold ? 4U : 0U) | (v.d >= threshold ? 8U : 0U);
      candidates |= above << (4 * i);
    }
    for (; candidates != 0; candidates &= candidates - 1) {
      const int index = 4 * first + lowest_bit(candidates);
      const double value = dot(view.vertex(core.first_block, index), u);
      best = value > best_value ? index : best;
      best_value = larger(value, best_value);
    }
  }
  if (best < 0) return hull_support(core, view, u);  // the floor was not attained
  return {view.vertex(core.first_block, best), best};
}

template <class Real>
TACTUM_HOST_DEVICE Vector<Real> box_corner(Vector<Real> size, std::int32_t piece) {
  return {(piece & 1) != 0 ? -size.x : size.x, (piece & 2) != 0 ? -size.y : size.y,
          (piece & 4) != 0 ? -size.z : size.z};
}

template <class Real>
TACTUM_HOST_DEVICE Vector<Real> ellipsoid_support(const CoreRecord<Real>& core, Vector<Real> u) {
  const Vector<Real> scaled{core.size.x * u.x, core.size.y * u.y, core.size.z * u.z};
  const Real stretch = 1 / larger(norm(scaled), kTiny<Real>),
             inward = core.offset / larger(norm(u), kTiny<Real>);
  return {stretch * core.size.x * scaled.x - inward * u.x,
          stretch * core.size.y * scaled.y - inward * u.y,
          stretch * core.size.z * scaled.z - inward * u.z};
}

/// Point of a disc of the given radius about the axis; its center for directions along the axis.
template <class Real>
TACTUM_HOST_DEVICE Vector<Real> rim_point(Real radius, Real height, Vector<Real> u) {
  const Real radial = std::sqrt(u.x * u.x + u.y * u.y);
  const bool along_axis = !(radial > kUnit<Real> / 2 * std::fabs(u.z));
  const Real factor = along_axis ? Real(0) : radius / larger(radial, kTiny<Real>);
  return {factor * u.x, factor * u.y, height};
}

template <class Real>
TACTUM_HOST_DEVICE Vector<Real> cone_support(const CoreRecord<Real>& core, Vector<Real> u) {
  const Real radial = std::sqrt(u.x * u.x + u.y * u.y), half_length = core.size.y;
  if (half_length * u.z >= core.size.x * radial - half_length * u.z) return {0, 0, half_length};
  return rim_point(core.size.x, -half_length, u);
}

template <KindSet kKinds>
TACTUM_HOST_DEVICE bool is(CoreKind kind, CoreKind asked) {
  // only one kind: nothing to ask
  if constexpr ((kKinds & (kKinds - 1)) == 0) return set_of(asked) == kKinds;
  return (kKinds & set_of(asked)) != 0 && kind == asked;
}

/// Support of all cores but hulls.
template <KindSet kKinds, class Real>
TACTUM_HOST_DEVICE SupportPoint<Real> plain_support(const CoreRecord<Real>& core, Vector<Real> u) {
  if (is<kKinds>(core.kind, CoreKind::box)) {
    const std::int32_t piece = (u.x < 0 ? 1 : 0) | (u.y < 0 ? 2 : 0) | (u.z < 0 ? 4 : 0);
    return {box_corner(core.size, piece), piece};
  }
  if (is<kKinds>(core.kind, CoreKind::segment)) {
    const bool positive = dot(core.size, u) >= 0;
    return {positive ? core.center + core.size : core.center - core.size, positive ? 0 : 1};
  }
  if (is<kKinds>(core.kind, CoreKind::ellipsoid)) return {ellipsoid_support(core, u), 0};
  if (is<kKinds>(core.kind, CoreKind::cylinder))
    return {rim_point(core.size.x, u.z < 0 ? -core.size.y : core.size.y, u), 0};
  if (is<kKinds>(core.kind, CoreKind::cone)) return {cone_support(core, u), 0};
  return {core.center, 0};
}

}  // namespace detail

/// Farthest point of the core along `u`, which need not have unit length and is not zero.
template <KindSet kKinds, class Real, int kReplicas>
TACTUM_HOST_DEVICE SupportPoint<Real> support(const CoreRecord<Real>& core,
                                              const VertexView<kReplicas>& view, Vector<Real> u) {
  if (detail::is<kKinds>(core.kind, CoreKind::polytope)) return detail::hull_support(core, view, u);
  return detail::plain_support<kKinds>(core, u);
}

/// Farthest point along the unit vector `u`, right to rounding in double. Some point of the core
/// reaches `floor` along it.
template <KindSet kKinds, int kReplicas>
TACTUM_HOST_DEVICE SupportPoint<double> exact_support(const CoreRecord<double>& core,
                                                      const VertexView<kReplicas>& view,
                                                      Vector<double> u, double floor) {
  if (detail::is<kKinds>(core.kind, CoreKind::polytope))
    return detail::exact_hull_support(core, view, u, floor);
  return detail::plain_support<kKinds>(core, u);
}

/// The exact support point where no lower bound of its height is known.
template <KindSet kKinds, int kReplicas>
TACTUM_HOST_DEVICE SupportPoint<double> exact_support(const CoreRecord<double>& core,
                                                      const VertexView<kReplicas>& view,
                                                      Vector<double> u) {
  return exact_support<kKinds>(core, view, u, -2.0 * core.reach);
}

/// The support point that `support` named, in double: by its number where the core is polyhedral,
/// else by the direction.
template <KindSet kKinds, int kReplicas>
TACTUM_HOST_DEVICE Vector<double> piece_point(const CoreRecord<double>& core,
                                              const VertexView<kReplicas>& view, std::int32_t piece,
                                              Vector<double> direction) {
  if (detail::is<kKinds>(core.kind, CoreKind::polytope))
    return view.vertex(core.first_block, piece);
  if (detail::is<kKinds>(core.kind, CoreKind::box)) return detail::box_corner(core.size, piece);
  if (detail::is<kKinds>(core.kind, CoreKind::segment))
    return piece == 0 ? core.center + core.size : core.center - core.size;
  return detail::plain_support<kKinds>(core, direction).point;
}

}  // namespace tactum::gpu
