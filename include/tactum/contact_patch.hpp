// SPDX-License-Identifier: BSD-2-Clause
// Contact patches: where flat features of two geometries face each other, a polygon of points
// instead of one.
//
// Patch      the support features of both shapes within `max_angle` of the query's normal (a face,
//            an edge, a vertex; a cap, a generator) are seen along the normal and intersected;
//            every corner of the overlap is a point. Curved contact has one point, the witness of
//            the query; parallel lines have two.
// Points     point_b - point_a = distance * normal for each point, the distance measured along the
//            normal; no distance is smaller than the query's own. The least is the query's within
//            1e-9 of the scale: where no corner comes that close, the witness pair is a point of
//            the patch as well.
// Order      counter-clockwise seen along -normal (with the normal towards the eye), the witness
//            last where it was added.
// Caps       a disc counts as the regular polygon of 16 corners inscribed in it, fixed to the
//            shape: 97.4 % of its area.
// Ids        the upper 32 bits name the feature of A, the lower those of B, so swapping the shapes
//            swaps the halves. They stay while the corners and edges that make the overlap stay.
//            docs/theory/06-contact-patches.md has the definitions.
// Parts      a compound or a mesh meets another geometry part by part, triangle by triangle. Pairs
// of
//            parts with one normal (within 1e-6 rad) can be one patch: the outline of all their
//            points seen along it, and the deepest point where that is inside. Ids then carry the
//            numbers of the parts, mixed in; two points of one pair may, rarely, share one.
// Triangles  a triangle counts only where the normal is an outer normal of its surface there: no
//            triangle next to its farthest corner or side reaches farther, and the normal of a
//            solid does not point inward. So a box on a floor of triangles has the contacts of a
//            box on a plane. Where no triangle counts, as deep inside a solid, the points of
//            distance() are the patch.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tactum/distance.hpp"
#include "tactum/distance_derivative.hpp"
#include "tactum/geometry.hpp"

namespace tactum {

struct ContactPatchOptions {
  int max_points = 8;  ///< 1 to ContactPatch::capacity; one point is the witness of the query
  /// Length in m, >= 0: points farther along the normal are dropped, as in DistanceOptions.
  double cutoff = std::numeric_limits<double>::infinity();
  double max_angle = 0.05;  ///< rad, 1e-6 to 0.5: features this close to facing the normal count as
                            ///< flat
  double tolerance = 1e-10;               ///< of the query
  const WarmStart* warm_start = nullptr;  ///< of the query
};

/// Points with their own signed distances. Only the first `count` entries of the arrays are in use,
/// and only these are written or copied.
struct ContactPatch {
  static constexpr int capacity = 32;

  int count = 0;
  Status status = Status::not_converged;  ///< of the query; without points where it is
                                          ///< beyond_cutoff
  Vector3 normal = Vector3::UnitZ();      ///< unit, from A to B, world: the query's
  std::array<Vector3, capacity> points_a;
  std::array<Vector3, capacity> points_b;
  std::array<double, capacity> distances;
  std::array<std::uint64_t, capacity> feature_ids;
  Distance distance;  ///< the query's answer

  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): no entry is in use
  ContactPatch() {}
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): what is in use is copied
  ContactPatch(const ContactPatch& other) { *this = other; }
  ContactPatch& operator=(const ContactPatch& other);
  ~ContactPatch() = default;
};

/// Contact patch of a pair. Throws InvalidInput as distance() does and on bad options. Never
/// allocates, never returns a NaN.
ContactPatch contact_patch(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                           const ContactPatchOptions& options = {});

/// Contact patch from the answer `value` of a query that the caller has already: it must be that of
/// this pair, and is not checked. No query is made.
ContactPatch contact_patch(const Distance& value, const Shape& a, const Pose& X_WA, const Shape& b,
                           const Pose& X_WB, const ContactPatchOptions& options = {});

/// Contact patch of two geometries: that of the parts that attain the distance, with all others of
/// the same normal. Parts that are farther apart than these by more than sin(max_angle) times the
/// reach of the smaller geometry do not belong to it. `distance` of the patch is that of these
/// parts, with the bounds and the status of the geometries. Allocates where a compound or a mesh
/// takes part.
ContactPatch contact_patch(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                           const ContactPatchOptions& options = {});

/// A patch and the parts it comes from: 0 for a convex shape, a triangle for a mesh.
struct PartPatch {
  std::int32_t part_a = 0;
  std::int32_t part_b = 0;
  ContactPatch patch;
};

/// All contact patches of two geometries, appended to `out` in ascending order of part_a and
/// part_b: one for each pair of convex parts within options.cutoff, and where a mesh takes part one
/// for each normal, with the parts of its nearest pair. The warm start of the options is not read.
/// A cutoff of infinity takes every pair of parts.
void contact_patches(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                     const ContactPatchOptions& options, std::vector<PartPatch>& out);

/// How a patch moves with the shapes: columns and frames as in distance_derivative.hpp, one
/// Jacobian for each point of `value`.
///
/// `smooth` says whether all of it is unique: the features of every point stay for small motions,
/// and so does the feature that decides the normal. A half-space, or a face whose outline holds
/// that of the other strictly inside, decides the normal of two parallel faces; where the outlines
/// cross, each shape is taken to decide by half and `smooth` is false. It is also false for
/// parallel lines, for corners on the border of the other feature, and for points at the border of
/// `cutoff`, of `max_angle` or of the choice among more than `max_points`.
struct ContactPatchDerivative {
  ContactPatch value;
  bool smooth = false;
  Matrix3x12 normal_jacobian;
  std::array<Matrix3x12, ContactPatch::capacity> points_a_jacobian;
  std::array<Matrix3x12, ContactPatch::capacity> points_b_jacobian;
  std::array<RowVector12, ContactPatch::capacity> distances_jacobian;
};

struct ContactPatchDerivativeOptions {
  ContactPatchOptions patch = {};
  const Distance* value = nullptr;  ///< of this very pair, if it is known; else it is computed
  TangentFrame frame = TangentFrame::local;
  /// With another one than Exact, the normal and the witness points move as in
  /// distance_derivative() by that estimator. A patch of one point follows the witness points, so
  /// that it slides over a corner that is smoothed; points of larger ones follow their features
  /// with that normal. `smooth` stays that of the exact derivative.
  Estimator estimator = Exact{};
};

/// Derivative of the contact patch of a pair. Errors are those of contact_patch; a `value` that is
/// not of this pair throws as well. Never allocates, never returns a NaN.
ContactPatchDerivative contact_patch_derivative(const Shape& a, const Pose& X_WA, const Shape& b,
                                                const Pose& X_WB,
                                                const ContactPatchDerivativeOptions& options = {});

/// Derivative of the contact patch of two geometries: every point follows the pair of parts that it
/// comes from, the normal the pair that attains the distance. `smooth` is false where that is so
/// for one of these pairs, where another pair of parts is as near with another normal, and where
/// the patch is made of no parts; its Jacobians are then those of the distance with a fixed normal.
/// The value of the options is not read. Allocates where a compound or a mesh takes part.
ContactPatchDerivative contact_patch_derivative(const Geometry& a, const Pose& X_WA,
                                                const Geometry& b, const Pose& X_WB,
                                                const ContactPatchDerivativeOptions& options = {});

/// Derivatives of all contact patches of two geometries, appended to `out` in the order of
/// contact_patches(), whose patches are their values. `smooth` of each is that of the pairs of
/// parts that make it. The value of the options is not read.
void contact_patches_derivative(const Geometry& a, const Pose& X_WA, const Geometry& b,
                                const Pose& X_WB, const ContactPatchDerivativeOptions& options,
                                std::vector<ContactPatchDerivative>& out);

/// How a patch moves with the sizes of one shape: a column for each size, by the names of
/// ParameterDerivative; rows in the world.
struct PatchParameterDerivative {
  std::vector<std::string> names;
  Eigen::Matrix3Xd normal_jacobian;
  std::vector<Eigen::Matrix3Xd> points_a_jacobian;  ///< one for each point
  std::vector<Eigen::Matrix3Xd> points_b_jacobian;
  Eigen::MatrixXd distances_jacobian;  ///< points x sizes
};

/// `smooth` is that of the contact patch, and false where a vertex of a face with more than three
/// corners would fold a face on which the patch or its normal depends.
struct ContactPatchParameterDerivative {
  ContactPatch value;
  PatchParameterDerivative a, b;
  bool smooth = false;
};

/// Derivative of the contact patch of a pair by all sizes of both shapes, by the exact derivative.
/// Errors are those of contact_patch_derivative(), whose options are read but for the frame and the
/// estimator. A size of 0 can only grow: its derivative is one-sided.
ContactPatchParameterDerivative contact_patch_parameter_derivative(
    const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
    const ContactPatchDerivativeOptions& options = {});

}  // namespace tactum
