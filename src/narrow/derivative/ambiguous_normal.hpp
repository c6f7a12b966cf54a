// SPDX-License-Identifier: BSD-2-Clause
// Whether overlapping shapes have a second normal along which their separation is as large.
//
// The depth is the least over all directions, and where two are equally good the signed distance
// has a kink: a ball in the middle of a box, a box in the middle of a cylinder, crossed capsules.
// This needs cores that overlap or touch: apart, the best direction is the only one. The search
// tries
//
// - the normals of all faces and caps of both shapes, which is where the depth of polytopes has its
//   minima but for those of two edges;
// - the opposite of the normal;
// - the normal reflected in a plane, and turned by half a turn about the normal m of that plane,
//   for each m of: the axis of a body of revolution; the coordinate axes of other shapes, and the
//   diagonals between equal edges of a box; the line between the middles of the shapes; the
//   directions across that line and an axis of revolution; across both axes; half way between both
//   axes and across that;
// - the two directions across both axes of revolution, and the side of a cylinder or cone towards
//   the middle of the other shape and away from it.
//
// A direction counts if the separation along it is as good, so no symmetry has to be proved. Ties
// that none of these directions meets are not found: two crossings of edges, or two places of
// curved surfaces, that no symmetry maps to each other, and normals that are nearer to each other
// than 1e-3 rad. A ball in each shape rules out most directions before their supports are computed.
// A hull that has more than 128 faces is searched only where the depth exceeds a tenth of the
// smaller shape: in shallow contact the search would cost more than the query.
#pragma once

#include "math/double3.hpp"
#include "tactum/shape.hpp"

namespace tactum {

struct PosedCore {
  const CoreShape* core;
  const Matrix3* rotation;
  Double3 origin;
  Double3 witness;  ///< witness point, world
};

/// Whether the separation along another direction reaches `separation` - `slack`. `n` is the unit
/// normal from A to B, in the world. False where the cores are apart by more than `slack`, and for
/// half-spaces.
bool has_other_normal(PosedCore a, PosedCore b, Double3 n, double separation, double slack);

}  // namespace tactum
