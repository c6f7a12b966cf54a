// SPDX-License-Identifier: BSD-2-Clause
// Meshes as grids of signed distances and points of their surfaces, made on the host.
#pragma once

#include <vector>

#include "gpu/distance_grid.hpp"
#include "tactum/gpu/implicit_surface.hpp"

namespace tactum::gpu {

struct PackedGrids {
  std::vector<GridRecord> grids;
  std::vector<float> values;
  std::vector<Vector<float>> points;  ///< in the frame of their mesh
};

/// Throws InvalidInput as ImplicitSurfaces does.
PackedGrids pack_grids(std::span<const Mesh> meshes, const ImplicitSurfaceOptions& options);

}  // namespace tactum::gpu
