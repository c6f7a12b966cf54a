// SPDX-License-Identifier: BSD-2-Clause
// The contact patch of one pair of convex shapes from the answer of its query: features, overlap,
// choice of points.
//
// contact_patch, its derivative and the queries of many pairs are built on this. There are no
// queries, checks or exceptions here: poses are good and the answer is that of the pair.
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
  double size;                ///< m, size of the smaller shape, which tolerances are relative to
  FeatureReach reach{0.0};    ///< of the features
  double level;               ///< m, distances within this count as equal
  double rounding;            ///< m, of distances
  double contact_reach;       ///< m, nearer shapes may be touching by another query
  double same_place;          ///< m, places within this count as one
  int count = 0;
  bool borderline = false;  ///< small motions, of the shapes or of a limit, change the set of
                            ///< points
  std::array<PatchPoint, PolygonOverlap::kCapacity> points;

  PatchGeometry(const CoreShape& core_a, const Pose& X_WA, const CoreShape& core_b,
                const Pose& X_WB, const Distance& value);
  /// Whether a point is the witness pair of the query. A corner there that meets a corner, an edge
  /// or a crease of the other shape stays on it, because the normal of two shapes that are apart
  /// turns with them.
  bool is_at_witness(const PatchPoint& point) const;
  Double3 point_a(const PatchPoint& point) const {
    return origin + plane.lift(point.overlap.at) + (point.height_a + radius_a) * plane.normal;
  }
};

/// Finds the points; `options` have been checked. There are none where the value is beyond the
/// cutoff.
void find_patch(const Distance& value, const ContactPatchOptions& options, PatchGeometry& patch);

/// One contact point in the world.
struct PatchContact {
  Vector3 point_a, point_b;
  double distance;
  std::uint64_t feature_id;
};

/// Writes the patch of a pair of convex shapes to the front of `out`, which has room for
/// max_points, and returns the number of points. For callers that collect the points of many pairs:
/// the normal of all points is value.normal.
int append_patch(const Distance& value, const Shape& a, const Pose& X_WA, const Shape& b,
                 const Pose& X_WB, const ContactPatchOptions& options, std::span<PatchContact> out);

/// Checks options; throws InvalidInput that names the field.
void check_patch_options(const ContactPatchOptions& options);

}  // namespace tactum
