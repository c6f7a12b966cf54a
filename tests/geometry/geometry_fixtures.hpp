// SPDX-License-Identifier: BSD-2-Clause
// Random geometries.
#pragma once

#include <array>
#include <vector>

#include "support/random.hpp"
#include "support/random_shapes.hpp"
#include "tactum/geometry.hpp"

namespace tactum::testing {

inline Shape bounded_shape(Random& random) {
  constexpr std::array kinds = {ShapeKind::sphere,  ShapeKind::ellipsoid, ShapeKind::box,
                                ShapeKind::capsule, ShapeKind::cylinder,  ShapeKind::cone,
                                ShapeKind::convex};
  return random_shape(kinds[static_cast<std::size_t>(random.below(static_cast<int>(kinds.size())))],
                      random);
}

inline Compound random_compound(Random& random, int num_parts, double spread = 0.8) {
  std::vector<CompoundPart> parts;
  for (int i = 0; i < num_parts; ++i)
    parts.push_back({bounded_shape(random), Pose{random.rotation(), random.in_box(spread)}});
  return Compound(std::move(parts));
}

inline Geometry random_geometry(Random& random) {
  if (random.chance(0.3)) return random_compound(random, 1 + random.below(6));
  return bounded_shape(random);
}

}  // namespace tactum::testing
