// SPDX-License-Identifier: BSD-2-Clause
#include "contact/point_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactum {
namespace {

constexpr double kTie = 1e-9;

/// The index with the largest gain, among equals the one with the smallest id, and whether there
/// were several.
struct Best {
  int index = -1;
  double gain = -std::numeric_limits<double>::infinity();
  std::uint64_t id = 0;
  bool tied = false;

  void offer(int candidate, double candidate_gain, std::uint64_t candidate_id) {
    const double slack = kTie * std::abs(candidate_gain);
    if (index >= 0 && candidate_gain < gain - slack) return;
    const bool better = index < 0 || candidate_gain > gain + slack;
    tied = !better;
    if (!better && id < candidate_id) return;
    index = candidate;
    gain = candidate_gain;
    id = candidate_id;
  }
};

double squared(Double2 v) { return dot(v, v); }

/// Twice the area of the triangle of a point and the points kept before and after it in the ring;
/// with one point kept alone, the squared distance from it.
double gain_of(std::span<const RingPoint> ring, std::span<const bool> keep, int index) {
  const int n = static_cast<int>(ring.size());
  const auto kept_from = [&](int step) {
    int i = index;
    do i = (i + step + n) % n;
    while (!keep[static_cast<std::size_t>(i)]);
    return ring[static_cast<std::size_t>(i)].at;
  };
  const Double2 at = ring[static_cast<std::size_t>(index)].at, before = kept_from(-1),
                after = kept_from(1);
  const Double2 side = after - before;
  return side.x == 0.0 && side.y == 0.0 ? squared(at - before) : std::abs(cross(side, at - before));
}

/// The index at which the choice begins.
Best first_point(std::span<const RingPoint> ring, double level, const Double2* taken) {
  Double2 from{0.0, 0.0};
  double deepest = std::numeric_limits<double>::infinity();
  for (const RingPoint& point : ring) {
    from = from + (1.0 / static_cast<double>(ring.size())) * point.at;
    deepest = std::min(deepest, point.distance);
  }
  if (taken != nullptr) from = *taken;
  Best best;
  bool close = false;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const double above = ring[i].distance - deepest;
    close |= taken == nullptr && std::abs(above - level) <= 0.1 * level;
    if (taken != nullptr || above <= level)
      best.offer(static_cast<int>(i), squared(ring[i].at - from), ring[i].id);
  }
  best.tied |= close;
  return best;
}

}  // namespace

bool choose_points(std::span<const RingPoint> ring, int most, double level, const Double2* taken,
                   std::span<bool> keep) {
  const int n = static_cast<int>(ring.size());
  std::fill_n(keep.begin(), ring.size(), n <= most);
  if (n <= most) return false;
  Best best = first_point(ring, level, taken);
  bool tied = best.tied;
  keep[static_cast<std::size_t>(best.index)] = true;
  for (int count = 1; count < most; ++count) {
    best = {};
    for (int i = 0; i < n; ++i) {
      if (!keep[static_cast<std::size_t>(i)])
        best.offer(i, gain_of(ring, keep, i), ring[static_cast<std::size_t>(i)].id);
    }
    tied |= best.tied;
    keep[static_cast<std::size_t>(best.index)] = true;
  }
  return tied;
}

}  // namespace tactum
