// SPDX-License-Identifier: BSD-2-Clause
// Signed distances of many points from shapes and objects on an NVIDIA GPU, with their gradients.
//
// Values, gradients and frames are those of tactum::signed_distance; bounds and status are proved
// as those of tactum::gpu::distances, whose kernels answer: a point is a shape without extent.
#pragma once

#include "tactum/gpu/distances.hpp"

namespace tactum::gpu {

/// Points in the world, each with a shape of the table at a pose. Device memory.
struct PointBatch {
  std::size_t size = 0;
  BatchSide shapes;                ///< of each point, or one pose for all
  const double* points = nullptr;  ///< x, y, z for each
};

/// Where the answers go, one column for each field. Null: not wanted.
struct SignedDistanceColumns {
  double* distance = nullptr;  ///< m, negative inside
  double* gradient = nullptr;  ///< three for each point: unit, outward, world
  Status* status = nullptr;    ///< `invalid_input` for a bad pose, index or point
  double* lower = nullptr;
  double* upper = nullptr;
};

/// Signed distances of all points. Throws InvalidInput on a bad option or a missing pointer,
/// DeviceError when the device refuses. The first call of a table copies it once more.
void signed_distance(const ShapeTable& table, const PointBatch& points,
                     const DistancesOptions& options, Workspace& work,
                     const SignedDistanceColumns& out, Stream stream = nullptr);

}  // namespace tactum::gpu
