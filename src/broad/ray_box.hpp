// SPDX-License-Identifier: BSD-2-Clause
// Where a ray enters a box: the slab test of Kay and Kajiya 1986, in double.
//
// Monotonic  every operation rounds monotonically, so a box inside another is never entered before
//            it as computed: a tree that tests its nodes with this code finds exactly the boxes
//            that a test of each would find.
// Sure       a ray that meets the closed box is found: the far end is widened by the error of three
//            roundings (Ize 2013). A ray that misses it by less may be found, too.
#pragma once

#include <algorithm>
#include <limits>

#include "math/double3.hpp"

namespace tactum {

class Ray {
 public:
  /// The ray from an origin along a direction of length one.
  Ray(const Vector3& origin, const Vector3& direction)
      : origin_(to_double3(origin)), direction_(to_double3(direction)) {}

  /// Distance along the ray at which it enters the box, 0 when it starts inside; infinite when it
  /// misses it.
  template <class Number>
  double entry(const Number* lower, const Number* upper) const {
    double near = 0.0, far = std::numeric_limits<double>::infinity();
    clip(origin_.x, direction_.x, static_cast<double>(lower[0]), static_cast<double>(upper[0]),
         near, far);
    clip(origin_.y, direction_.y, static_cast<double>(lower[1]), static_cast<double>(upper[1]),
         near, far);
    clip(origin_.z, direction_.z, static_cast<double>(lower[2]), static_cast<double>(upper[2]),
         near, far);
    return near <= far * (1.0 + 0x1p-50) ? near : std::numeric_limits<double>::infinity();
  }

 private:
  Double3 origin_, direction_;

  static void clip(double origin, double direction, double lower, double upper, double& near,
                   double& far) {
    if (direction == 0.0) {
      if (origin < lower || origin > upper) far = -1.0;
      return;
    }
    const double first = (direction > 0.0 ? lower - origin : upper - origin) / direction;
    const double last = (direction > 0.0 ? upper - origin : lower - origin) / direction;
    near = std::max(near, first);
    far = std::min(far, last);
  }
};

}  // namespace tactum
