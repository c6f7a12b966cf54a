// SPDX-License-Identifier: BSD-2-Clause
// From points of a surface to the code of an object: a dense network for each point, the largest
// value of each number in each cell of a grid, convolutions over the grid with a summary of all of
// it, and a dense layer for each cell.
#pragma once

#include "neural/network_weights.hpp"

namespace tactum {

/// Points and outward unit normals, equally many and at least one, finite.
ObjectCode encode_points(const NetworkWeights& weights, const Points& points,
                         const Points& normals);

}  // namespace tactum
