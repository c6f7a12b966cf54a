// SPDX-License-Identifier: BSD-2-Clause
// The first triangle of a mesh on a ray.
#pragma once

#include "tactum/mesh.hpp"
#include "tactum/ray_cast.hpp"

namespace tactum {

/// With the conventions and errors of the ray cast of a geometry.
RayHit mesh_ray_cast(const Mesh& mesh, const Pose& X, const Vector3& origin,
                     const Vector3& direction, double max_distance);

}  // namespace tactum
