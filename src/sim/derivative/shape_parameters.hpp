// SPDX-License-Identifier: BSD-2-Clause
// How a step follows the sizes of convex shapes: contact points, normals and distances move with
// them, and with these the rows of the contact problem and the forces along them.
#pragma once

#include "sim/derivative/parameter_entries.hpp"

namespace tactum::sim {

/// First entry of the sizes of each geometry, and the number of all entries at the end.
std::vector<int> shape_offsets(const ModelData& model);

void add_shapes(const LinearizedStep& step, ParameterEntries& out);

}  // namespace tactum::sim
