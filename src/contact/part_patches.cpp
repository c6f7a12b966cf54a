// SPDX-License-Identifier: BSD-2-Clause
#include "contact/part_patches.hpp"

#include <algorithm>
#include <tuple>

#include "contact/merged_patch.hpp"
#include "geometry/near_parts.hpp"
#include "mesh/query/outer_normal.hpp"

namespace tactum {
namespace {

bool is_outer(const PlacedGeometry& geometry, std::int32_t part, const Vector3& n) {
  return geometry.mesh() == nullptr ||
         is_outer_normal(*geometry.mesh(), part, geometry.X().rotation.transpose() * n);
}

}  // namespace

void find_part_patches(const PlacedGeometryPair& pair, const ContactPatchOptions& options,
                       std::vector<PartPatch>& out) {
  ContactPatchOptions own = options;
  own.warm_start = nullptr;
  const std::size_t begin = out.size();
  const double farthest = std::max(options.cutoff, pair.longest_reach());
  visit_near_pairs(pair, farthest, [&](std::int32_t part_a, std::int32_t part_b) {
    const ConvexPart a = convex_part(pair.a, part_a), b = convex_part(pair.b, part_b);
    const ContactPatch patch = contact_patch(a.shape, a.X, b.shape, b.X, own);
    if (patch.count == 0 || !is_outer(pair.a, part_a, patch.normal) ||
        !is_outer(pair.b, part_b, -patch.normal))
      return;
    for (std::int32_t i = part_a; i >= 0; i = pair.a.next_equal(i)) {
      for (std::int32_t j = part_b; j >= 0; j = pair.b.next_equal(j)) {
        out.push_back({i, j, patch});
        ContactPatch& added = out.back().patch;
        for (std::size_t k = 0; k < static_cast<std::size_t>(added.count); ++k)
          added.feature_ids[k] = feature_of_parts(added.feature_ids[k], i, j);
      }
    }
  });
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
            [](const PartPatch& p, const PartPatch& q) {
              return std::tie(p.part_a, p.part_b) < std::tie(q.part_a, q.part_b);
            });
}

}  // namespace tactum
