// SPDX-License-Identifier: BSD-2-Clause
// Boxes in float, rounded outwards: half the memory and twice the lanes of the caller's boxes in
// double.
//
// Guarantee  a float box contains the double box it was made of, so two float boxes that do not
//            overlap prove that the double boxes do not either. Whether two double boxes overlap is
//            decided on themselves.
// Range      float_box() takes boxes within +-3.4e38 (is_ordinary); clipped_box() takes any and is
//            enough for a query, because nothing in a tree lies farther out.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tactum/shape.hpp"

namespace tactum {

struct FloatBox {
  float lower[3];
  float upper[3];
};

inline constexpr float kLargestFloat = std::numeric_limits<float>::max();

/// A float on the outer side of the number it was rounded from. Rounding moved it by half a unit at
/// most: one unit, 2^-23 |f|, is subtracted, and the smallest normal number for those near zero.
/// Subtraction is monotonic, so rounding cannot undo this.
inline float rounded_down(float f) {
  return f - std::abs(f) * 0x1p-23F - std::numeric_limits<float>::min();
}
inline float rounded_up(float f) {
  return f + std::abs(f) * 0x1p-23F + std::numeric_limits<float>::min();
}

/// The largest coordinate of a box of the tree, a little inside the range of float, so that
/// rounding outwards stays finite.
inline constexpr double kOrdinary = 3.4e38;

/// Whether the box belongs into a tree of float boxes: in order and in range. False for a NaN;
/// decided by the bits, so that none can trap.
inline bool is_ordinary(const Aabb& box) {
  constexpr auto limit = std::bit_cast<std::int64_t>(kOrdinary);
  std::int64_t sign = 0;
  for (int i = 0; i < 3; ++i) {
    sign |= limit - (std::bit_cast<std::int64_t>(box.lower[i]) & 0x7FFF'FFFF'FFFF'FFFF);
    sign |= limit - (std::bit_cast<std::int64_t>(box.upper[i]) & 0x7FFF'FFFF'FFFF'FFFF);
  }
  if (sign < 0) return false;
  bool in_order = true;
  for (int i = 0; i < 3; ++i) in_order &= box.lower[i] <= box.upper[i];
  return in_order;
}

inline FloatBox float_box(const Aabb& box) {
  FloatBox result;
  for (int i = 0; i < 3; ++i) {
    result.lower[i] = rounded_down(static_cast<float>(box.lower[i]));
    result.upper[i] = rounded_up(static_cast<float>(box.upper[i]));
  }
  return result;
}

inline FloatBox clipped_box(const Aabb& box) {
  Aabb clipped;
  for (int i = 0; i < 3; ++i) {
    clipped.lower[i] = std::clamp(box.lower[i], -kOrdinary, kOrdinary);
    clipped.upper[i] = std::clamp(box.upper[i], -kOrdinary, kOrdinary);
  }
  return float_box(clipped);
}

/// The box grown on all sides by a tenth of its longest side, so that small motions stay inside.
inline FloatBox enlarged_box(const Aabb& box) {
  const double margin = 0.1 * (box.upper - box.lower).maxCoeff();
  Aabb large;
  for (int i = 0; i < 3; ++i) {
    large.lower[i] = std::max(box.lower[i] - margin, -kOrdinary);
    large.upper[i] = std::min(box.upper[i] + margin, kOrdinary);
  }
  return float_box(large);
}

inline bool encloses(const FloatBox& outer, const FloatBox& inner) {
  bool inside = true;
  for (int i = 0; i < 3; ++i)
    inside &= outer.lower[i] <= inner.lower[i] && inner.upper[i] <= outer.upper[i];
  return inside;
}

inline FloatBox merged(const FloatBox& a, const FloatBox& b) {
  FloatBox result;
  for (int i = 0; i < 3; ++i) {
    result.lower[i] = std::min(a.lower[i], b.lower[i]);
    result.upper[i] = std::max(a.upper[i], b.upper[i]);
  }
  return result;
}

/// Half the surface area, in double because the product of the longest sides overflows a float.
inline double half_area(const FloatBox& box) {
  const double x = static_cast<double>(box.upper[0]) - static_cast<double>(box.lower[0]);
  const double y = static_cast<double>(box.upper[1]) - static_cast<double>(box.lower[1]);
  const double z = static_cast<double>(box.upper[2]) - static_cast<double>(box.lower[2]);
  return x * y + y * z + z * x;
}

/// Whether two of the caller's boxes overlap: they are closed, so touching counts. It has no
/// branches.
inline bool boxes_overlap(const Aabb& a, const Aabb& b) {
  bool overlap = true;
  for (int i = 0; i < 3; ++i) {
    overlap &= a.lower[i] <= b.upper[i];
    overlap &= b.lower[i] <= a.upper[i];
  }
  return overlap;
}

}  // namespace tactum
