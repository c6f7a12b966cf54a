// SPDX-License-Identifier: BSD-2-Clause
// Separating axes of two boxes: the facet of M = B - A with the largest separation.
//
// Facets      0-2 the faces of A, 3-5 the faces of B, 6 + 3 j + i the product of edge i of A with
//             edge j of B; both signs of each at once.
// Separation  along an axis N, not of unit length: |N.t| minus the reach of the six half edges
// along
//             N, over |N|.
// Rotation    of B is used as given, orthonormal or not to the last bits: the face normals of B are
//             the columns of the cofactor matrix C, and the products of almost parallel edges keep
//             their digits, because every term of their separation is as small as they are.
// Ties        to 8 units in the last place go to any of the facets; every SIMD level gives the same
//             one.
#pragma once

#include "core/simd_level.hpp"

namespace tactum {

/// Returns the number of the best facet. The arguments are the half extents of A and of B, then B
/// in the frame of A: the columns of the rotation one after the other, and the translation.
using BestBoxFacet = int(const double* a, const double* b, const double* rotation,
                         const double* translation);

/// The implementation for a SIMD level, to be chosen once.
BestBoxFacet* best_box_facet(SimdLevel level);

}  // namespace tactum
