// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/surface/edge_table.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tactum {

std::vector<HalfEdge> sorted_half_edges(const Triangles& triangles,
                                        std::span<const std::int32_t> vertex_of) {
  std::vector<HalfEdge> result;
  result.reserve(static_cast<std::size_t>(triangles.size()));
  for (std::int32_t t = 0; t < triangles.cols(); ++t) {
    std::int32_t corner[3];
    for (int k = 0; k < 3; ++k) corner[k] = vertex_of[static_cast<std::size_t>(triangles(k, t))];
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
    for (int k = 0; k < 3; ++k) {
      const std::int32_t from = corner[k], to = corner[(k + 1) % 3];
      result.push_back(
          {std::min(from, to), std::max(from, to), t, static_cast<std::int8_t>(k), from < to});
    }
  }
  std::sort(result.begin(), result.end(), [](const HalfEdge& a, const HalfEdge& b) {
    return std::tie(a.low, a.high, a.triangle, a.side) <
           std::tie(b.low, b.high, b.triangle, b.side);
  });
  return result;
}

UnionFind::UnionFind(std::size_t size) : parent_(size) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

std::int32_t UnionFind::find(std::int32_t item) {
  auto& parent = parent_;
  const auto at = [&](std::int32_t i) -> std::int32_t& {
    return parent[static_cast<std::size_t>(i)];
  };
  while (at(item) != item) item = at(item) = at(at(item));
  return item;
}

void UnionFind::join(std::int32_t a, std::int32_t b) {
  a = find(a);
  b = find(b);
  parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
}

}  // namespace tactum
