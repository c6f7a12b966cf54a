// SPDX-License-Identifier: BSD-2-Clause
// The derivatives of all patches of two geometries, patch by patch in the order of
// contact_patches().
#include <algorithm>
#include <tuple>

#include "contact/geometry_patch.hpp"
#include "contact/part_derivative.hpp"
#include "contact/patch_geometry.hpp"

namespace tactum {
namespace {

/// The derivative of a patch that is made of `parts`, the first of which gives the normal. `source`
/// says which of them each point comes from.
void follow_parts(const PlacedGeometry& a, const PlacedGeometry& b,
                  std::span<const PartPatch* const> parts,
                  const std::array<MergedPatch::Source, ContactPatch::capacity>& source,
                  const ContactPatchDerivativeOptions& options, ContactPatchDerivative& result) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto comes_from = [&](std::size_t i) {
      return source[i].patch == static_cast<std::int32_t>(p);
    };
    const auto count = static_cast<std::size_t>(result.value.count);
    bool is_used = p == 0;
    for (std::size_t i = 0; i < count; ++i) is_used = is_used || comes_from(i);
    if (!is_used) continue;
    const ContactPatchDerivative part = part_derivative(a, b, *parts[p], options);
    result.smooth &= part.smooth && part.value.count > 0;
    if (p == 0) result.normal_jacobian = part.normal_jacobian;
    for (std::size_t i = 0; i < count && part.value.count > 0; ++i)
      if (comes_from(i)) copy_nearest_point(part, i, result);
  }
}

}  // namespace

void contact_patches_derivative(const Geometry& a, const Pose& X_WA, const Geometry& b,
                                const Pose& X_WB, const ContactPatchDerivativeOptions& options,
                                std::vector<ContactPatchDerivative>& out) {
  check_patch_options(options.patch);
  const PlacedGeometryPair pair(a, X_WA, b, X_WB);
  const PlacedGeometry in_world_a(a, pair.X_WA()), in_world_b(b, pair.X_WB());
  std::vector<PartPatch> patches;
  find_part_patches(pair, options.patch, patches);
  std::vector<PatchGroup> groups;
  if (a.mesh() == nullptr && b.mesh() == nullptr) {
    for (const PartPatch& patch : patches) groups.push_back({{&patch}, {patch.patch, {}, false}});
  } else {
    groups = patch_groups(patches, options.patch.max_points);
  }
  std::vector<PartPatch> values;
  contact_patches(a, X_WA, b, X_WB, options.patch, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ContactPatchDerivative& result = out.emplace_back();
    result.value = values[i].patch;
    result.smooth = true;
    result.normal_jacobian.setZero();
    for (std::size_t k = 0; k < static_cast<std::size_t>(result.value.count); ++k) {
      result.points_a_jacobian[k].setZero();
      result.points_b_jacobian[k].setZero();
      result.distances_jacobian[k].setZero();
    }
    if (groups.empty()) {
      fill_without_parts(pair.X_WA(), pair.X_WB(), options.frame, result);
      result.smooth = false;
      continue;
    }
    result.smooth = !groups[i].merged.tied;
    follow_parts(in_world_a, in_world_b, groups[i].parts, groups[i].merged.sources, options,
                 result);
  }
}

}  // namespace tactum
