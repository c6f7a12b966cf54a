// SPDX-License-Identifier: BSD-2-Clause
// The derivatives of all patches of two geometries, patch by patch in the order of
// contact_patches(), by motions and by sizes.
#include "contact/geometry_patch.hpp"
#include "contact/part_derivative.hpp"
#include "contact/patch_geometry.hpp"
#include "contact/patch_sizes.hpp"
#include "geometry/near_parts.hpp"

namespace tactum {
namespace {

/// The patches of two geometries with the pairs of parts that make them.
struct PatchesWithParts {
  PlacedGeometryPair pair;
  PlacedGeometry a, b;  ///< in the world
  std::vector<PartPatch> parts, values;
  std::vector<PatchGroup> groups;  ///< one for each of the values, or none at all

  PatchesWithParts(const Geometry& of_a, const Pose& X_WA, const Geometry& of_b, const Pose& X_WB,
                   const ContactPatchOptions& options)
      : pair(of_a, X_WA, of_b, X_WB), a(of_a, pair.X_WA()), b(of_b, pair.X_WB()) {
    find_part_patches(pair, options, parts);
    if (of_a.mesh() == nullptr && of_b.mesh() == nullptr) {
      for (const PartPatch& part : parts) groups.push_back({{&part}, {part.patch, {}, false}});
    } else {
      groups = patch_groups(parts, options.max_points);
    }
    contact_patches(of_a, X_WA, of_b, X_WB, options, values);
  }
};

// -------------------------------------------------------------------------------------------------
// by motions
void copy_normal(const ContactPatchDerivative& part, ContactPatchDerivative& result) {
  result.normal_jacobian = part.normal_jacobian;
}

/// A patch that does not move.
ContactPatchDerivative still_patch(const ContactPatch& value) {
  ContactPatchDerivative result;
  result.value = value;
  result.normal_jacobian.setZero();
  for (std::size_t k = 0; k < static_cast<std::size_t>(value.count); ++k) {
    result.points_a_jacobian[k].setZero();
    result.points_b_jacobian[k].setZero();
    result.distances_jacobian[k].setZero();
  }
  return result;
}

// -------------------------------------------------------------------------------------------------
// by sizes
/// Calls function(from, to) for the side of A and the side of B.
template <class Function>
void for_both_sides(const ContactPatchParameterDerivative& from,
                    ContactPatchParameterDerivative& to, const Function& function) {
  function(from.a, to.a);
  function(from.b, to.b);
}

void copy_normal(const ContactPatchParameterDerivative& part,
                 ContactPatchParameterDerivative& result) {
  for_both_sides(part, result, [](const auto& from, auto& to) {
    if (to.normal_jacobian.cols() > 0) to.normal_jacobian = from.normal_jacobian;
  });
}

void copy_nearest_point(const ContactPatchParameterDerivative& part, std::size_t i,
                        ContactPatchParameterDerivative& result) {
  const std::size_t nearest = nearest_point(part.value, result.value.points_a[i]);
  for_both_sides(part, result, [&](const auto& from, auto& to) {
    if (to.normal_jacobian.cols() == 0) return;
    to.points_a_jacobian[i] = from.points_a_jacobian[nearest];
    to.points_b_jacobian[i] = from.points_b_jacobian[nearest];
    to.distances_jacobian.row(static_cast<Eigen::Index>(i)) = from.distances_jacobian.row(
        static_cast<Eigen::Index>(nearest));
  });
}

/// A side of a patch that does not follow its sizes.
PatchParameterDerivative still_side(const Geometry& geometry, int points) {
  PatchParameterDerivative out;
  if (geometry.shape() != nullptr) out.names = PatchSizes::names(*geometry.shape());
  const auto count = static_cast<Eigen::Index>(out.names.size());
  out.normal_jacobian.setZero(3, count);
  out.points_a_jacobian.assign(static_cast<std::size_t>(points), out.normal_jacobian);
  out.points_b_jacobian = out.points_a_jacobian;
  out.distances_jacobian.setZero(points, count);
  return out;
}

// -------------------------------------------------------------------------------------------------
// by either
/// The derivative of a patch from those of the pairs of parts that make it: the first gives the
/// normal, and each point follows the pair that it comes from.
template <class Result, class OfPart>
void follow_parts(const PatchGroup& group, const OfPart& of_part, Result& result) {
  for (std::size_t p = 0; p < group.parts.size(); ++p) {
    const auto comes_from = [&](std::size_t i) {
      return group.merged.sources[i].patch == static_cast<std::int32_t>(p);
    };
    const auto count = static_cast<std::size_t>(result.value.count);
    bool is_used = p == 0;
    for (std::size_t i = 0; i < count; ++i) is_used = is_used || comes_from(i);
    if (!is_used) continue;
    const Result part = of_part(*group.parts[p]);
    result.smooth &= part.smooth && part.value.count > 0;
    if (p == 0) copy_normal(part, result);
    for (std::size_t i = 0; i < count && part.value.count > 0; ++i)
      if (comes_from(i)) copy_nearest_point(part, i, result);
  }
}

}  // namespace

void contact_patches_derivative(const Geometry& a, const Pose& X_WA, const Geometry& b,
                                const Pose& X_WB, const ContactPatchDerivativeOptions& options,
                                std::vector<ContactPatchDerivative>& out) {
  check_patch_options(options.patch);
  const PatchesWithParts found(a, X_WA, b, X_WB, options.patch);
  const auto of_part = [&](const PartPatch& part) {
    return part_derivative(found.a, found.b, part, options);
  };
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    ContactPatchDerivative& result = out.emplace_back(still_patch(found.values[i].patch));
    if (found.groups.empty()) {
      fill_without_parts(found.pair.X_WA(), found.pair.X_WB(), options.frame, result);
      continue;
    }
    result.smooth = !found.groups[i].merged.tied;
    follow_parts(found.groups[i], of_part, result);
  }
}

void contact_patches_parameter_derivative(const Geometry& a, const Pose& X_WA, const Geometry& b,
                                          const Pose& X_WB,
                                          const ContactPatchDerivativeOptions& options,
                                          std::vector<ContactPatchParameterDerivative>& out) {
  check_patch_options(options.patch);
  const PatchesWithParts found(a, X_WA, b, X_WB, options.patch);
  ContactPatchDerivativeOptions of_parts;
  of_parts.patch = options.patch;
  const auto of_part = [&](const PartPatch& part) {
    const ConvexPart of_a = convex_part(found.a, part.part_a),
                     of_b = convex_part(found.b, part.part_b);
    return contact_patch_parameter_derivative(of_a.shape, of_a.X, of_b.shape, of_b.X, of_parts);
  };
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    const ContactPatch& value = found.values[i].patch;
    ContactPatchParameterDerivative& result = out.emplace_back();
    result.value = value;
    result.a = still_side(a, value.count);
    result.b = still_side(b, value.count);
    if (found.groups.empty()) continue;
    result.smooth = !found.groups[i].merged.tied;
    follow_parts(found.groups[i], of_part, result);
  }
}

}  // namespace tactum
