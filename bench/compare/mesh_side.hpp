// SPDX-License-Identifier: BSD-2-Clause
// Interface of a library for the comparison of meshes: build a hierarchy for each of two meshes,
// then answer at poses.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tactum/mesh.hpp"

namespace tactum::compare {

/// One hierarchy of one library, bound to a pair of meshes.
class MeshSide {
 public:
  virtual ~MeshSide() = default;
  virtual std::string library() const = 0;
  virtual std::string setting() const = 0;
  /// Builds both hierarchies anew from the arrays of the meshes.
  virtual void build() = 0;
  /// Hands the pose of B in the frame of A over in the form the library wants; not timed.
  virtual void place(const Pose& X_AB) = 0;
  /// m; negative or zero where the meshes cross; not a number where the hierarchy has no distance.
  virtual double distance() = 0;
  virtual bool collide() = 0;
  /// First time in [0, 1] at which B meets A while its frame moves straight from one pose to
  /// another without turning; infinity: never. Not a number where the library has no such query.
  virtual double time_of_impact(const Pose& /*from*/, const Pose& /*to*/) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  /// Some hierarchies are hundreds of times slower than others of their library in collisions.
  virtual bool is_asked_for_collisions() const { return true; }
};

using MeshSides = std::vector<std::unique_ptr<MeshSide>>;

/// The meshes outlive the sides.
void add_tactum_meshes(const Mesh& a, const Mesh& b, MeshSides& sides);
void add_coal_meshes(const Mesh& a, const Mesh& b, MeshSides& sides);
void add_fcl_meshes(const Mesh& a, const Mesh& b, MeshSides& sides);

/// Straight motions of B past A or into it; writes one JSON object.
void measure_impacts(const Mesh& a, const Mesh& b, MeshSides& sides, bool quick,
                     std::uint64_t seed);

/// Boolean collisions of two objects of convex parts near contact; writes one JSON object.
void measure_parts(const std::string& file_a, const std::string& file_b, bool quick,
                   std::uint64_t seed);

}  // namespace tactum::compare
