// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/shape_table.hpp"

#include <unordered_set>
#include <utility>

#include "shape/hull/convex_polytope.hpp"

namespace tactum {

ShapeTable::ShapeTable(std::vector<Shape> shapes)
    : shapes_(std::make_shared<const std::vector<Shape>>(std::move(shapes))) {}

std::size_t ShapeTable::nbytes() const {
  std::size_t total = sizeof(*this) + sizeof(*shapes_);
  std::unordered_set<const ConvexPolytope*> counted;
  for (const Shape& shape : *shapes_) {
    const auto* const convex = std::get_if<Convex>(&shape.parameters());
    const bool shared = convex != nullptr && !counted.insert(&convex->polytope()).second;
    total += shared ? sizeof(Shape) : shape.nbytes();
  }
  return total;
}

}  // namespace tactum
