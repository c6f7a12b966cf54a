// SPDX-License-Identifier: BSD-2-Clause
// Volume integrals of a shape, margin included.
#pragma once

#include "shape/mass/moments.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// Moments of a bounded shape about `reference`, a point of the shape.
struct ShapeMoments {
  Vector3 reference = Vector3::Zero();
  Moments moments;
};

/// Moments of a bounded shape; not for half-spaces.
ShapeMoments shape_moments(const Shape& shape);

}  // namespace tactum
