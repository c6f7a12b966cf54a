// SPDX-License-Identifier: BSD-2-Clause
// Volumes of boxes, spheres and swept boxes, in m^3.
#include <numbers>

#include "math/constants.hpp"
#include "tactum/bounding_volume.hpp"

namespace tactum {

double volume(const Aabb& box) {
  const Vector3 side = box.upper - box.lower;
  // an infinite side times a zero one is zero, not a NaN
  return side.minCoeff() == 0.0 ? 0.0 : side.prod();
}

double volume(const BoundingSphere& sphere) {
  return 4.0 / 3.0 * std::numbers::pi * sphere.radius * sphere.radius * sphere.radius;
}

double volume(const OrientedBox& box) { return 8.0 * box.half_extents.prod(); }

double volume(const SweptBox& box) {
  const Vector3& h = box.half_extents;
  const double r = box.radius;
  if (h.maxCoeff() == kInfinity) return kInfinity;
  // Steiner's formula
  return 8.0 * h.prod() + 8.0 * r * (h.x() * h.y() + h.y() * h.z() + h.z() * h.x()) +
         2.0 * std::numbers::pi * r * r * h.sum() + 4.0 / 3.0 * std::numbers::pi * r * r * r;
}

}  // namespace tactum
