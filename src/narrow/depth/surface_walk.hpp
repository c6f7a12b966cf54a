// SPDX-License-Identifier: BSD-2-Clause
// Walks from a tetrahedron around the origin to three points of the boundary of M, where that is
// likely to be nearest to the origin.
//
// These are the first steps of the expanding polytope algorithm (narrow/depth/epa.hpp) without the
// polytope: the face nearest to the origin is replaced by the nearest of the three that the support
// point beyond it makes. The result is a start for Newton and proves nothing.
#pragma once

#include "narrow/gjk/simplex.hpp"

namespace tactum {

/// Three points of M and the unit normal of their plane, towards the inside of M: from A to B.
struct SurfaceTriangle {
  Simplex simplex;
  Vector3 normal;
  double lower;  ///< separation along the normal
};

/// Walks until the support point is within `gap` of the plane, at most `max_steps` times. False
/// when the start is too flat.
bool walk_to_surface(CorePair& pair, const Simplex& tetrahedron, double gap, int max_steps,
                     SurfaceTriangle& triangle);

}  // namespace tactum
