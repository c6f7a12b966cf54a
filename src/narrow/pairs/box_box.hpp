// SPDX-License-Identifier: BSD-2-Clause
// Signed distance of two boxes in closed form, apart and in penetration.
//
// M = B - A is a zonotope: t + sum of z_k g_k over the six half edges of A and B. Each of its
// facets is spanned by two of them, so its normal is a face normal of A or of B, or the product of
// an edge of A with one of B (separating axes, Gottschalk 1996).
//
// Depth      minus the largest separation over these 15 axes, both signs at once: global, because
//            every facet of M is examined.
// Distance   the point of M nearest to the origin lies, but for rare exceptions, on the facet whose
//            plane is farthest from it: two coordinates of a least-squares problem with bounds.
// Proof      apart: the separation along the returned normal equals the distance of the returned
//            points. In penetration: all facets are examined, and the points are those that touch
//            along the normal. An answer that fails its proof is not returned.
#pragma once

#include "narrow/pair/core_optimum.hpp"

namespace tactum {

/// Two boxes in the frame of A as plain numbers: half extents, columns of the rotation one after
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

/// Like solve_boxes(boxes, answer), for two cores that are boxes.
bool solve_boxes(CorePair& pair, CoreDistance& answer);

}  // namespace tactum
