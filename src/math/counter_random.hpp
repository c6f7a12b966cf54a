// SPDX-License-Identifier: BSD-2-Clause
// Counter-based random numbers: number k of a stream depends on (seed, stream, k) alone, so samples
// can be drawn in any order and on any thread with the same bits.
//
// The bits are those of SplitMix64 (Steele, Lea, Flood 2014): a finalizer applied to a key plus k
// times an odd constant.
#pragma once

#include <cstdint>

#include "math/double3.hpp"
#include "math/normal_quantile.hpp"

namespace tactum {

class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t seed, std::uint64_t stream = 0)
      : key_(mixed_bits(mixed_bits(seed + kGolden) ^ (stream * 0xd1342543de82ef95U + kGolden))) {}

  std::uint64_t bits(std::uint64_t k) const { return mixed_bits(key_ + kGolden * (k + 1)); }

  /// Number k, uniform in (0, 1): never 0, so that its logarithm is finite.
  double uniform(std::uint64_t k) const {
    return (static_cast<double>(bits(k) >> 12U) + 0.5) * 0x1p-52;
  }

  /// Number k from the standard normal distribution.
  double normal(std::uint64_t k) const { return normal_quantile(uniform(k)); }

  /// Sample k from the standard normal distribution in space.
  Double3 normal3(std::uint64_t k) const {
    return {normal(3 * k), normal(3 * k + 1), normal(3 * k + 2)};
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
  std::uint64_t key_;

  static constexpr std::uint64_t mixed_bits(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
};

}  // namespace tactum
