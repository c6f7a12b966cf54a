// SPDX-License-Identifier: BSD-2-Clause
// A hull of tactum as one of coal: the same vertices and faces, without the margin.
#pragma once

#include <coal/shape/convex.h>

#include <memory>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum::compare {

inline std::shared_ptr<coal::ConvexBase> coal_hull(const Convex& hull) {
  auto points = std::make_shared<std::vector<coal::Vec3s>>();
  auto triangles = std::make_shared<std::vector<coal::Triangle>>();
  const Points vertices = hull.vertices();
  const Triangles faces = hull.faces();
  for (const auto& vertex : vertices.colwise()) points->push_back(vertex);
  for (const auto& face : faces.colwise()) triangles->emplace_back(face[0], face[1], face[2]);
  return std::make_shared<coal::Convex<coal::Triangle>>(
      points, static_cast<unsigned>(points->size()), triangles,
      static_cast<unsigned>(triangles->size()));
}

}  // namespace tactum::compare
