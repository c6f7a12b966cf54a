// SPDX-License-Identifier: BSD-2-Clause
// Signed distance of two boxes in closed form, apart and in penetration.
//
// M = B - A is a zonotope: t + sum of z_k g_k over the six half edges of A and B. Each of its
// facets is spanned by two of them, so its normal is a face normal of A or of B, or the product of
// an edge of A with one of B (separating axes, Gottschalk 1996).
//
// Depth      minus the largest separation over these 15 axes, both signs at once: global, because
//            every facet of M is looked at.
// Distance   the point of M nearest to the origin lies, but for rare exceptions, on the facet whose
//            plane is farthest from it: two coordinates of a least-squares problem with bounds.
// Proof      apart: the separation along the returned normal equals the distance of the returned
//            points. In penetration: the facets are all of them, and the points are those that
//            touch along the normal. What does not pass is not returned.
#pragma once

#include "narrow/pair/core_optimum.hpp"

namespace tactum {

/// Two boxes as plain numbers in the frame of A: half extents, columns of the rotation one after
/// the other, translation.
struct BoxPair {
  const double* a;
  const double* b;
  const double* rotation;
  const double* t;
  double scale;

  const double* axis(int j) const { return rotation + 3 * j; }
};

/// Returns whether `answer` holds a proved answer: bounds and residual within 16 eps of the scale.
bool solve_boxes(const BoxPair& boxes, CoreDistance& answer);

/// The same for two cores that are boxes.
bool solve_boxes(CorePair& pair, CoreDistance& answer);

}  // namespace tactum
