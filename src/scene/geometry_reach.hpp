// SPDX-License-Identifier: BSD-2-Clause
// Distance from its origin within which a geometry lies, which bounds the scale of its pairs.
#pragma once

#include <cmath>

#include "tactum/compound.hpp"

namespace tactum {

/// The distance in m from the origin beyond which there is no point of the geometry, nor of the
/// balls around the origins of its parts; for a half-space, the distance of its plane.
inline double reach_of(const Geometry& geometry) {
  if (geometry.shape() == nullptr) return geometry.compound()->reach();
  const CoreShape& core = geometry.shape()->core();
  return core.kind == CoreShape::Kind::half_space ? std::abs(core.offset) : core.bounding_radius;
}

/// m: what the support points of the geometry may be off by.
inline double support_error_of(const Geometry& geometry) {
  return geometry.shape() == nullptr ? geometry.compound()->support_error()
                                     : geometry.shape()->core().support_error;
}

}  // namespace tactum
