// SPDX-License-Identifier: BSD-2-Clause
// The contact patch of one pair of convex shapes from the answer of its query: features, overlap,
// choice of points.
//
// This is what contact_patch, its derivative and everything that meets many pairs is made of. No
// query, no checks, no exceptions: poses are good and the answer is that of the pair.
#pragma once

#include <span>

#include "contact/flat_feature.hpp"
#include "contact/polygon_overlap.hpp"
#include "tactum/contact_patch.hpp"

namespace tactum {

/// One point of a patch in the coordinates of the plane of contact (contact/flat_feature.hpp).
struct PatchPoint {
  OverlapPoint overlap;
  double height_a, height_b;  ///< of the cores
  double distance;            ///< along the normal, swept radii taken off
  std::uint64_t id;
};

struct PatchGeometry {
  TangentPlane plane;  ///< world axes
  Double3 origin;      ///< world
  SeenCore seen_a, seen_b;
  FlatFeature a, b;
  double radius_a, radius_b;  ///< swept around the cores of the features
  double least_distance;      ///< m, that of the query
  double size;                ///< m, what small is relative to: the smaller shape
  FeatureReach reach{0.0};    ///< of the features
  double level;               ///< m, distances within this count as equal
  double rounding;            ///< m, of distances
  double contact_reach;       ///< m, nearer shapes may be touching by another query
  double same_place;          ///< m, places within this count as one
  int count = 0;
  bool borderline = false;  ///< small motions, of the shapes or of a limit, change which points
                            ///< there are
  std::array<PatchPoint, PolygonOverlap::capacity> points;

  PatchGeometry(const CoreShape& core_a, const Pose& X_WA, const CoreShape& core_b,
                const Pose& X_WB, const Distance& value);
  /// Whether a point is the witness pair of the query. A corner there that meets a corner, an edge
  /// or a crease of the other shape stays on it: the normal of two shapes that are apart turns with
  /// them so that it does.
  bool is_at_witness(const PatchPoint& point) const;
  Double3 point_a(const PatchPoint& point) const {
    return origin + plane.lift(point.overlap.at) + (point.height_a + radius_a) * plane.normal;
  }
};

/// Fills the points; `options` have been checked. None where the value is beyond the cutoff.
void find_patch(const Distance& value, const ContactPatchOptions& options, PatchGeometry& patch);

/// One contact point in the world.
struct PatchContact {
  Vector3 point_a, point_b;
  double distance;
  std::uint64_t feature_id;
};

/// The patch of a pair of convex shapes written to the front of `out`, which has room for
/// max_points; returns how many. For those who collect the points of many pairs: the normal of all
/// of them is value.normal.
int append_patch(const Distance& value, const Shape& a, const Pose& X_WA, const Shape& b,
                 const Pose& X_WB, const ContactPatchOptions& options, std::span<PatchContact> out);

/// Throws InvalidInput that names the field.
void check_patch_options(const ContactPatchOptions& options);

}  // namespace tactum
