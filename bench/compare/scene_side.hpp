// SPDX-License-Identifier: BSD-2-Clause
// Interface of a broad phase for the comparison of scenes: take new boxes for all objects, then say
// which overlap.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tactum/broad_phase.hpp"

namespace tactum::compare {

/// One structure of one library, bound to one scene.
class BoxSide {
 public:
  virtual ~BoxSide() = default;
  virtual std::string library() const = 0;
  virtual std::string setting() const = 0;
  /// Hands the boxes over in the form the library wants; not timed.
  virtual void prepare(std::span<const Aabb> boxes) = 0;
  virtual void update() = 0;
  /// All pairs of overlapping boxes, in any order.
  virtual void pairs(BoxPairs& out) = 0;
};

using BoxSides = std::vector<std::unique_ptr<BoxSide>>;

/// Each starts with the given boxes. `cell` is a good size for the cells of a grid.
void add_tactum_sides(std::span<const Aabb> boxes, BoxSides& sides);
void add_coal_sides(std::span<const Aabb> boxes, double cell, const Aabb& world, BoxSides& sides);
void add_bullet_sides(std::span<const Aabb> boxes, const Aabb& world, BoxSides& sides);

}  // namespace tactum::compare
