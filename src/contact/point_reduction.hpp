// SPDX-License-Identifier: BSD-2-Clause
// Choice of a few points of a convex polygon, for depth and area.
//
// Chooses    the deepest point first (of those that are as deep within `level`, the one farthest
//            from the mean), then the one farthest from it, then each time the one that adds most
//            area to the polygon of those chosen: the triangle with its two neighbors in the ring.
//            Unlike the best choice of all, this needs no search, and the choice of k points is
//            part of that of k + 1.
// Ties       within 1e-9 of the gain go to the smallest id, which does not depend on the side the
//            ring is seen from; `tied` says that there was one.
#pragma once

#include <cstdint>
#include <span>

#include "math/tangent_plane.hpp"

namespace tactum {

struct RingPoint {
  Double2 at;
  double distance;
  std::uint64_t id;
};

/// Marks the points to keep, at most `most` (>= 1) of at most 64 in counter-clockwise order.
/// `taken` is a point that is kept anyway and not counted, from which the first is the farthest; or
/// none. Returns whether a choice was tied.
bool choose_points(std::span<const RingPoint> ring, int most, double level, const Double2* taken,
                   std::span<bool> keep);

}  // namespace tactum
