// SPDX-License-Identifier: BSD-2-Clause
// Dense layers with ReLU and LayerNorm on tensor cores: 16 rows a warp, all columns of a row in the
// four lanes of its quad, weights in shared memory.
//
// Operands are spread over lanes as network_layout.hpp says. `a[k]` holds 16 columns: those of the
// rows g and g + 8 in the lower eight, then in the upper eight; two numbers of half precision each.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "gpu/network_layout.hpp"
#include "neural/network_weights.hpp"

namespace tactum::gpu {

inline constexpr unsigned kQuadLanes = 0xffffffffU;

__device__ __forceinline__ std::uint32_t packed(float first, float second) {
  const __half2 pair = __floats2half2_rn(first, second);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
__device__ __forceinline__ __half2 halves(std::uint32_t word) {
  return *reinterpret_cast<const __half2*>(&word);
}
__device__ __forceinline__ std::uint32_t word(__half2 pair) {
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

/// Sum over the four lanes of a quad, known to all of them.
__device__ __forceinline__ float quad_sum(float value) {
  value += __shfl_xor_sync(kQuadLanes, value, 1);
  return value + __shfl_xor_sync(kQuadLanes, value, 2);
}

/// sum += a b for 16 rows, 16 columns of a and 8 of b.
__device__ __forceinline__ void multiply_tile(float (&sum)[4], const std::uint32_t (&a)[4],
                                              std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Weights of one layer: in shared memory, or in device memory where they do not fit.
template <bool kResident>
struct LayerWeights {
  const std::uint16_t* data;

  /// Operands of two blocks of 8 columns, at 16 inputs.
  template <int P>
  __device__ __forceinline__ void read(int k, int pair, std::uint32_t (&b)[4]) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (kResident) {
      // lane i gives the address of row i % 8 of block i / 8: lower and upper inputs, two columns
      const int block = (2 * k + (lane / 8) % 2) * (P / 8) + 2 * pair + lane / 16;
      const auto address = static_cast<std::uint32_t>(
          __cvta_generic_to_shared(data + block * 64 + lane % 8 * 8));
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                   : "r"(address));
    } else {
      const auto* const words = reinterpret_cast<const std::uint32_t*>(data);
      for (int i = 0; i < 4; ++i) {
        const int block = (2 * k + i % 2) * (P / 8) + 2 * pair + i / 2;
        // in this order: read ahead, the operands would not fit into the registers
        asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(b[i]) : "l"(words + block * 32 + lane));
      }
    }
  }
};

/// Sums that begin with the bias.
template <int P>
__device__ __forceinline__ void start_with(float (&sum)[P / 8][4], const float* bias) {
  const int t = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
  for (int n = 0; n < P / 8; ++n) {
    const float2 b = *reinterpret_cast<const float2*>(bias + 8 * n + 2 * t);
    sum[n][0] = sum[n][2] = b.x;
    sum[n][1] = sum[n][3] = b.y;
  }
}

template <int P, int kTiles, bool kResident>
__device__ __forceinline__ void multiply(float (&sum)[P / 8][4],
                                         const std::uint32_t (&a)[kTiles][4],
                                         LayerWeights<kResident> weights) {
#pragma unroll
  for (int k = 0; k < kTiles; ++k) {
#pragma unroll
    for (int pair = 0; pair < P / 16; ++pair) {
      std::uint32_t b[4];
      weights.template read<P>(k, pair, b);
      multiply_tile(sum[2 * pair], a[k], b[0], b[1]);
      multiply_tile(sum[2 * pair + 1], a[k], b[2], b[3]);
    }
  }
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
/// One instruction of four warps: sum += a b for 64 rows, 16 inputs and all columns. The weights
/// are read from shared memory once for all of them.
template <int P>
__device__ __forceinline__ void multiply_group_tile(float (&sum)[P / 8][4],
                                                    const std::uint32_t (&a)[4],
                                                    std::uint64_t descriptor) {
#define TACTUM_FOUR(n) "+f"(sum[n][0]), "+f"(sum[n][1]), "+f"(sum[n][2]), "+f"(sum[n][3])
  if constexpr (P == 64) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, 1, 0; "
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, p, 1, 1, 0; }"
        : TACTUM_FOUR(0), TACTUM_FOUR(1), TACTUM_FOUR(2), TACTUM_FOUR(3), TACTUM_FOUR(4),
          TACTUM_FOUR(5), TACTUM_FOUR(6), TACTUM_FOUR(7)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor));
  }
  if constexpr (P == 128) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, 1, 0; "
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "{%64, %65, %66, %67}, %68, p, 1, 1, 0; }"
        : TACTUM_FOUR(0), TACTUM_FOUR(1), TACTUM_FOUR(2), TACTUM_FOUR(3), TACTUM_FOUR(4),
          TACTUM_FOUR(5), TACTUM_FOUR(6), TACTUM_FOUR(7), TACTUM_FOUR(8), TACTUM_FOUR(9),
          TACTUM_FOUR(10), TACTUM_FOUR(11), TACTUM_FOUR(12), TACTUM_FOUR(13), TACTUM_FOUR(14),
          TACTUM_FOUR(15)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor));
  }
#undef TACTUM_FOUR
}

/// Computes the products of multiply(), by four warps together.
template <int P, int kTiles>
__device__ __forceinline__ void multiply_group(float (&sum)[P / 8][4],
                                               const std::uint32_t (&a)[kTiles][4],
                                               const std::uint16_t* weights) {
  constexpr std::uint64_t kBlock = 128;               // bytes of 8 x 8 weights
  constexpr std::uint64_t kEight = kBlock * (P / 8);  // bytes of eight inputs
  const std::uint64_t first = __cvta_generic_to_shared(weights);
  const std::uint64_t strides = (kEight >> 4U) << 16U | (kBlock >> 4U) << 32U;
#pragma unroll
  for (int n = 0; n < P / 8; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i) asm volatile("" : "+f"(sum[n][i])::"memory");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int k = 0; k < kTiles; ++k)
    multiply_group_tile<P>(sum, a[k], strides | ((first + 2 * k * kEight) >> 4U & 0x3fffU));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int n = 0; n < P / 8; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i) asm volatile("" : "+f"(sum[n][i])::"memory");
}
#endif

/// ReLU in place; mean and inverse deviation of the two rows.
template <int P>
__device__ __forceinline__ void rectify(float (&sum)[P / 8][4], float (&mean)[2],
                                        float (&inverse)[2]) {
  float first[2] = {0.0F, 0.0F}, second[2] = {0.0F, 0.0F};
#pragma unroll
  for (int n = 0; n < P / 8; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float value = fmaxf(sum[n][i], 0.0F);
      sum[n][i] = value;
      first[i / 2] += value;
      second[i / 2] = fmaf(value, value, second[i / 2]);
    }
  }
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    mean[row] = quad_sum(first[row]) * (1.0F / P);
    const float variance = quad_sum(second[row]) * (1.0F / P) - mean[row] * mean[row];
    inverse[row] = rsqrtf(fmaxf(variance, 0.0F) + static_cast<float>(kNormEpsilon));
  }
}

/// LayerNorm of what multiply() left, as the operand of the next layer; `add`: onto the values that
/// are there.
template <int P, bool kAdd>
__device__ __forceinline__ void normalize(float (&sum)[P / 8][4], const float* scale,
                                          const float* shift, std::uint32_t (&h)[P / 16][4]) {
  const int t = static_cast<int>(threadIdx.x) % 4;
  float mean[2], inverse[2];
  rectify<P>(sum, mean, inverse);
  const float less[2] = {-mean[0] * inverse[0], -mean[1] * inverse[1]};
#pragma unroll
  for (int n = 0; n < P / 8; ++n) {
    const float2 by = *reinterpret_cast<const float2*>(scale + 8 * n + 2 * t);
    const float2 to = *reinterpret_cast<const float2*>(shift + 8 * n + 2 * t);
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const float x = fmaf(sum[n][2 * row], inverse[row], less[row]);
      const float y = fmaf(sum[n][2 * row + 1], inverse[row], less[row]);
      const std::uint32_t pair = packed(fmaf(x, by.x, to.x), fmaf(y, by.y, to.y));
      std::uint32_t& place = h[n / 2][2 * (n % 2) + row];
      place = kAdd ? word(__hadd2(halves(place), halves(pair))) : pair;
    }
  }
}

}  // namespace tactum::gpu
