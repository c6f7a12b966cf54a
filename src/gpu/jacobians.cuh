// SPDX-License-Identifier: BSD-2-Clause
// Jacobians of normals and witness points, from answers that are already there.
#pragma once

#include "gpu/objects.cuh"

namespace tactum::gpu {

/// Whether a Jacobian other than that of the distance is wanted.
inline bool wants_jacobians(const DistanceColumns& out) {
  return out.normal_jacobian != nullptr || out.point_a_jacobian != nullptr ||
         out.point_b_jacobian != nullptr;
}

/// The columns of a launch of so many rows, those completed by inner ones that Jacobians start
/// from.
DistanceColumns completed_columns(const DistanceColumns& out, std::size_t rows,
                                  Workspace::Memory& scratch);

/// Fills the Jacobians of rows that have their status, distance, normal and points. Rows of objects
/// find their parts in the workspace, where launch_object_distances left them.
void launch_jacobians(const ShapeTable::Memory& memory, const BatchView& rows, double tolerance,
                      const Workspace::Memory& scratch, const DistanceColumns& out, Stream stream);

}  // namespace tactum::gpu
