// SPDX-License-Identifier: BSD-2-Clause
// Rays: the nearest hit of all parts.
#include <algorithm>

#include "mesh/query/mesh_ray_cast.hpp"
#include "tactum/geometry.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {

RayHit ray_cast(const Geometry& geometry, const Pose& X, const Vector3& origin,
                const Vector3& direction, double max_distance) {
  if (geometry.shape() != nullptr)
    return ray_cast(*geometry.shape(), X, origin, direction, max_distance);
  if (geometry.mesh() != nullptr)
    return mesh_ray_cast(*geometry.mesh(), X, origin, direction, max_distance);
  const Pose X_WC = check_pose(X, "X").pose;
  RayHit best;
  for (const CompoundPart& part : geometry.compound()->parts()) {
    check_interrupt();
    const RayHit hit = ray_cast(part.shape, X_WC * part.X_CP, origin, direction,
                                std::min(max_distance, best.distance));
    if (hit && hit.distance < best.distance) best = hit;
  }
  return best;
}

}  // namespace tactum
