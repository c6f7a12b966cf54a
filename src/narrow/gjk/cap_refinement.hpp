// SPDX-License-Identifier: BSD-2-Clause
// Exact refinement where a flat cap of a cylinder or cone, or a planar hull, is the active feature.
//
// The optimal normal is then that of the flat part, or as near to it as a straight side of the
// other core allows. The support function has a corner there, with no Hessian or a very large one,
// so that Newton cannot converge to it.
#pragma once

#include "narrow/gjk/newton_refinement.hpp"

namespace tactum {

/// Tries the cap directions near the normal of `optimum` and takes one that separates better, or as
/// well with exact points: the support point of the other core and its projection on the disc.
/// Returns whether the points are exact.
bool refine_by_cap(CorePair& pair, SeparationOptimum& optimum);

}  // namespace tactum
