// SPDX-License-Identifier: BSD-2-Clause
// Whether a direction is an outer normal of a mesh at a triangle.
//
// The normal of a triangle and another geometry leads from the feature of the triangle that is
// farthest along it: a corner, a side, or all of it. It is one of the surface there only where no
// triangle next to that feature reaches farther. At a flat edge inside a surface every direction
// but one fails, so that neighbors of a triangle in contact add no contacts of their own at their
// borders.
#pragma once

#include <cstdint>

#include "tactum/mesh.hpp"

namespace tactum {

/// n is a unit vector in the frame of the mesh. Of a solid, a normal does not point inward.
bool is_outer_normal(const Mesh& mesh, std::int32_t triangle, const Vector3& n);

}  // namespace tactum
