// SPDX-License-Identifier: BSD-2-Clause
// The inner loop of a sweep: the next boxes, in the order of their lower ends, that overlap one box
// on all three axes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/simd_level.hpp"

namespace tactum {

inline constexpr std::size_t kSweepBlock = 16;

/// Float boxes in the order of `first_lower`; all columns go on for kSweepBlock entries of +inf
/// past the last.
struct SweepColumns {
  const float* first_lower;
  const float* second_lower;
  const float* second_upper;
  const float* third_lower;
  const float* third_upper;
};

/// Limits that a box must meet: first_lower <= first_upper and so on.
struct SweepLimits {
  float first_upper;
  float second_lower, second_upper;
  float third_lower, third_upper;
};

struct SweepBlock {
  std::size_t begin;
  std::uint32_t hits;  ///< bit k: the box at begin + k
  bool last;           ///< none beyond this block can overlap
};

/// Finds the first block from `begin` on that has a hit or is the last.
using SweepScan = SweepBlock(const SweepColumns&, const SweepLimits&, std::size_t begin);

/// The scan for one SIMD level, and the one for the level in use. All find the same boxes.
SweepScan* sweep_scan_at(SimdLevel level);
SweepScan* sweep_scan();

}  // namespace tactum
