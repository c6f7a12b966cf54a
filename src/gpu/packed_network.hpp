// SPDX-License-Identifier: BSD-2-Clause
// A collision network and codes of objects as arrays for the device, made on the host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/network_layout.hpp"
#include "gpu/vector.hpp"
#include "neural/network_weights.hpp"

namespace tactum::gpu {

/// The predictor. Lengths inside it are in units of kNetworkUnit.
struct PackedNetwork {
  int num_features = 0;
  int width = 0;
  /// first, second, third and joint layer in half precision (place_of_weight)
  std::vector<std::uint16_t> weights;
  /// bias, scale and shift of these layers; then, for the two outputs, the products of the last
  /// scale and the weights of the output, their sum, and what is left when the layer is zero
  std::vector<float> parameters;

  int inputs() const { return 2 * num_features + kSlots; }
};

/// A lane knows this about an object. Lengths are in metres.
struct CodeRecord {
  Vector<float> origin, extents;
  float half_side, cell_size;
  std::int32_t first_tile, num_tiles;  ///< of 16 cells
};

/// A cell as it is read: its center from the origin of the code, in metres.
struct alignas(16) CellCenter {
  float x, y, z, unused;
};

struct PackedCodes {
  std::vector<CodeRecord> records;
  std::vector<CellCenter> centers;
  /// (place_of_cell) features, and in eight more columns of each half the center, in units, and one
  std::vector<std::uint16_t> cells;
  std::vector<std::uint32_t> fields;  ///< kFieldWords for each object: a node and its neighbor
};

/// Throws InvalidInput for a network of other sizes than the kernels have, or without 16 vectors.
PackedNetwork pack_network(const NetworkWeights& weights);

/// Throws InvalidInput for no code, and for a code of another network.
PackedCodes pack_codes(const CollisionNetworkSize& size, std::span<const ObjectCode> codes);

}  // namespace tactum::gpu
