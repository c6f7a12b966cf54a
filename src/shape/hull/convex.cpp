// SPDX-License-Identifier: BSD-2-Clause
// The public handle on a convex hull: checks of its input, views of its tables.
#include <cmath>

#include "core/format_number.hpp"
#include "shape/check/shape_checks.hpp"
#include "shape/hull/convex_polytope.hpp"
#include "tactum/shape.hpp"
#include "tactum/status.hpp"

namespace tactum {
Convex Convex::from_points(const Points& points, double margin) {
  check_size(margin, "Convex.margin", ZeroSize::allowed);
  check_points(points, "Convex.points");
  return Convex(std::make_shared<const ConvexPolytope>(ConvexPolytope::from_points(points)),
                margin);
}

Convex Convex::from_mesh(const Points& vertices, const Triangles& faces, double margin) {
  check_size(margin, "Convex.margin", ZeroSize::allowed);
  check_points(vertices, "Convex.vertices");
  return Convex(std::make_shared<const ConvexPolytope>(ConvexPolytope::from_mesh(vertices, faces)),
                margin);
}

int Convex::dimension() const { return polytope_->dimension(); }

int Convex::num_vertices() const { return polytope_->num_vertices(); }

Vector3 Convex::vertex(int index) const {
  if (index < 0 || index >= num_vertices()) {
    throw InvalidInput("index", std::to_string(index),
                       "give a vertex from 0 to " + std::to_string(num_vertices() - 1));
  }
  return polytope_->vertex(index);
}

Points Convex::vertices() const {
  Points result(3, num_vertices());
  for (int i = 0; i < num_vertices(); ++i) result.col(i) = polytope_->vertex(i);
  return result;
}

Triangles Convex::faces() const {
  const auto faces = polytope_->faces();
  Triangles result(3, static_cast<Eigen::Index>(faces.size()));
  for (std::size_t f = 0; f < faces.size(); ++f) {
    for (int k = 0; k < 3; ++k) result(k, static_cast<Eigen::Index>(f)) = faces[f].vertices[k];
  }
  return result;
}

std::span<const std::int32_t> Convex::neighbors(int vertex) const {
  if (vertex < 0 || vertex >= num_vertices()) {
    throw InvalidInput("vertex", std::to_string(vertex),
                       "give a vertex from 0 to " + std::to_string(num_vertices() - 1));
  }
  return polytope_->neighbors(vertex);
}

}  // namespace tactum
