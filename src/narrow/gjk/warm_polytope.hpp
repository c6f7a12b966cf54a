// SPDX-License-Identifier: BSD-2-Clause
// The record that a query of polyhedral cores leaves for the next one: points of M named by the
// vertices that make them.
#pragma once

#include "narrow/gjk/simplex.hpp"

namespace tactum {

/// Vertex i of a polyhedral core. The core must have that vertex.
Double3 core_vertex(const CoreShape& core, int i);
int num_core_vertices(const CoreShape& core);

/// The point of M that two vertices make. The cores must have these vertices.
MinkowskiPoint point_of_vertices(const CorePair& pair, const WarmPolytope::VertexPair& vertices);

/// Records a simplex for the next query of this pair.
void record_simplex(const CorePair& pair, const Simplex& simplex);

}  // namespace tactum
