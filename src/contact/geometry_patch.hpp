// SPDX-License-Identifier: BSD-2-Clause
// The patch of two geometries together with the pairs of parts that it comes from.
#pragma once

#include <vector>

#include "contact/merged_patch.hpp"
#include "contact/part_patches.hpp"

namespace tactum {

struct GeometryPatch {
  GeometryDistance value;        ///< of the attaining pair, with the bounds of the geometries; in
                                 ///< the world
  std::vector<PartPatch> parts;  ///< of one normal, the attaining pair first; in the frame of A
  MergedPatch merged;            ///< of these, in the world; its sources are indices into `parts`
};

/// Patches of pairs of parts that have one normal, nearest first, and what they make together.
struct PatchGroup {
  std::vector<const PartPatch*> parts;
  MergedPatch merged;  ///< its sources are indices into `parts`
};
/// One group for each normal, in ascending order of the parts of its nearest pair. The groups point
/// into `patches`, which are in the frame of A.
std::vector<PatchGroup> patch_groups(const std::vector<PartPatch>& patches, int max_points);

/// Finds the patch of two geometries of which one at least is not convex; `options` have been
/// checked. Without parts it is the points of the query, or nothing where they are beyond the
/// cutoff.
GeometryPatch find_geometry_patch(const Geometry& a, const Pose& X_WA, const Geometry& b,
                                  const Pose& X_WB, const ContactPatchOptions& options);

}  // namespace tactum
