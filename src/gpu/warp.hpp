// SPDX-License-Identifier: BSD-2-Clause
// Thirty-two lanes that work on one pair, on the host one after the other.
//
// What a warp computes is written as steps. A step is a function of the lane: `each` runs it in all
// lanes, and what lanes wrote in one step is seen by all in the next. Within a step a lane reads
// nothing that another lane writes in it, but for bits that are set by `set_bit`. So the host,
// which runs lane after lane, computes what the device does.
#pragma once

#include <bit>

#include "gpu/vector.hpp"

namespace tactum::gpu {

/// Marks functions of a whole warp: for the device where nvcc compiles them, else for the host.
#ifdef __CUDACC__
#define TACTUM_WARP_CODE __device__ __forceinline__
#else
#define TACTUM_WARP_CODE inline
#endif

inline constexpr int kWarpLanes = 32;

/// How many of the bits are set.
TACTUM_HOST_DEVICE int count_bits(unsigned bits) {
#ifdef __CUDA_ARCH__
  return __popc(bits);
#else
  return std::popcount(bits);
#endif
}

/// The largest value of all lanes, and what its lane called it. Among equal values the lowest lane
/// counts.
template <class Real>
struct Best {
  Real value;
  std::int32_t name;
};

#ifndef __CUDACC__

class HostWarp {
 public:
  /// A variable of which each lane has its own.
  template <class T>
  struct PerLane {
    T values[kWarpLanes];
    T& operator[](int lane) { return values[lane]; }
    const T& operator[](int lane) const { return values[lane]; }
  };
  template <class Step>
  void each(Step step) const {
    for (int lane = 0; lane < kWarpLanes; ++lane) step(lane);
  }
  /// Bit i: what lane i says.
  template <class Question>
  unsigned ballot(Question question) const {
    unsigned bits = 0;
    for (int lane = 0; lane < kWarpLanes; ++lane) bits |= question(lane) ? 1U << lane : 0U;
    return bits;
  }
  template <class Real, class Value>
  Best<Real> largest(Value value) const {
    Best<Real> best = value(0);
    for (int lane = 1; lane < kWarpLanes; ++lane) {
      const Best<Real> other = value(lane);
      if (other.value > best.value) best = other;
    }
    return best;
  }
  /// The value that the given lane has in its variable.
  template <class T>
  static T from_lane(const PerLane<T>& variable, int lane) {
    return variable[lane];
  }
  /// Whether the bit was set before.
  static bool set_bit(std::uint32_t& word, int bit) {
    const bool before = (word >> bit & 1U) != 0;
    word |= 1U << bit;
    return before;
  }
};

#else

namespace detail {

/// Numbers in the order of floats.
__device__ __forceinline__ unsigned ordered(float value) {
  const unsigned bits = __float_as_uint(value);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

/// Lanes whose value is the largest, as bits.
__device__ __forceinline__ unsigned lanes_of_largest(float value) {
  const unsigned key = ordered(value);
  return __ballot_sync(0xFFFFFFFFU, key == __reduce_max_sync(0xFFFFFFFFU, key));
}
__device__ __forceinline__ unsigned lanes_of_largest(double value) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
  const unsigned long long key = (bits >> 63U) != 0 ? ~bits : bits | 0x8000000000000000ULL;
  const auto high = static_cast<unsigned>(key >> 32U), low = static_cast<unsigned>(key);
  const bool among = high == __reduce_max_sync(0xFFFFFFFFU, high);
  const unsigned best = __reduce_max_sync(0xFFFFFFFFU, among ? low : 0U);
  return __ballot_sync(0xFFFFFFFFU, among && low == best);
}

}  // namespace detail

class DeviceWarp {
 public:
  template <class T>
  struct PerLane {
    T value;
    __device__ __forceinline__ T& operator[](int /*lane*/) { return value; }
    __device__ __forceinline__ const T& operator[](int /*lane*/) const { return value; }
  };

  __device__ __forceinline__ explicit DeviceWarp(int lane) : lane_(lane) {}

  template <class Step>
  __device__ __forceinline__ void each(Step step) const {
    step(lane_);
    __syncwarp();
  }
  template <class Question>
  __device__ __forceinline__ unsigned ballot(Question question) const {
    return __ballot_sync(0xFFFFFFFFU, question(lane_));
  }
  template <class Real, class Value>
  __device__ __forceinline__ Best<Real> largest(Value value) const {
    const Best<Real> mine = value(lane_);
    const int winner = __ffs(static_cast<int>(detail::lanes_of_largest(mine.value))) - 1;
    return {__shfl_sync(0xFFFFFFFFU, mine.value, winner),
            __shfl_sync(0xFFFFFFFFU, mine.name, winner)};
  }
  template <class Real>
  static __device__ __forceinline__ Vector<Real> from_lane(const PerLane<Vector<Real>>& variable,
                                                           int lane) {
    return {__shfl_sync(0xFFFFFFFFU, variable.value.x, lane),
            __shfl_sync(0xFFFFFFFFU, variable.value.y, lane),
            __shfl_sync(0xFFFFFFFFU, variable.value.z, lane)};
  }
  static __device__ __forceinline__ bool set_bit(std::uint32_t& word, int bit) {
    return (atomicOr(&word, 1U << bit) >> bit & 1U) != 0;
  }

 private:
  int lane_;
};

#endif

}  // namespace tactum::gpu
