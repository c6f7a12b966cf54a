// SPDX-License-Identifier: BSD-2-Clause
// A mesh against a mesh or a convex shape. What the answers mean is said in tactum/geometry.hpp;
// other orders and compounds are made of these in src/geometry.
#pragma once

#include "tactum/geometry.hpp"

namespace tactum {

GeometryDistance mesh_distance(const Mesh& a, const Pose& X_WA, const Mesh& b, const Pose& X_WB,
                               const DistanceOptions& options);
GeometryDistance mesh_distance(const Mesh& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                               const DistanceOptions& options);

Collision mesh_collide(const Mesh& a, const Pose& X_WA, const Mesh& b, const Pose& X_WB,
                       const CollideOptions& options);
Collision mesh_collide(const Mesh& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                       const CollideOptions& options);

}  // namespace tactum
