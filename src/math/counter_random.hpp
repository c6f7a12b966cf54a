// SPDX-License-Identifier: BSD-2-Clause
// Counter-based random numbers: number k of a stream depends on (seed, stream, k) alone, so samples can be drawn in any order and on any
// thread with the same bits.
//
// The bits are those of SplitMix64 (Steele, Lea, Flood 2014): a finaliser applied to a key plus k times an odd constant.
#pragma once

#include <cmath>
#include <cstdint>

#include "math/double3.hpp"

namespace tactum {

class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t seed, std::uint64_t stream = 0)
      : key_(mixed(mixed(seed + kGolden) ^ (stream * 0xd1342543de82ef95U + kGolden))) {}

  std::uint64_t bits(std::uint64_t k) const { return mixed(key_ + kGolden * (k + 1)); }

  /// In (0, 1): never 0, so that its logarithm is finite.
  double uniform(std::uint64_t k) const { return (static_cast<double>(bits(k) >> 12U) + 0.5) * 0x1p-52; }

  /// Numbers 2 k and 2 k + 1 of the standard normal distribution (Box and Muller 1958).
  void normals(std::uint64_t k, double& first, double& second) const {
    const double radius = std::sqrt(-2.0 * std::log(uniform(2 * k))), angle = 6.283185307179586 * uniform(2 * k + 1);
    first = radius * std::cos(angle);
    second = radius * std::sin(angle);
  }

  /// Sample k of a standard normal distribution in space.
  Double3 normal3(std::uint64_t k) const {
    double x, y, z, unused;
    normals(2 * k, x, y);
    normals(2 * k + 1, z, unused);
    return {x, y, z};
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
  std::uint64_t key_;

  static constexpr std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
};

}  // namespace tactum
