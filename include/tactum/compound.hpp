// SPDX-License-Identifier: BSD-2-Clause
// Non-convex solids as unions of convex parts. Their queries are in geometry.hpp.
//
// Poses      X_CP is the pose of a part P in the frame of the compound C.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tactum/pose.hpp"
#include "tactum/shape.hpp"

namespace tactum {

struct CompoundPart {
  Shape shape;
  Pose X_CP = {};
};

/// Heights that a compound of prisms was made from: HeightField, in height_field.hpp. Metres.
struct HeightGrid {
  Eigen::MatrixXd heights;
  Eigen::Vector2d spacing;  ///< of neighbours along x and y
  double base = 0.0;
};

class PartTree;  // bounding boxes of the parts: src/geometry/part_tree.hpp

/// An immutable union of convex parts: validated once, cheap to copy, safe to use from many
/// threads.
class Compound {
 public:
  /// One part or more, none of them a half-space. Throws InvalidInput that names the part. Parts
  /// may overlap.
  explicit Compound(std::vector<CompoundPart> parts);

  std::span<const CompoundPart> parts() const;
  const HeightGrid* height_grid() const;  ///< of a height field; null for any other compound
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

 protected:
  Compound(std::vector<CompoundPart> parts, const HeightGrid& grid);

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace tactum

template <>
struct std::hash<tactum::Compound> {
  std::size_t operator()(const tactum::Compound& compound) const { return compound.hash(); }
};
