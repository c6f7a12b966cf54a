// SPDX-License-Identifier: BSD-2-Clause
// Exact finish where a flat cap of a cylinder or cone, or a planar hull, is the active feature.
//
// The optimal normal is then that of the flat part, or as near to it as a straight side of the
// other core allows: a corner of the support function, where no Hessian exists or a huge one, so
// that Newton cannot end there.
#pragma once

#include "narrow/gjk/newton_refinement.hpp"

namespace tactum {

/// Tries the cap directions near the normal of `optimum` and takes one that separates better, or as
/// well with exact points: the support point of the other core, and its foot on the disc. Returns
/// whether the points are exact.
bool refine_by_cap(CorePair& pair, SeparationOptimum& optimum);

}  // namespace tactum
