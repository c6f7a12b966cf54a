// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/query/outer_normal.hpp"

#include <algorithm>
#include <array>

#include "mesh/surface/vertex_rings.hpp"
#include "shape/check/triangle_plane.hpp"

namespace tactum {
namespace {

constexpr double kLevel = 1e-7;  // rad: an edge this close to orthogonal to the normal is level

/// Corners of a triangle that are as far along the normal as any.
struct TopCorners {
  std::array<std::int32_t, 3> vertices = {};
  int count = 0;
};

TopCorners top_corners(const Mesh& mesh, std::int32_t triangle, const Vector3& n) {
  const auto corner = [&](int k) -> Vector3 {
    return mesh.vertices().col(mesh.triangles()(k, triangle));
  };
  int top = 0;
  for (int k = 1; k < 3; ++k)
    if (n.dot(corner(k) - corner(top)) > 0.0) top = k;
  TopCorners found;
  for (int k = 0; k < 3; ++k) {
    const Vector3 edge = corner(top) - corner(k);
    if (n.dot(edge) <= kLevel * edge.norm())
      found.vertices[static_cast<std::size_t>(found.count++)] = mesh.triangles()(k, triangle);
  }
  return found;
}

bool is_farther(const Mesh& mesh, std::int32_t vertex, std::int32_t than, const Vector3& n) {
  const Vector3 edge = mesh.vertices().col(vertex) - mesh.vertices().col(than);
  return n.dot(edge) > kLevel * edge.norm();
}

}  // namespace

bool is_outer_normal(const Mesh& mesh, std::int32_t triangle, const Vector3& n) {
  if (mesh.is_solid()) {
    const auto corners = mesh.triangles().col(triangle);
    const Vector3 outward = triangle_plane(mesh.vertices().col(corners[0]),
                                           mesh.vertices().col(corners[1]),
                                           mesh.vertices().col(corners[2]))
                                .normal;
    if (n.dot(outward) < -kLevel) return false;
  }
  const TopCorners top = top_corners(mesh, triangle, n);
  if (top.count == 3) return true;
  const std::int32_t first = top.vertices[0];
  const auto ring = mesh.vertex_rings().around(first);
  const auto other = mesh.vertex_rings().around(
      top.vertices[static_cast<std::size_t>(top.count - 1)]);
  return std::ranges::none_of(ring, [&](std::int32_t neighbor) {
    // beside a side lie the vertices that are next to both of its ends
    const bool beside = top.count == 1 || std::ranges::binary_search(other, neighbor);
    return beside && is_farther(mesh, neighbor, first, n);
  });
}

}  // namespace tactum
