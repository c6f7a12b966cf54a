// SPDX-License-Identifier: BSD-2-Clause
// Integrals over the inside and over the surface of triangles, up to second order.
#pragma once

#include "shape/mass/moments.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// Moments of the inside about `reference`, by the divergence theorem: a signed sum over the
/// tetrahedra between `reference` and each triangle. They are meaningful where the triangles are
/// closed and oriented.
Moments solid_moments(const Points& vertices, const Triangles& triangles, const Vector3& reference);

/// Moments of the surface about `reference`; `volume` is then the area in m^2.
Moments shell_moments(const Points& vertices, const Triangles& triangles, const Vector3& reference);

/// Middle of the bounding box: nothing is lost to sums about it, wherever the mesh is.
Vector3 box_middle(const Points& vertices);

}  // namespace tactum
