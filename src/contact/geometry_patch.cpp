// SPDX-License-Identifier: BSD-2-Clause
// The public patches of geometries: groups of one normal, taken to the world.
#include "contact/geometry_patch.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "contact/patch_geometry.hpp"
#include "geometry/reach.hpp"

namespace tactum {
namespace {

/// Takes a patch from the frame of A to the world.
void to_world(const PlacedGeometryPair& pair, ContactPatch& patch) {
  pair.to_world(patch.distance);
  patch.status = patch.distance.status;
  patch.normal = patch.distance.normal;
  for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i) {
    patch.points_a[i] = pair.point_in_world(patch.points_a[i]);
    patch.points_b[i] = pair.point_in_world(patch.points_b[i]);
  }
}

bool is_nearer(const PartPatch& p, const PartPatch& q) {
  return std::tie(p.patch.distance.distance, p.part_a, p.part_b) <
         std::tie(q.patch.distance.distance, q.part_a, q.part_b);
}

bool has_same_normal(const PartPatch& p, const PartPatch& q) {
  return (p.patch.normal - q.patch.normal).norm() <= kSameNormal;
}

/// The patches with the normal of the one at `first`, which comes first.
std::vector<PartPatch> group_of(std::vector<PartPatch>& patches, std::size_t first) {
  std::vector<PartPatch> group = {patches[first]};
  for (std::size_t i = 0; i < patches.size(); ++i)
    if (i != first && has_same_normal(patches[i], group[0])) group.push_back(patches[i]);
  return group;
}

/// The points of the query as a patch of one point, in the world.
ContactPatch witness_patch(const GeometryDistance& value) {
  ContactPatch patch;
  patch.distance = value;
  patch.status = value.status;
  patch.normal = value.normal;
  patch.count = 1;
  patch.points_a[0] = value.point_a;
  patch.points_b[0] = value.point_b;
  patch.distances[0] = value.distance;
  patch.feature_ids[0] = feature_of_parts(0, value.part_a, value.part_b);
  return patch;
}

/// Whether a pair counts as within the cutoff of the options.
bool is_within(const Distance& value, const PlacedGeometryPair& pair,
               const ContactPatchOptions& options) {
  return value.status != Status::beyond_cutoff &&
         (value.lower <= options.cutoff || value.distance <= pair.longest_reach());
}

}  // namespace

std::vector<PatchGroup> patch_groups(const std::vector<PartPatch>& patches, int max_points) {
  std::vector<const PartPatch*> left;
  for (const PartPatch& patch : patches) left.push_back(&patch);
  std::ranges::sort(left, [](const PartPatch* p, const PartPatch* q) { return is_nearer(*p, *q); });
  std::vector<PatchGroup> groups;
  while (!left.empty()) {
    const PartPatch& first = *left.front();
    const auto rest = std::stable_partition(left.begin(), left.end(), [&](const PartPatch* patch) {
      return has_same_normal(*patch, first);
    });
    const std::span<const PartPatch* const> group(left.data(),
                                                  static_cast<std::size_t>(rest - left.begin()));
    groups.push_back({{group.begin(), group.end()}, merged_patch(group, max_points)});
    left.erase(left.begin(), rest);
  }
  std::ranges::sort(groups, [](const PatchGroup& p, const PatchGroup& q) {
    return std::pair{p.parts[0]->part_a, p.parts[0]->part_b} <
           std::pair{q.parts[0]->part_a, q.parts[0]->part_b};
  });
  return groups;
}

GeometryPatch find_geometry_patch(const Geometry& a, const Pose& X_WA, const Geometry& b,
                                  const Pose& X_WB, const ContactPatchOptions& options) {
  GeometryPatch result;
  const GeometryDistance& value = result.value = distance(
      a, X_WA, b, X_WB,
      {.tolerance = options.tolerance, .cutoff = options.cutoff, .warm_start = options.warm_start});
  const PlacedGeometryPair pair(a, X_WA, b, X_WB);
  ContactPatch& patch = result.merged.patch;
  patch = witness_patch(value);
  if (!is_within(value, pair, options)) {
    patch.count = 0;
    return result;
  }
  ContactPatchOptions own = options;
  own.cutoff = std::min(options.cutoff, std::max(0.0, value.distance) +
                                            std::sin(options.max_angle) * smaller_reach(a, b));
  std::vector<PartPatch> patches;
  find_part_patches(pair, own, patches);
  if (patches.empty()) return result;
  // meshes that cross are known by any pair of triangles: the deepest has the patch
  const bool any_pair = a.mesh() != nullptr && b.mesh() != nullptr && value.upper < 0.0;
  auto first = std::ranges::find_if(patches, [&](const PartPatch& part) {
    return !any_pair && part.part_a == value.part_a && part.part_b == value.part_b;
  });
  if (first == patches.end()) first = std::ranges::min_element(patches, is_nearer);
  result.parts = group_of(patches, static_cast<std::size_t>(first - patches.begin()));
  std::vector<const PartPatch*> group;
  for (const PartPatch& part : result.parts) group.push_back(&part);
  result.merged = merged_patch(group, options.max_points);
  to_world(pair, patch);
  // normal and points are those of the parts, bounds and status those of the geometries
  patch.status = patch.distance.status = value.status;
  patch.distance.lower = value.lower;
  patch.distance.upper = value.upper;
  patch.distance.warm_start = value.warm_start;
  if (any_pair) {
    static_cast<Distance&>(result.value) = patch.distance;
    result.value.part_a = result.parts[0].part_a;
    result.value.part_b = result.parts[0].part_b;
  }
  return result;
}

ContactPatch contact_patch(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                           const ContactPatchOptions& options) {
  if (a.shape() != nullptr && b.shape() != nullptr)
    return contact_patch(*a.shape(), X_WA, *b.shape(), X_WB, options);
  check_patch_options(options);
  return find_geometry_patch(a, X_WA, b, X_WB, options).merged.patch;
}

void contact_patches(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                     const ContactPatchOptions& options, std::vector<PartPatch>& out) {
  check_patch_options(options);
  const PlacedGeometryPair pair(a, X_WA, b, X_WB);
  const std::size_t begin = out.size();
  if (a.mesh() == nullptr && b.mesh() == nullptr) {
    find_part_patches(pair, options, out);
  } else {
    std::vector<PartPatch> patches;
    find_part_patches(pair, options, patches);
    for (const PatchGroup& group : patch_groups(patches, options.max_points))
      out.push_back({group.parts[0]->part_a, group.parts[0]->part_b, group.merged.patch});
  }
  for (std::size_t i = begin; i < out.size(); ++i) to_world(pair, out[i].patch);
  if (out.size() > begin || (a.mesh() == nullptr && b.mesh() == nullptr)) return;
  const GeometryDistance value = distance(
      a, X_WA, b, X_WB, {.tolerance = options.tolerance, .cutoff = options.cutoff});
  if (is_within(value, pair, options))
    out.push_back({value.part_a, value.part_b, witness_patch(value)});
}

}  // namespace tactum
