// SPDX-License-Identifier: BSD-2-Clause
// Distance from its origin within which a geometry lies, which bounds the scale of its pairs.
#pragma once

#include <algorithm>
#include <cmath>

#include "tactum/geometry.hpp"

namespace tactum {

/// The distance in m from the origin beyond which there is no point of the geometry, nor of the
/// balls around the origins of its parts; for a half-space, the distance of its plane.
inline double reach_of(const Geometry& geometry) {
  if (geometry.compound() != nullptr) return geometry.compound()->reach();
  if (geometry.mesh() != nullptr) return geometry.mesh()->reach();
  const CoreShape& core = geometry.shape()->core();
  return core.kind == CoreShape::Kind::half_space ? std::abs(core.offset) : core.bounding_radius;
}

/// m: the reach of the smaller of two geometries; a half-space is larger than anything.
inline double smaller_reach(const Geometry& a, const Geometry& b) {
  const auto is_plane = [](const Geometry& g) {
    return g.shape() != nullptr && g.shape()->kind() == ShapeKind::half_space;
  };
  if (is_plane(a)) return reach_of(b);
  return is_plane(b) ? reach_of(a) : std::min(reach_of(a), reach_of(b));
}

/// m: what the support points of the geometry may be off by.
inline double support_error_of(const Geometry& geometry) {
  if (geometry.compound() != nullptr) return geometry.compound()->support_error();
  return geometry.mesh() != nullptr ? 0.0 : geometry.shape()->core().support_error;
}

}  // namespace tactum
