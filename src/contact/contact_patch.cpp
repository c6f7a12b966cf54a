// SPDX-License-Identifier: BSD-2-Clause
// The public patch: checks, the query, and the points in the world.
#include "tactum/contact_patch.hpp"

#include <algorithm>

#include "contact/patch_geometry.hpp"
#include "core/format_number.hpp"
#include "math/exact_pose.hpp"
#include "narrow/pair/pair_frame.hpp"

namespace tactum {
namespace {

bool is_usable(const Distance& value) {
  return std::isfinite(value.distance) && value.normal.allFinite() && value.point_a.allFinite() &&
         value.point_b.allFinite() && std::abs(value.normal.squaredNorm() - 1.0) < 1e-9;
}

/// Writes the points; `result.distance` is the answer of the query.
void fill(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
          const ContactPatchOptions& options, ContactPatch& result) {
  const Distance& value = result.distance;
  result.status = value.status;
  result.normal = value.normal;
  PatchGeometry patch(a.core(), X_WA, b.core(), X_WB, value);
  find_patch(value, options, patch);
  result.count = patch.count;
  for (std::size_t i = 0; i < static_cast<std::size_t>(patch.count); ++i) {
    const PatchPoint& point = patch.points[i];
    const Double3 on_a = patch.point_a(point);
    result.points_a[i] = to_vector3(on_a);
    result.points_b[i] = to_vector3(on_a + point.distance * patch.plane.normal);
    result.distances[i] = point.distance;
    result.feature_ids[i] = point.id;
  }
}

void fill_checked(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                  const ContactPatchOptions& options, ContactPatch& result) {
  if (are_exact_poses(X_WA, X_WB, 1e-12)) return fill(a, X_WA, b, X_WB, options, result);
  fill(a, check_pose(X_WA, "X_WA").pose, b, check_pose(X_WB, "X_WB").pose, options, result);
}

}  // namespace

ContactPatch& ContactPatch::operator=(const ContactPatch& other) {
  if (this == &other) return *this;
  count = other.count;
  status = other.status;
  normal = other.normal;
  distance = other.distance;
  std::copy_n(other.points_a.begin(), count, points_a.begin());
  std::copy_n(other.points_b.begin(), count, points_b.begin());
  std::copy_n(other.distances.begin(), count, distances.begin());
  std::copy_n(other.feature_ids.begin(), count, feature_ids.begin());
  return *this;
}

ContactPatch contact_patch(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                           const ContactPatchOptions& options) {
  check_patch_options(options);
  ContactPatch result;
  result.distance = distance(
      a, X_WA, b, X_WB,
      {.tolerance = options.tolerance, .cutoff = options.cutoff, .warm_start = options.warm_start});
  fill_checked(a, X_WA, b, X_WB, options, result);
  return result;
}

ContactPatch contact_patch(const Distance& value, const Shape& a, const Pose& X_WA, const Shape& b,
                           const Pose& X_WB, const ContactPatchOptions& options) {
  check_patch_options(options);
  if (!is_usable(value))
    throw InvalidInput("value", "distance " + shortest_text(value.distance),
                       "give a Distance as distance() returned it");
  // throws InvalidInput where the value is not of this pair
  if (a.kind() == ShapeKind::half_space && b.kind() == ShapeKind::half_space)
    make_pair_frame(a, X_WA, b, X_WB);
  ContactPatch result;
  result.distance = value;
  fill_checked(a, X_WA, b, X_WB, options, result);
  return result;
}

}  // namespace tactum
