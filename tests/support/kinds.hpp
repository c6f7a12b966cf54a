// SPDX-License-Identifier: BSD-2-Clause
// Every kind of shape, and every ordered pair of them: the lists that all loops over kinds take.
// They follow from Shape::Parameters, so a kind that is added there is in every loop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "tactum/shape.hpp"

namespace tactum::testing {

inline constexpr std::size_t kNumKinds = std::variant_size_v<Shape::Parameters>;

/// In the order of the enumeration.
inline constexpr std::array<ShapeKind, kNumKinds> kAllKinds = [] {
  std::array<ShapeKind, kNumKinds> kinds{};
  for (std::size_t i = 0; i < kNumKinds; ++i) kinds[i] = static_cast<ShapeKind>(i);
  return kinds;
}();

struct KindPair {
  ShapeKind a, b;

  bool has(ShapeKind kind) const { return a == kind || b == kind; }
};

/// The ordered pairs that have a distance: all but two half-spaces.
inline constexpr std::array<KindPair, kNumKinds * kNumKinds - 1> kAllPairs = [] {
  std::array<KindPair, kNumKinds * kNumKinds - 1> pairs{};
  std::size_t count = 0;
  for (const ShapeKind a : kAllKinds) {
    for (const ShapeKind b : kAllKinds) {
      if (a != ShapeKind::half_space || b != ShapeKind::half_space) pairs[count++] = {a, b};
    }
  }
  return pairs;
}();

/// All kinds but one.
constexpr std::array<ShapeKind, kNumKinds - 1> kinds_without(ShapeKind excluded) {
  std::array<ShapeKind, kNumKinds - 1> kinds{};
  std::size_t count = 0;
  for (const ShapeKind kind : kAllKinds) {
    if (kind != excluded) kinds[count++] = kind;
  }
  return kinds;
}

inline constexpr auto kBoundedKinds = kinds_without(ShapeKind::half_space);
inline constexpr auto kGpuKinds = kinds_without(ShapeKind::stp);  ///< what queries on a GPU take

/// A stream of random numbers for each ordered pair.
constexpr std::uint64_t stream_of(ShapeKind a, ShapeKind b) {
  return kNumKinds * static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b);
}

/// One of a list.
template <class Generator>
ShapeKind pick_kind(std::span<const ShapeKind> kinds, Generator& random) {
  return kinds[static_cast<std::size_t>(random.below(static_cast<int>(kinds.size())))];
}

}  // namespace tactum::testing
