// SPDX-License-Identifier: BSD-2-Clause
// Shapes as arrays that a kernel can read (core_record.hpp), made on the host.
#pragma once

#include <span>
#include <vector>

#include "gpu/core_record.hpp"
#include "tactum/shape.hpp"

namespace tactum::gpu {

struct PackedShapes {
  std::vector<CoreRecord<float>> single;
  std::vector<CoreRecord<double>> exact;
  std::vector<FourFloats> blocks;  ///< three for each block of four vertices
  std::vector<double> vertices;    ///< twelve for each block
  KindSet kinds = 0;               ///< those that occur
};

/// Throws InvalidInput for shapes that the kernels do not know: volumes of spheres and tori, hulls
/// of more than 256 vertices.
PackedShapes pack_shapes(std::span<const Shape> shapes);

}  // namespace tactum::gpu
