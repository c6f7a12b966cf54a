// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjk/warm_polytope.hpp"

#include <algorithm>

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

/// Marks in each row the columns that edges from that vertex lead to; false where an edge occurs
/// twice in the same direction.
bool mark_edges(std::span<const WarmPolytope::Triangle> triangles, std::size_t num_vertices,
                std::array<std::uint32_t, WarmPolytope::max_vertices>& to,
                std::array<std::uint32_t, WarmPolytope::max_vertices>& from) {
  to.fill(0);
  from.fill(0);
  for (const auto& triangle : triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t p = triangle[i], q = triangle[i == 2 ? 0 : i + 1];
      if (p >= num_vertices || q >= num_vertices || p == q || (to[p] >> q & 1U) != 0) return false;
      to[p] |= std::uint32_t{1} << q;
      from[q] |= std::uint32_t{1} << p;
    }
  }
  return true;
}

}  // namespace

int num_core_vertices(const CoreShape& core) {
  switch (core.kind) {
    case Kind::point: return 1;
    case Kind::segment: return 2;
    case Kind::box: return 8;
    case Kind::polytope: return core.polytope->num_vertices();
    default: return 0;
  }
}

Double3 core_vertex(const CoreShape& core, int i) {
  if (core.kind == Kind::polytope) return to_double3(core.polytope->vertex(i));
  const Double3 center = to_double3(core.center), size = to_double3(core.size);
  switch (core.kind) {
    case Kind::box:
      return {(i & 1) != 0 ? -size.x : size.x, (i & 2) != 0 ? -size.y : size.y,
              (i & 4) != 0 ? -size.z : size.z};
    case Kind::segment: return i == 0 ? center + size : center - size;
    default: return center;
  }
}

bool WarmPolytope::assign(std::span<const VertexPair> vertices,
                          std::span<const Triangle> triangles) {
  clear();
  if (vertices.size() > max_vertices || triangles.size() > max_triangles) return false;
  if (triangles.empty() && vertices.size() > 4) return false;
  std::array<std::uint32_t, max_vertices> to, from;
  if (!triangles.empty() && !(mark_edges(triangles, vertices.size(), to, from) && to == from))
    return false;
  num_vertices_ = static_cast<std::uint16_t>(vertices.size());
  num_triangles_ = static_cast<std::uint16_t>(triangles.size());
  std::copy(vertices.begin(), vertices.end(), vertices_.begin());
  std::copy(triangles.begin(), triangles.end(), triangles_.begin());
  for (const VertexPair& pair : vertices)
    largest_ = {std::max(largest_[0], pair[0]), std::max(largest_[1], pair[1])};
  return true;
}

MinkowskiPoint point_of_vertices(const CorePair& pair, const WarmPolytope::VertexPair& vertices) {
  const Double3 a = core_vertex(pair.a(), vertices[0]), b = core_vertex(pair.b(), vertices[1]);
  const Double3 w = product(pair.X_AB().rotation, b) + to_double3(pair.X_AB().translation) - a;
  return {to_vector3(w), to_vector3(a), {vertices[0], vertices[1]}, to_vector3(b)};
}

void record_simplex(const CorePair& pair, const Simplex& simplex) {
  if (pair.record == nullptr) return;
  std::array<WarmPolytope::VertexPair, 4> vertices;
  int largest = 0;
  for (int i = 0; i < simplex.size; ++i) {
    const PiecePair& piece = simplex.points[static_cast<std::size_t>(i)].piece;
    largest = std::max(largest, std::max(piece[0], piece[1]));
    vertices[static_cast<std::size_t>(i)] = {static_cast<std::uint16_t>(piece[0]),
                                             static_cast<std::uint16_t>(piece[1])};
  }
  pair.record->clear();
  if (largest <= WarmPolytope::largest_vertex)
    pair.record->assign({vertices.data(), static_cast<std::size_t>(simplex.size)}, {});
}

}  // namespace tactum
