// SPDX-License-Identifier: BSD-2-Clause
// Signed distance of two polytopes by brute force over features: the second, unrelated oracle, for
// small tables only.
//
// Penetrating  every facet of A - B has a normal of a face of A, of a face of B, or the cross
//              product of an edge of A with one of B; the depth is the least support value over all
//              of them. Cost edges x edges x vertices.
// Apart        the least distance over vertex-triangle, triangle-vertex and edge-edge pairs, which
//              contain all lower features.
// Flat         where A - B has no interior its plane normal is among the cross products, so the
//              depth is zero and features decide.
#pragma once

#include "support/convex_body.hpp"

namespace tactum::testing {

/// Distance of the cores of two polytopes (boxes, hulls, segments, points); negative in
/// penetration.
Real enumerate_features(const ConvexBody& a, const ConvexBody& b);

}  // namespace tactum::testing
