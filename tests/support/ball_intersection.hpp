// SPDX-License-Identifier: BSD-2-Clause
// The intersection C of equal balls about points, by trying everything: what sphere-torus-patch
// volumes are judged by.
//
// Extreme points of C lie on the sphere about one point, on the circle that two spheres share, or
// at a corner of three. For a linear function, or the distance from a point, each sphere, circle
// and corner has one candidate; the best of those that are within alpha of all points is the
// answer. The corners are found once, O(N^4); an answer takes O(N^3). From the definition alone.
#pragma once

#include <vector>

#include "support/extended.hpp"
#include "tactum/shape.hpp"

namespace tactum::testing {

class BallIntersection {
 public:
  BallIntersection() = default;
  BallIntersection(std::vector<Vec3> points, Real alpha);
  BallIntersection(const Points& points, Real alpha);

  /// c in C with the least n.c, n a unit vector.
  Vec3 lowest(const Vec3& n) const;
  /// c in C farthest from x.
  Vec3 farthest(const Vec3& x) const;
  /// Largest distance of c from a point, less alpha: at most zero inside.
  Real excess(const Vec3& c) const;
  Real alpha() const { return alpha_; }

 private:
  bool holds(const Vec3& c) const;
  template <class Offer>
  void each_corner(const Offer& offer) const;
  template <class Away, class Offer>
  void each_candidate(const Away& away, const Offer& offer) const;
  template <class Away, class Merit>
  Vec3 best_of(const Away& away, const Merit& merit) const;

  std::vector<Vec3> points_, corners_;
  Real alpha_ = 0;
};

}  // namespace tactum::testing
