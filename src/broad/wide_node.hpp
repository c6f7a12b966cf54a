// SPDX-License-Identifier: BSD-2-Clause
// A tree node of up to eight boxes, stored lane by lane so that one box is tested against all of
// them at once.
//
// Lanes 0 .. count - 1 are in use; the rest hold an empty box (lower +inf, upper -inf) that
// overlaps nothing finite.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "broad/float_box.hpp"

namespace tactum {

inline constexpr int kWidth = 8;

struct alignas(64) WideNode {
  float lower[3][kWidth];
  float upper[3][kWidth];
  std::int32_t child[kWidth];  ///< at level 0 ids of boxes, above nodes
  std::int32_t parent;         ///< -1 at the root
  std::uint8_t lane;           ///< of this node in its parent
  std::uint8_t count;
  std::uint8_t level;  ///< 0: the children are boxes

  FloatBox box(int i) const {
    return {{lower[0][i], lower[1][i], lower[2][i]}, {upper[0][i], upper[1][i], upper[2][i]}};
  }
  void set_box(int i, const FloatBox& box) {
    for (int axis = 0; axis < 3; ++axis) {
      lower[axis][i] = box.lower[axis];
      upper[axis][i] = box.upper[axis];
    }
  }
  void clear_lane(int i) {
    for (int axis = 0; axis < 3; ++axis) {
      lower[axis][i] = std::numeric_limits<float>::infinity();
      upper[axis][i] = -std::numeric_limits<float>::infinity();
    }
    child[i] = -1;
  }
};
static_assert(sizeof(WideNode) == 256);

/// The smallest box around all lanes in use.
inline FloatBox bounds(const WideNode& node) {
  FloatBox result;
  for (int axis = 0; axis < 3; ++axis) {
    const float* low = node.lower[axis];
    const float* high = node.upper[axis];
    float l[4], h[4];
    for (int i = 0; i < 4; ++i) {
      l[i] = low[i] < low[i + 4] ? low[i] : low[i + 4];
      h[i] = high[i] > high[i + 4] ? high[i] : high[i + 4];
    }
    result.lower[axis] = std::min(std::min(l[0], l[1]), std::min(l[2], l[3]));
    result.upper[axis] = std::max(std::max(h[0], h[1]), std::max(h[2], h[3]));
  }
  return result;
}

#if defined(__SSE2__)

/// One box, ready to be tested against the lanes of nodes.
class Probe {
 public:
  explicit Probe(const FloatBox& box) {
    for (int axis = 0; axis < 3; ++axis) {
      lower_[axis] = _mm_set1_ps(box.lower[axis]);
      upper_[axis] = _mm_set1_ps(box.upper[axis]);
    }
  }
  Probe(const WideNode& node, int i) {
    for (int axis = 0; axis < 3; ++axis) {
      lower_[axis] = _mm_set1_ps(node.lower[axis][i]);
      upper_[axis] = _mm_set1_ps(node.upper[axis][i]);
    }
  }

  /// A mask of lanes: bit i is set where lane i overlaps the box.
  unsigned overlaps(const WideNode& node) const {
    const int first = half(node, 0), second = half(node, 4);
    return static_cast<unsigned>(first | second << 4);
  }

 private:
  __m128 lower_[3], upper_[3];

  int half(const WideNode& node, int i) const {
    __m128 all = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(node.lower[0] + i), upper_[0]),
                            _mm_cmple_ps(lower_[0], _mm_load_ps(node.upper[0] + i)));
    for (int axis = 1; axis < 3; ++axis) {
      all = _mm_and_ps(all,
                       _mm_and_ps(_mm_cmple_ps(_mm_load_ps(node.lower[axis] + i), upper_[axis]),
                                  _mm_cmple_ps(lower_[axis], _mm_load_ps(node.upper[axis] + i))));
    }
    return _mm_movemask_ps(all);
  }
};

#else

class Probe {
 public:
  explicit Probe(const FloatBox& box) : box_(box) {}
  Probe(const WideNode& node, int i) : box_(node.box(i)) {}

  unsigned overlaps(const WideNode& node) const {
    unsigned mask = 0;
    for (int i = 0; i < kWidth; ++i) {
      bool overlap = true;
      for (int axis = 0; axis < 3; ++axis) {
        overlap &= node.lower[axis][i] <= box_.upper[axis];
        overlap &= box_.lower[axis] <= node.upper[axis][i];
      }
      mask |= static_cast<unsigned>(overlap) << i;
    }
    return mask;
  }

 private:
  FloatBox box_;
};

#endif

/// Calls body(i) for every bit of the mask, from the lowest up.
template <class Body>
inline void for_each_bit(unsigned mask, Body&& body) {
  for (; mask != 0; mask &= mask - 1) body(std::countr_zero(mask));
}

}  // namespace tactum
