// SPDX-License-Identifier: BSD-2-Clause
// The derivative of a patch of geometries, point by point from the pairs of parts.
#include <algorithm>

#include "contact/part_derivative.hpp"
#include "contact/patch_geometry.hpp"
#include "geometry/geometry_derivative.hpp"
#include "geometry/near_parts.hpp"
#include "geometry/part_motion.hpp"

namespace tactum {

ContactPatchDerivative part_derivative(const PlacedGeometry& a, const PlacedGeometry& b,
                                       const PartPatch& part,
                                       const ContactPatchDerivativeOptions& options) {
  ContactPatchDerivativeOptions of_part{.patch = options.patch,
                                        .frame = TangentFrame::local_world_aligned,
                                        .estimator = options.estimator};
  of_part.patch.warm_start = nullptr;
  const ConvexPart of_a = convex_part(a, part.part_a), of_b = convex_part(b, part.part_b);
  ContactPatchDerivative result = contact_patch_derivative(of_a.shape, of_a.X, of_b.shape, of_b.X,
                                                           of_part);
  const PartMotion motion(a.X(), of_a.X, b.X(), of_b.X, options.frame);
  motion.apply(result.normal_jacobian);
  for (std::size_t i = 0; i < static_cast<std::size_t>(result.value.count); ++i) {
    motion.apply(result.points_a_jacobian[i]);
    motion.apply(result.points_b_jacobian[i]);
    motion.apply(result.distances_jacobian[i]);
  }
  return result;
}

std::size_t nearest_point(const ContactPatch& patch, const Vector3& place) {
  std::size_t nearest = 0;
  for (std::size_t i = 1; i < static_cast<std::size_t>(patch.count); ++i)
    if ((patch.points_a[i] - place).squaredNorm() < (patch.points_a[nearest] - place).squaredNorm())
      nearest = i;
  return nearest;
}

void copy_nearest_point(const ContactPatchDerivative& part, std::size_t i,
                        ContactPatchDerivative& result) {
  const std::size_t from = nearest_point(part.value, result.value.points_a[i]);
  result.points_a_jacobian[i] = part.points_a_jacobian[from];
  result.points_b_jacobian[i] = part.points_b_jacobian[from];
  result.distances_jacobian[i] = part.distances_jacobian[from];
}

void fill_without_parts(const Pose& X_WA, const Pose& X_WB, TangentFrame frame,
                        ContactPatchDerivative& result) {
  result.normal_jacobian.setZero();
  if (result.value.count == 0) return;
  Distance value = result.value.distance;
  const RowVector12 row = distance_jacobian(X_WA, X_WB, value, frame);
  result.distances_jacobian[0] = row;
  result.points_a_jacobian[0].setZero();
  result.points_b_jacobian[0] = value.normal * row;
}

ContactPatchDerivative contact_patch_derivative(const Geometry& a, const Pose& X_WA,
                                                const Geometry& b, const Pose& X_WB,
                                                const ContactPatchDerivativeOptions& options) {
  if (a.shape() != nullptr && b.shape() != nullptr)
    return contact_patch_derivative(*a.shape(), X_WA, *b.shape(), X_WB, options);
  check_patch_options(options.patch);
  const GeometryPatch found = find_geometry_patch(a, X_WA, b, X_WB, options.patch);
  const PlacedGeometryPair pair(a, X_WA, b, X_WB);
  ContactPatchDerivative result;
  result.value = found.merged.patch;
  if (found.parts.empty()) {
    fill_without_parts(pair.X_WA(), pair.X_WB(), options.frame, result);
    return result;
  }
  const PlacedGeometry in_world_a(a, pair.X_WA()), in_world_b(b, pair.X_WB());
  result.smooth = !found.merged.tied && found.value.status != Status::not_converged &&
                  !has_tie(pair, found.value, {.tolerance = options.patch.tolerance},
                           TieIn::normal);
  for (std::size_t p = 0; p < found.parts.size(); ++p) {
    const auto is_source = [&](std::size_t i) {
      return found.merged.sources[i].patch == static_cast<std::int32_t>(p);
    };
    std::vector<std::size_t> points;
    for (std::size_t i = 0; i < static_cast<std::size_t>(result.value.count); ++i)
      if (is_source(i)) points.push_back(i);
    if (points.empty() && p > 0) continue;
    const ContactPatchDerivative part = part_derivative(in_world_a, in_world_b, found.parts[p],
                                                        options);
    result.smooth &= part.smooth;
    if (p == 0) result.normal_jacobian = part.normal_jacobian;
    for (const std::size_t i : points) copy_nearest_point(part, i, result);
  }
  return result;
}

}  // namespace tactum
