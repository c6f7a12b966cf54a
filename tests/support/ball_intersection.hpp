// SPDX-License-Identifier: BSD-2-Clause
// The intersection C of equal balls about points, by trying everything: what sphere-torus-patch
// volumes are judged by.
//
// Extreme points of C lie on the sphere about one point, on the circle that two spheres share, or
// at a corner of three. For a linear function, or the distance from a point, each sphere, circle
// and corner has one candidate; the best of those that are within alpha of all points is the
// answer. O(N^4), from the definition alone.
#pragma once

#include <vector>

#include "support/extended.hpp"

namespace tactum::testing {

struct BallIntersection {
  std::vector<Vec3> points;
  Real alpha = 0;

  /// c in C with the least n.c, n a unit vector.
  Vec3 lowest(const Vec3& n) const;
  /// c in C farthest from x.
  Vec3 farthest(const Vec3& x) const;
  /// Largest distance of c from a point, less alpha: at most zero inside.
  Real excess(const Vec3& c) const;
};

}  // namespace tactum::testing
