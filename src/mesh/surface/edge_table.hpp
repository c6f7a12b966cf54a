// SPDX-License-Identifier: BSD-2-Clause
// The edges of triangles, each with the half edges that run along it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// One side of a triangle, from corner `side` to the next one.
struct HalfEdge {
  std::int32_t low, high;  ///< vertices, the smaller first
  std::int32_t triangle;
  std::int8_t side;  ///< 0, 1, 2
  bool forward;      ///< runs from low to high
};

/// Half edges of triangles whose corners are `vertex_of[index]`, sorted by their vertices, then by
/// triangle; those of triangles with two equal corners are left out.
std::vector<HalfEdge> sorted_half_edges(const Triangles& triangles,
                                        std::span<const std::int32_t> vertex_of);

/// Calls visit(span of the half edges of one edge) for every edge.
template <class Visit>
void for_each_edge(std::span<const HalfEdge> half_edges, Visit&& visit) {
  for (std::size_t begin = 0, end = 0; begin < half_edges.size(); begin = end) {
    while (end < half_edges.size() && half_edges[end].low == half_edges[begin].low &&
           half_edges[end].high == half_edges[begin].high)
      ++end;
    visit(half_edges.subspan(begin, end - begin));
  }
}

/// Sets that grow together: the smallest member stands for its set.
class UnionFind {
 public:
  explicit UnionFind(std::size_t size);
  std::int32_t find(std::int32_t item);
  void join(std::int32_t a, std::int32_t b);

 private:
  std::vector<std::int32_t> parent_;
};

}  // namespace tactum
