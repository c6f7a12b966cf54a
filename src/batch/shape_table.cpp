// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/shape_table.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "shape/hull/convex_polytope.hpp"

namespace tactum {

ShapeTable::ShapeTable(std::vector<Shape> shapes, std::vector<Geometry> geometries)
    : data_(std::make_shared<const Data>(Data{std::move(shapes), std::move(geometries)})) {}

ShapeTable::ShapeTable(std::vector<Shape> shapes)
    : ShapeTable(std::move(shapes), std::vector<Geometry>()) {}

ShapeTable ShapeTable::of_geometries(std::vector<Geometry> geometries) {
  if (!std::ranges::all_of(geometries, [](const Geometry& g) { return g.shape() != nullptr; }))
    return ShapeTable(std::vector<Shape>(), std::move(geometries));
  std::vector<Shape> shapes;
  shapes.reserve(geometries.size());
  for (const Geometry& geometry : geometries) shapes.push_back(*geometry.shape());
  return ShapeTable(std::move(shapes));
}

Geometry ShapeTable::geometry(std::size_t index) const {
  return data_->geometries.empty() ? Geometry(data_->shapes[index]) : data_->geometries[index];
}

std::size_t ShapeTable::nbytes() const {
  std::size_t total = sizeof(*this) + sizeof(*data_);
  std::unordered_set<const ConvexPolytope*> counted;
  for (const Shape& shape : data_->shapes) {
    const auto* const convex = std::get_if<Convex>(&shape.parameters());
    const bool shared = convex != nullptr && !counted.insert(&convex->polytope()).second;
    total += shared ? sizeof(Shape) : shape.nbytes();
  }
  for (const Geometry& geometry : data_->geometries) total += geometry.nbytes();
  return total;
}

}  // namespace tactum
