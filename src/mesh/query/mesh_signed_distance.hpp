// SPDX-License-Identifier: BSD-2-Clause
// Distance of a point from a mesh: the nearest triangle by branch and bound, the sign by the
// winding number.
#pragma once

#include "tactum/mesh.hpp"
#include "tactum/signed_distance.hpp"

namespace tactum {

/// The point is finite, in the frame that the exact pose X is given in. The sign is negative inside
/// a mesh that has an inside; the gradient is outward, on the surface the normal of a triangle.
SignedDistance mesh_signed_distance(const Mesh& mesh, const Pose& X, const Vector3& point);

}  // namespace tactum
