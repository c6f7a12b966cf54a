// SPDX-License-Identifier: BSD-2-Clause
// The vertices next to every vertex of a mesh, across the seams of a soup whose triangles repeat
// their corners.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

class VertexRings {
 public:
  VertexRings(const Points& vertices, const Triangles& triangles);

  /// The vertices that an edge joins with this one, ascending, each by the first vertex in its
  /// place.
  std::span<const std::int32_t> around(std::int32_t vertex) const {
    const auto place = static_cast<std::size_t>(place_of_[static_cast<std::size_t>(vertex)]);
    return std::span(neighbors_).subspan(begin_[place], begin_[place + 1] - begin_[place]);
  }

 private:
  std::vector<std::int32_t> place_of_;  ///< the first vertex in the place of each
  std::vector<std::size_t> begin_;      ///< of the ring of each vertex, and the end
  std::vector<std::int32_t> neighbors_;
};

}  // namespace tactum
