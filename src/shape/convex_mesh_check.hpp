// SPDX-License-Identifier: BSD-2-Clause
// Whether triangles are the boundary of the convex hull of their vertices.
#pragma once

#include "tactum/shape.hpp"

namespace tactum {

/// Throws InvalidInput, naming the face or vertex, unless the triangles are closed, outward and convex within 1e-9 of the extent
/// and use every vertex. The coordinates must be finite.
void check_convex_mesh(const Points& vertices, const Triangles& faces);

}  // namespace tactum
