// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/surface/vertex_rings.hpp"

#include "mesh/surface/edge_table.hpp"
#include "mesh/surface/weld.hpp"

namespace tactum {

VertexRings::VertexRings(const Points& vertices, const Triangles& triangles)
    : place_of_(welded(vertices, weld_tolerance(vertices))),
      begin_(static_cast<std::size_t>(vertices.cols()) + 1, 0) {
  const std::vector<HalfEdge> half_edges = sorted_half_edges(triangles, place_of_);
  const auto for_both_ends = [&](auto&& visit) {
    for_each_edge(half_edges, [&](std::span<const HalfEdge> edge) {
      visit(static_cast<std::size_t>(edge[0].low), edge[0].high);
      visit(static_cast<std::size_t>(edge[0].high), edge[0].low);
    });
  };
  for_both_ends([&](std::size_t from, std::int32_t) { ++begin_[from + 1]; });
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  neighbors_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  // edges come in ascending order, so that every ring does
  for_both_ends([&](std::size_t from, std::int32_t to) { neighbors_[next[from]++] = to; });
}

}  // namespace tactum
