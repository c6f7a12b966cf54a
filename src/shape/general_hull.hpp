// SPDX-License-Identifier: BSD-2-Clause
// Convex hull of points in general position, as half edges, in extended precision.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace tactum {

using Wide = long double;
using Wide3 = Eigen::Matrix<Wide, 3, 1>;

/// Half edges 3 f, 3 f + 1, 3 f + 2 of each triangle f, counter-clockwise seen from outside; `origin` counts in the points.
struct HalfEdgeMesh {
  std::vector<std::int32_t> origin, twin;
};

/// Hull of points of which no four are in a plane; a point nearer than `apart` to a vertex counts as that vertex. Empty when the points have no volume.
HalfEdgeMesh general_hull(std::span<const Wide3> points, double apart);

}  // namespace tactum
