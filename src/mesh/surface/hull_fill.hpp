// SPDX-License-Identifier: BSD-2-Clause
// Whether a solid is its own convex hull, so that what is exact for the hull is exact for the
// solid.
#pragma once

#include "math/epsilon.hpp"
#include "tactum/mesh.hpp"

namespace tactum {

/// m: how far a point inside the hull of a solid that fills it may be from the solid, for a mesh
/// with vertices up to `reach` from the origin.
inline double hull_fill_slack(double reach) { return 64.0 * kEpsilon * reach; }

/// Whether every triangle lies on the hull within hull_fill_slack() and the inside of the hull is
/// inside the mesh, which is solid. False where the plane of a triangle is lost in rounding.
bool is_its_own_hull(const Mesh& solid, const Shape& hull);

}  // namespace tactum
