// SPDX-License-Identifier: BSD-2-Clause
// Non-convex solids as unions of convex parts, and queries of pairs of which either may be a union.
//
// Distance   the distance of two unions is the smallest over all pairs of parts, so in penetration
//            that of the deepest pair of parts. Apart, it is the true distance of the unions; in
//            penetration it is a lower bound of the depth, as for every decomposition.
// Poses      X_CP is the pose of a part P in the frame of the compound C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tactum/contact_patch.hpp"
#include "tactum/distance.hpp"
#include "tactum/ray_cast.hpp"
#include "tactum/shape.hpp"

namespace tactum {

struct CompoundPart {
  Shape shape;
  Pose X_CP = {};
};

class PartTree;  // bounding boxes of the parts: src/scene/part_tree.hpp

/// An immutable union of convex parts: validated once, cheap to copy, safe to use from many
/// threads.
class Compound {
 public:
  /// One part or more, none of them a half-space. Throws InvalidInput that names the part. Parts
  /// may overlap.
  explicit Compound(std::vector<CompoundPart> parts);

  std::span<const CompoundPart> parts() const;
  /// Parts with their poses in the frame that X is given in, for compounds made of compounds.
  std::vector<CompoundPart> parts_at(const Pose& X) const;
  const PartTree& tree() const;                      ///< over the first of every set of equal parts
  std::span<const std::int32_t> next_equal() const;  ///< for every part the next one of the same
                                                     ///< shape and pose, or -1
  double reach() const;  ///< m: no part, nor the ball around its origin, reaches farther from the
                         ///< origin
  double support_error() const;  ///< m: the largest of its parts (CoreShape::support_error)

  /// A point of the compound farthest along `direction` (any non-zero length), in its frame.
  Vector3 support(const Vector3& direction) const;
  Aabb aabb(const Pose& X = {}) const;  ///< tight, in the frame X is given in
  double volume() const;  ///< m^3, the sum over the parts: where they overlap it counts twice
  MassProperties mass_properties(double density) const;  ///< kg/m^3, > 0; sums over the parts, as
                                                         ///< the volume
  std::size_t nbytes() const;     ///< bytes held; hull tables that parts share count once
  std::string to_string() const;  ///< Compound(3 parts)
  std::size_t hash() const;
  friend bool operator==(const Compound& a,
                         const Compound& b);  ///< the same parts at the same poses, in the same
                                              ///< order, bit by bit

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// A convex shape or a compound: what a scene holds.
class Geometry {
 public:
  Geometry(Shape shape)
      : value_(std::move(shape)) {}  // NOLINT(google-explicit-constructor): it is one
  Geometry(Compound compound)
      : value_(std::move(compound)) {}  // NOLINT(google-explicit-constructor)

  /// Returns null for a compound.
  const Shape* shape() const { return std::get_if<Shape>(&value_); }
  /// Returns null for a convex shape.
  const Compound* compound() const { return std::get_if<Compound>(&value_); }
  int num_parts() const {
    return shape() != nullptr ? 1 : static_cast<int>(compound()->parts().size());
  }
  Aabb aabb(const Pose& X = {}) const {
    return shape() != nullptr ? shape()->aabb(X) : compound()->aabb(X);
  }
  friend bool operator==(const Geometry& a, const Geometry& b) = default;

 private:
  std::variant<Shape, Compound> value_;
};

/// All contact patches of two geometries: one for each pair of parts within options.cutoff,
/// ascending by part_a and part_b.
struct PartPatch {
  std::int32_t part_a = 0;
  std::int32_t part_b = 0;
  ContactPatch patch;
};

/// Distance of two geometries and the parts that it was found between; 0 for a convex shape.
struct GeometryDistance : Distance {
  std::int32_t part_a = 0;
  std::int32_t part_b = 0;
};

/// Smallest signed distance over all pairs of parts. Bounds and status are proved for the pair of
/// unions. Errors are those of the distance of two shapes.
///
/// options.warm_start belongs to the pair of parts (first_a, first_b), which is queried first: give
/// the parts and the warm start of the last answer.
GeometryDistance distance(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                          const DistanceOptions& options = {}, std::int32_t first_a = 0,
                          std::int32_t first_b = 0);

/// Whether the geometries share a point. Two unions need not have a plane between them: where one
/// of the geometries is a compound, `lower` is a proved bound of the distance, and the normal is
/// that of the parts that were nearest to touching.
Collision collide(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                  const CollideOptions& options = {});

/// Appends the patches to `out`. The warm start of the options is not read. A cutoff of infinity
/// takes every pair of parts.
void contact_patches(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                     const ContactPatchOptions& options, std::vector<PartPatch>& out);

/// The first point of a geometry on a ray, with the conventions of the ray cast of a shape.
RayHit ray_cast(const Geometry& geometry, const Pose& X, const Vector3& origin,
                const Vector3& direction,
                double max_distance = std::numeric_limits<double>::infinity());

}  // namespace tactum

template <>
struct std::hash<tactum::Compound> {
  std::size_t operator()(const tactum::Compound& compound) const { return compound.hash(); }
};
