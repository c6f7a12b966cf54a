// SPDX-License-Identifier: BSD-2-Clause
// The patch of two geometries together with the pairs of parts that it comes from.
#pragma once

#include <vector>

#include "contact/merged_patch.hpp"
#include "contact/part_patches.hpp"

namespace tactum {

struct GeometryPatch {
  GeometryDistance value;        ///< of the geometries, in the world
  std::vector<PartPatch> parts;  ///< of one normal, the attaining pair first; in the frame of A
  MergedPatch merged;            ///< of these, in the world; its sources are indices into `parts`
};

/// Finds the patch of two geometries of which one at least is not convex; `options` have been
/// checked. Without parts it is the points of the query, or nothing where they are beyond the
/// cutoff.
GeometryPatch find_geometry_patch(const Geometry& a, const Pose& X_WA, const Geometry& b,
                                  const Pose& X_WB, const ContactPatchOptions& options);

}  // namespace tactum
