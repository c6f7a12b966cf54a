// SPDX-License-Identifier: BSD-2-Clause
// Whether triangles are the boundary of the convex hull of their vertices.
#pragma once

#include <functional>

#include "tactum/shape.hpp"

namespace tactum {

/// Throws InvalidInput, naming the face or vertex, unless the triangles are closed and outward and
/// use every vertex. The coordinates must be finite.
void check_closed_mesh(const Points& vertices, const Triangles& faces);

/// Throws InvalidInput, naming face and vertex, unless the triangles are convex within 1e-9 of the
/// extent. They must have passed check_closed_mesh(). `farthest` is the index of a vertex farthest
/// along a direction.
void check_mesh_is_convex(const Points& vertices, const Triangles& faces,
                          const std::function<int(const Vector3&)>& farthest);

}  // namespace tactum
