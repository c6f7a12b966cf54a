// SPDX-License-Identifier: BSD-2-Clause
// The report on a mesh, from its sorted half edges, with vertices in one place taken for one.
#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "mesh/surface/edge_table.hpp"
#include "mesh/surface/triangle_moments.hpp"
#include "mesh/surface/weld.hpp"
#include "shape/check/triangle_plane.hpp"
#include "tactum/mesh.hpp"

namespace tactum {
namespace {

using Index = std::int32_t;

/// Where a half edge stands in the order of the triangles as they were given.
auto place(const HalfEdge& half) { return std::tuple(half.triangle, half.side); }

class Inspector {
 public:
  explicit Inspector(const Mesh& mesh)
      : vertices_(mesh.vertices()),
        triangles_(mesh.triangles()),
        place_(welded(vertices_, weld_tolerance(vertices_))),
        half_edges_(sorted_half_edges(triangles_, place_)) {}

  MeshReport report() {
    inspect_edges();
    inspect_vertices();
    inspect_triangles();
    report_.closed = report_.num_boundary_edges == 0 && !half_edges_.empty();
    report_.oriented = report_.num_misoriented_edges == 0;
    report_.manifold = report_.num_non_manifold_edges == 0 && !has_two_fans();
    const Vector3 middle = box_middle(vertices_);
    report_.area = shell_moments(vertices_, triangles_, middle).volume;
    if (report_.closed) report_.volume = solid_moments(vertices_, triangles_, middle).volume;
    return report_;
  }

 private:
  Index place(Index k, Index t) const { return place_[static_cast<std::size_t>(triangles_(k, t))]; }

  void inspect_edges() {
    auto first = std::tuple(std::numeric_limits<Index>::max(), std::int8_t{0});
    for_each_edge(half_edges_, [&](std::span<const HalfEdge> edge) {
      const auto forward = std::ranges::count(edge, true, &HalfEdge::forward);
      const bool odd = edge.size() % 2 != 0, many = edge.size() > 2,
                 misoriented = !odd && 2 * static_cast<std::size_t>(forward) != edge.size();
      report_.num_boundary_edges += odd ? 1 : 0;
      report_.num_non_manifold_edges += many ? 1 : 0;
      report_.num_misoriented_edges += misoriented ? 1 : 0;
      if (!(odd || many || misoriented) || !(tactum::place(edge.front()) < first)) return;
      first = tactum::place(edge.front());
      const auto [triangle, side] = first;
      report_.first_offending_edge = {triangles_(side, triangle),
                                      triangles_((side + 1) % 3, triangle)};
    });
  }

  void inspect_vertices() {
    std::vector<char> used(place_.size(), 0);
    for (const Index index : triangles_.reshaped()) used[static_cast<std::size_t>(index)] = 1;
    report_.num_unused_vertices = static_cast<int>(std::ranges::count(used, 0));
    UnionFind sets(place_.size());
    for (Index t = 0; t < triangles_.cols(); ++t) {
      sets.join(place(0, t), place(1, t));
      sets.join(place(0, t), place(2, t));
    }
    for (Index i = 0; i < static_cast<Index>(place_.size()); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (place_[at] != i) ++report_.num_duplicate_vertices;
    }
    std::vector<char> counted(place_.size(), 0);
    for (Index t = 0; t < triangles_.cols(); ++t) {
      char& known = counted[static_cast<std::size_t>(sets.find(place(0, t)))];
      if (known == 0) ++report_.num_components;
      known = 1;
    }
  }

  void inspect_triangles() {
    std::vector<std::array<Index, 3>> corners;
    corners.reserve(static_cast<std::size_t>(triangles_.cols()));
    for (Index t = 0; t < triangles_.cols(); ++t) {
      const TrianglePlane plane = triangle_plane(vertices_.col(triangles_(0, t)),
                                                 vertices_.col(triangles_(1, t)),
                                                 vertices_.col(triangles_(2, t)));
      std::array<Index, 3> own = {place(0, t), place(1, t), place(2, t)};
      std::ranges::sort(own);
      const bool flat = plane.height <= 0.0 || own[0] == own[1] || own[1] == own[2];
      if (flat) ++report_.num_degenerate_triangles;
      corners.push_back(own);
    }
    std::ranges::sort(corners);
    const auto last = std::unique(corners.begin(), corners.end());
    report_.num_duplicate_triangles = static_cast<int>(corners.end() - last);
  }

  /// Whether the triangles around some vertex fall into parts that share no edge there.
  bool has_two_fans() {
    UnionFind fans(static_cast<std::size_t>(triangles_.size()));
    const auto corner_at = [&](const HalfEdge& half, Index vertex) {
      const int k = place(half.side, half.triangle) == vertex ? half.side : (half.side + 1) % 3;
      return 3 * half.triangle + k;
    };
    for_each_edge(half_edges_, [&](std::span<const HalfEdge> edge) {
      for (const HalfEdge& half : edge.subspan(1)) {
        fans.join(corner_at(edge.front(), half.low), corner_at(half, half.low));
        fans.join(corner_at(edge.front(), half.high), corner_at(half, half.high));
      }
    });
    std::vector<Index> fan_of(place_.size(), -1);
    for (const HalfEdge& half : half_edges_) {
      const Index fan = fans.find(corner_at(half, half.low));
      Index& known = fan_of[static_cast<std::size_t>(half.low)];
      if (known >= 0 && known != fan) return true;
      known = fan;
      const Index other = fans.find(corner_at(half, half.high));
      Index& known_other = fan_of[static_cast<std::size_t>(half.high)];
      if (known_other >= 0 && known_other != other) return true;
      known_other = other;
    }
    return false;
  }

  const Points& vertices_;
  const Triangles& triangles_;
  std::vector<Index> place_;  // for every vertex the first one in the same place
  std::vector<HalfEdge> half_edges_;
  MeshReport report_;
};

}  // namespace

MeshReport Mesh::report() const { return Inspector(*this).report(); }

}  // namespace tactum
