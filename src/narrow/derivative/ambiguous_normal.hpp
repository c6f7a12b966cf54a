// SPDX-License-Identifier: BSD-2-Clause
// Whether overlapping shapes have a second normal along which they are separated as cheaply.
//
// The depth is the least over all directions, and where two are equally good the signed distance has a kink: a ball in the middle of a box, a box
// in the middle of a cylinder. Tried are the opposite of the normal and the normals of all faces and caps of both shapes, which is
// where the depth of polytopes has its minima but for those of two edges. A face is ruled out by two points of the other shape before
// its support is asked for. The faces of a hull that has more than 128 of them are tried only where the depth exceeds a tenth of the smaller
// shape: in shallow contact the pass over them would cost more than the query.
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

/// Whether the separation along another direction reaches `separation` - `slack`. `n` is the unit normal from A to B, in the world.
bool has_other_normal(const PosedCore& a, const PosedCore& b, Double3 n, double separation, double slack);

}  // namespace tactum
