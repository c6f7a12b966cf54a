// SPDX-License-Identifier: BSD-2-Clause
// The first program of a user: include one header, compute one distance, get the number that a
// ruler would give.
#include <cmath>
#include <cstdio>
#include <tactum/tactum.hpp>

int main() {
  const tactum::Shape box{tactum::Box{.half_extents = {0.1, 0.2, 0.3}}};
  const tactum::Shape hull{tactum::Convex::from_points(tactum::Points::Identity(3, 3))};
  const tactum::Pose X_WB{.translation = {2.0, 0.0, 0.0}};
  const tactum::Distance apart = tactum::distance(box, {}, tactum::Sphere{.radius = 0.5}, X_WB);
  const tactum::Distance corner = tactum::distance(box, {}, hull, {});
  std::printf("tactum %s: %.17g %.17g\n", TACTUM_VERSION, apart.distance, corner.distance);
  // box and sphere: 2 - 0.1 - 0.5; corner of the box to the plane x + y + z = 1: (1 - 0.6) /
  // sqrt(3)
  return std::abs(apart.distance - 1.4) < 1e-12 &&
                 std::abs(corner.distance - 0.4 / std::sqrt(3.0)) < 1e-12
             ? 0
             : 1;
}
