// SPDX-License-Identifier: BSD-2-Clause
// Biased randomized insertion order: a random round for each point, then the Morton curve.
#include "shape/stp/insertion_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/counter_random.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr int kLastRound = 20;
constexpr double kLargestCell = 1023.0;  // ten bits along each axis

/// Interleaved bits of three coordinates from 0 to 1023.
std::uint32_t morton_code(std::array<std::uint32_t, 3> cell) {
  std::uint32_t code = 0;
  for (std::size_t bit = 0; bit < 10; ++bit) {
    for (std::size_t k = 0; k < 3; ++k) code |= (cell[k] >> bit & 1U) << (3 * bit + k);
  }
  return code;
}

}  // namespace

std::vector<std::int32_t> insertion_order(std::span<const Double3> points, double extent) {
  struct Key {
    int round;
    std::uint32_t code;
    std::int32_t point;
    auto operator<=>(const Key&) const = default;
  };
  const CounterRandom random(1);
  const auto cell = [&](double x) {
    return static_cast<std::uint32_t>(
        std::clamp(kLargestCell * (x / extent + 0.5), 0.0, kLargestCell));
  };
  std::vector<Key> keys;
  keys.reserve(points.size());
  LoopInterrupt interrupt;
  for (std::size_t i = 0; i < points.size(); ++i) {
    interrupt.check();
    const Double3 p = points[i];
    // half of the points are of the last round, a quarter of the one before it, and so on
    const int round = -std::min(kLastRound, static_cast<int>(-std::log2(random.uniform(i))));
    keys.push_back(
        {round, morton_code({cell(p.x), cell(p.y), cell(p.z)}), static_cast<std::int32_t>(i)});
  }
  std::sort(keys.begin(), keys.end());
  check_interrupt();
  std::vector<std::int32_t> order;
  order.reserve(keys.size());
  for (const Key& key : keys) order.push_back(key.point);
  return order;
}

}  // namespace tactum
