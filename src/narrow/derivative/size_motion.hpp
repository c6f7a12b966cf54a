// SPDX-License-Identifier: BSD-2-Clause
// How the surface of a shape at a witness point moves with each of its sizes.
//
// A size moves the witness point with the surface by m = d s / d size at a fixed direction, as a
// motion of the shape does, and turns the flat part of the surface: along a free direction e that
// changes by de, the normal follows by e'dn = -n'de. Both replace the rigid motion in the system of
// witness_jacobian.hpp. The effect of a size along a free direction does not matter: the point
// slides.
//
// Zero sizes  a radius, half length or margin of 0 can only grow: its derivative is the one from
//             that side. It comes from the parameters of the shape, since the core of a ball or of
//             a capsule without length is a point that has neither.
#pragma once

#include <string>
#include <vector>

#include "narrow/derivative/witness_pair.hpp"

namespace tactum {

/// Effect of one unit of a size on the witness point and on the flat part of the surface there.
struct SizeMotion {
  std::string name;  ///< "radius", "half_extents[1]", "vertices[7][2]", "margin"
  Double3 shift;     ///< world
  Double2 turn;      ///< in coordinates of the tangent plane
};

/// Motions of one shape of a pair by all of its sizes. `has_kink` is set where the derivative by
/// some size depends on the sign of its change.
std::vector<SizeMotion> size_motions(const WitnessPair& pair, const Shape& shape,
                                     const WitnessSide& side, bool is_a, bool& has_kink);

}  // namespace tactum
