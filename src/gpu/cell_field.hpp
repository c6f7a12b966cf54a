// SPDX-License-Identifier: BSD-2-Clause
// The distance field of a code at a place, and how much a cell there counts: the part of a
// prediction that is not a matrix product.
//
// Places are given in spacings of the nodes, from half a spacing above the first node: nodes have
// the coordinates -0.5 to 10.5, and rounding to an integer finds the lower one.
#pragma once

#include <bit>

#include "gpu/half_bits.hpp"
#include "gpu/host_device.hpp"
#include "gpu/vector.hpp"
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

namespace tactum::gpu {

/// A place in the grid of a field: the word of its lower node, smooth steps towards the upper one,
/// and how far outside of the grid it lies, in spacings.
struct FieldPlace {
  std::uint32_t word;
  Vector<float> step;
  float outside;
};

namespace field_detail {

// Adding it rounds a small number to an integer, which stands in the low bits.
inline constexpr float kRounder = 12582912.0F;              // 1.5 * 2^23
inline constexpr std::uint32_t kRounderBits = 0x4b400000U;  // as it is stored
inline constexpr float kSoftening = 1e-12F;

struct Axis {
  std::uint32_t node;
  float step, beyond;
};

TACTUM_HOST_DEVICE std::uint32_t bits_of(float value) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(value);
#else
  return std::bit_cast<std::uint32_t>(value);
#endif
}

TACTUM_HOST_DEVICE Axis axis_at(float place) {
  const float inside = std::fmin(std::fmax(place, -0.5F), 10.5F);
  const float rounded = inside + kRounder;
  const float middle = inside - (rounded - kRounder);
  // the smooth step u^2 (3 - 2 u) at u = middle + 0.5
  return {bits_of(rounded), 0.5F + middle * (1.5F - 2.0F * middle * middle), place - inside};
}

/// 1 / (1 + 2^x), which is 0 where the power is too large for a number.
TACTUM_HOST_DEVICE float logistic(float x) {
#ifdef __CUDA_ARCH__
  float power, inverse;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(1.0F + power));
  return inverse;
#else
  return 1.0F / (1.0F + std::exp2(x));
#endif
}

}  // namespace field_detail

TACTUM_HOST_DEVICE FieldPlace field_place(Vector<float> place) {
  using namespace field_detail;
  const Axis x = axis_at(place.x), y = axis_at(place.y), z = axis_at(place.z);
  const std::uint32_t word = (x.node * 12U + y.node) * 12U + z.node - kRounderBits * 157U;
  const float square = x.beyond * x.beyond + y.beyond * y.beyond + z.beyond * z.beyond;
#ifdef __CUDA_ARCH__
  float outside;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(outside) : "f"(square + kSoftening));
#else
  const float outside = std::sqrt(square + kSoftening);
#endif
  return {word, {x.step, y.step, z.step}, outside};
}

/// The field between the nodes, in metres. A word holds a node and its upper neighbor along z.
TACTUM_HOST_DEVICE float field_value(const std::uint32_t* words, const FieldPlace& at) {
  const std::uint32_t* const base = words + at.word;
#ifdef __CUDA_ARCH__
  const auto node = [base](int offset) {
    const std::uint32_t word = base[offset];
    return *reinterpret_cast<const __half2*>(&word);
  };
  const __half2 y = __float2half2_rn(at.step.y), x = __float2half2_rn(at.step.x);
  const __half2 n00 = node(0), n01 = node(12), n10 = node(144), n11 = node(156);
  const __half2 low = __hfma2(y, __hsub2(n01, n00), n00);
  const __half2 high = __hfma2(y, __hsub2(n11, n10), n10);
  const float2 ends = __half22float2(__hfma2(x, __hsub2(high, low), low));
  return ends.x + at.step.z * (ends.y - ends.x);
#else
  const auto along_z = [&](int offset) {
    const std::uint32_t word = base[offset];
    const float lower = from_half_bits(static_cast<std::uint16_t>(word & 0xffffU));
    const float upper = from_half_bits(static_cast<std::uint16_t>(word >> 16U));
    return lower + at.step.z * (upper - lower);
  };
  const float low = along_z(0) + at.step.y * (along_z(12) - along_z(0));
  const float high = along_z(144) + at.step.y * (along_z(156) - along_z(144));
  return low + at.step.x * (high - low);
#endif
}

/// How much a cell counts, for the two halves of the features.
struct CellWeights {
  float wide, near;
};

/// `share` is the distance from the other object in sizes of the cell.
TACTUM_HOST_DEVICE CellWeights cell_weights(float share) {
  constexpr float kLog = 1.442695041F;  // logistic functions by powers of two
  const float wide = kLog * (share - 1.2F) / 0.25F, near = kLog * (share - 0.4F) / 0.2F;
  return {field_detail::logistic(wide), field_detail::logistic(near)};
}

}  // namespace tactum::gpu
