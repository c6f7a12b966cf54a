// SPDX-License-Identifier: BSD-2-Clause
// The contact patches of two geometries, pair of parts by pair of parts, in the frame of A.
#pragma once

#include <vector>

#include "geometry/placed_geometry.hpp"
#include "tactum/contact_patch.hpp"

namespace tactum {

/// Appends the patches of all pairs of parts within options.cutoff, in the frame of A, in ascending
/// order of part_a and part_b. Triangles whose normal is no outer normal of their mesh are left
/// out. Feature ids carry the parts.
void find_part_patches(const PlacedGeometryPair& pair, const ContactPatchOptions& options,
                       std::vector<PartPatch>& out);

}  // namespace tactum
