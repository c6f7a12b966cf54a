// SPDX-License-Identifier: BSD-2-Clause
// Signed distances on the nodes of a grid, and what lies between them, for host and device.
//
// Inside of the grid the value is linear along each axis between the eight nodes of a cell: a
// signed distance bends by no more than the distance of nodes, so it is right to the diagonal of a
// cell, and on flat parts of a surface it is exact. Outside it is the value at the nearest point of
// the grid plus the distance to that point, which is never less than the distance is.
#pragma once

#include <cstddef>

#include "gpu/vector.hpp"

namespace tactum::gpu {

struct GridRecord {
  Vector<float> origin;  ///< of the first node, in the frame of the mesh, m
  float spacing;         ///< of nodes, m
  std::int32_t num_x, num_y, num_z;
  std::int32_t first_point, num_points;
  std::uint64_t first_value;  ///< x fastest, then y
};

namespace detail {

/// Cell and place in it along one axis, and how far outside of the grid.
struct GridPlace {
  int cell;
  float share, outside;
};
TACTUM_HOST_DEVICE GridPlace grid_place(float at, int count) {
  const float last = static_cast<float>(count - 1);
  const float inside = smaller(larger(at, 0.0F), last);
  const int cell = static_cast<int>(smaller(inside, last - 1.0F));
  return {cell, inside - static_cast<float>(cell), std::fabs(at - inside)};
}

TACTUM_HOST_DEVICE float between(float a, float b, float share) { return a + share * (b - a); }

}  // namespace detail

/// The signed distance of a point in the frame of the mesh.
TACTUM_HOST_DEVICE float grid_distance(const GridRecord& grid, const float* values,
                                       Vector<float> point) {
  const float unit = 1.0F / grid.spacing;
  const Vector<float> at = unit * (point - grid.origin);
  const detail::GridPlace x = detail::grid_place(at.x, grid.num_x),
                          y = detail::grid_place(at.y, grid.num_y),
                          z = detail::grid_place(at.z, grid.num_z);
  const std::size_t step_y = static_cast<std::size_t>(grid.num_x),
                    step_z = step_y * static_cast<std::size_t>(grid.num_y);
  const float* const cell = values + grid.first_value + static_cast<std::size_t>(z.cell) * step_z +
                            static_cast<std::size_t>(y.cell) * step_y +
                            static_cast<std::size_t>(x.cell);
  const auto along_x = [&](const float* from) {
    return detail::between(from[0], from[1], x.share);
  };
  const auto along_y = [&](const float* from) {
    return detail::between(along_x(from), along_x(from + step_y), y.share);
  };
  const float value = detail::between(along_y(cell), along_y(cell + step_z), z.share);
  const Vector<float> outside{x.outside, y.outside, z.outside};
  return value + grid.spacing * norm(outside);
}

}  // namespace tactum::gpu
