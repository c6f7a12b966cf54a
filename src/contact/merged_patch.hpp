// SPDX-License-Identifier: BSD-2-Clause
// Patches of several pairs of parts that have one normal, as one patch.
//
// Points     the corners of the convex outline of all points, seen along the normal, and the
// deepest
//            point where it lies inside and is deeper than all of them; of more than are asked for,
//            the choice of contact/point_reduction.hpp.
// Sources    each point says which patch it comes from, for derivatives.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tactum/contact_patch.hpp"

namespace tactum {

/// Normals within this angle, in rad, count as one.
inline constexpr double kSameNormal = 1e-6;

struct MergedPatch {
  ContactPatch patch;  ///< normal, status and distance are those of the first of the patches
  struct Source {
    std::int32_t patch;  ///< index into the patches that were merged
    std::int32_t point;
  };
  std::array<Source, ContactPatch::capacity> sources = {};
  bool tied = false;  ///< the choice of points was tied
};

/// Merges patches with points, one or more; the first gives the normal. Feature ids carry the
/// parts.
MergedPatch merged_patch(std::span<const PartPatch* const> patches, int max_points);

/// Mixes the numbers of the parts into the halves of a feature id; parts 0 leave it as it is.
std::uint64_t feature_of_parts(std::uint64_t feature_id, std::int32_t part_a, std::int32_t part_b);

}  // namespace tactum
