// SPDX-License-Identifier: BSD-2-Clause
// Facets of a solid convex hull, by Qhull.
#pragma once

#include <cstdint>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// Every facet as the columns of its vertices, in order around it, in either sense. Empty when
/// Qhull fails or its facets are not simple rings. `options` are Qhull's own, such as "Pp". Thread
/// safe.
std::vector<std::vector<std::int32_t>> qhull_facets(const Points& points, const char* options);

}  // namespace tactum
