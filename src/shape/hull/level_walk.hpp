// SPDX-License-Identifier: BSD-2-Clause
// The vertices of a feature around a support vertex of a hull, found by a walk along edges.
//
// Connected  the vertices of a hull within a length of the farthest along a direction are connected
//            by edges among themselves: from every vertex that is not the farthest some edge leads
//            up. A walk from the support vertex finds all of them and reads no vertex beyond their
//            neighbors.
// Capacity   a walk lists few vertices. A face with more corners is found by a pass over all
//            vertices instead.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "shape/hull/convex_polytope.hpp"

namespace tactum {

/// Vertices in the order in which they were inserted, each of them once.
template <int capacity>
class VertexSet {
 public:
  enum class Insertion { added, present, full };

  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): no vertex is in use
  VertexSet() { places_.fill(-1); }

  Insertion insert(std::int32_t vertex) {
    constexpr std::uint32_t kSpread = 0x9e3779b1U;
    auto place = (static_cast<std::uint32_t>(vertex) * kSpread) >> kShift;
    for (; places_[place] != -1; place = (place + 1) % kPlaces) {
      if (places_[place] == vertex) return Insertion::present;
    }
    if (count_ == capacity) return Insertion::full;
    places_[place] = vertex;
    vertices_[static_cast<std::size_t>(count_++)] = vertex;
    return Insertion::added;
  }

  int size() const { return count_; }
  std::int32_t operator[](int i) const { return vertices_[static_cast<std::size_t>(i)]; }

 private:
  // twice as many places as vertices: a search for a free place is short
  static constexpr std::uint32_t kPlaces = std::bit_ceil(2U * capacity);
  static constexpr int kShift = 33 - std::bit_width(kPlaces);  // keeps as many bits as places need
  std::array<std::int32_t, capacity> vertices_;
  std::array<std::int32_t, kPlaces> places_;
  int count_ = 0;
};

/// The corners of a feature, the support vertex first.
struct LevelCorners {
  static constexpr int kCapacity = 32;
  VertexSet<kCapacity> vertices;
  bool complete = true;  ///< false: there are more corners than are listed
};

/// Lists the vertices for which is_level(vertex) is true and that edges between such vertices
/// connect to the support vertex.
template <class IsLevel>
LevelCorners level_corners(const ConvexPolytope& hull, int support, const IsLevel& is_level) {
  LevelCorners corners;
  corners.vertices.insert(support);
  for (int i = 0; i < corners.vertices.size() && corners.complete; ++i) {
    for (const std::int32_t neighbor : hull.neighbors(corners.vertices[i])) {
      if (is_level(neighbor) &&
          corners.vertices.insert(neighbor) == VertexSet<LevelCorners::kCapacity>::Insertion::full)
        corners.complete = false;
    }
  }
  return corners;
}

/// Calls visit(vertex) for the support vertex and for each vertex at its level, however many there
/// are.
template <class IsLevel, class Visit>
void visit_level_vertices(const ConvexPolytope& hull, int support, const IsLevel& is_level,
                          Visit&& visit) {
  const LevelCorners corners = level_corners(hull, support, is_level);
  if (corners.complete) {
    for (int i = 0; i < corners.vertices.size(); ++i) visit(corners.vertices[i]);
    return;
  }
  for (int i = 0; i < hull.num_vertices(); ++i) {
    if (is_level(i)) visit(i);
  }
}

}  // namespace tactum
