// SPDX-License-Identifier: BSD-2-Clause
// The other baseline of learned collision detection: points of the surface of A against the signed
// distance of B on a grid (Son and Kim 2023 call it IS-CD, implicit surface collision detection).
//
// It answers for meshes of any form, in time that depends on the number of points alone, and it is
// as exact as they are dense and the grid is fine: a thin part that no point hits is missed, and so
// is a corner of B that enters a face of A between points. Nothing is proved. It is here to be
// compared with.
#pragma once

#include <span>

#include "tactum/gpu/distances.hpp"
#include "tactum/mesh.hpp"

namespace tactum::gpu {

struct ImplicitSurfaceOptions {
  int num_points = 1500;  ///< sampled on each surface, 1 to 1,000,000
  int resolution = 64;    ///< nodes of a grid along its longest side, 4 to 512
  double border = 0.1;    ///< of the longest side: how far a grid reaches beyond its mesh, 0 to 1
  int num_threads = 0;    ///< that build the grids; 0: all that the machine has
};

/// Grids of signed distances and points of surfaces, copied to the current device, constant from
/// then on. Cheap to copy.
class ImplicitSurfaces {
 public:
  /// Throws InvalidInput for an empty list, for a mesh without an inside and for a bad option;
  /// DeviceError when the device refuses.
  explicit ImplicitSurfaces(std::span<const Mesh> meshes,
                            const ImplicitSurfaceOptions& options = {});

  std::size_t size() const;
  std::size_t nbytes() const;  ///< on the device

  struct Memory;
  const Memory& memory() const { return *memory_; }  ///< for the query itself

 private:
  std::shared_ptr<const Memory> memory_;
};

/// The smallest signed distance of the points of A from B, in metres: not positive where the meshes
/// seem to overlap. `distance` is device memory with one entry a pair; bad rows have infinity.
/// Throws InvalidInput for a missing pointer and for the wrong device, DeviceError when the device
/// refuses.
void implicit_surface_distances(const ImplicitSurfaces& surfaces, const PairBatch& pairs,
                                float* distance, Stream stream = nullptr);

}  // namespace tactum::gpu
