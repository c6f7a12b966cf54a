// SPDX-License-Identifier: BSD-2-Clause
// The learned collision check on an NVIDIA GPU: one kernel from poses to logits.
//
// Half precision on tensor cores with sums in single precision, so logits differ from those of
// tactum::CollisionNetwork in their third digit or so. Nothing is proved on either side.
//
// Poses of one pair of objects lie behind each other in tiles: the field of each object is read
// once for a tile. A tile with few rows costs as much as a full one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tactum/collision_network.hpp"
#include "tactum/gpu/distances.hpp"

namespace tactum::gpu {

/// A network and the codes of some objects, copied to the current device, constant from then on.
/// Cheap to copy.
class CollisionCodes {
 public:
  /// Throws InvalidInput for a network whose sizes the kernel does not have (features and width
  /// must be 64 and 64, 64 and 128, or 96 and 192, with 16 vectors) and for codes of another
  /// network; DeviceError when the device refuses.
  CollisionCodes(const CollisionNetwork& network, std::span<const ObjectCode> codes);

  std::size_t size() const;
  std::size_t nbytes() const;  ///< on the device

  struct Memory;
  const Memory& memory() const { return *memory_; }  ///< for the query itself

 private:
  std::shared_ptr<const Memory> memory_;
};

inline constexpr int kTileRows = 64;

/// Rows first to first + count - 1, at most kTileRows, are poses of object b in the frame of a.
struct PoseTile {
  std::int32_t a, b, first, count;
};

/// Logit and estimated signed distance (m) of every row: two numbers each in `predictions`.
///
/// tiles: device memory. poses: device memory, 12 numbers a row, the rotation matrix by rows and
/// the translation in metres. Tiles that name no object or rows beyond `num_rows` are left out, and
/// rows that hold something else than finite numbers below 1e5 have NaN. Throws InvalidInput for a
/// missing pointer and for the wrong device, DeviceError when the device refuses.
void collision_logits(const CollisionCodes& codes, const PoseTile* tiles, std::size_t num_tiles,
                      const float* poses, std::size_t num_rows, float* predictions,
                      Stream stream = nullptr);

}  // namespace tactum::gpu
