// SPDX-License-Identifier: BSD-2-Clause
// The points, edges and triangles that carry the patches of a sphere-torus-patch volume.
#pragma once

#include <cstdint>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// Triangles over the points that touch the volume, as half edges: those of triangle f are 3 f, 3 f
/// + 1 and 3 f + 2, counter-clockwise seen from outside. Two vertices may be joined by several
/// edges. Without triangles there is one vertex (a point) or two (one edge, all the way round).
struct StpTopology {
  /// The big sphere of a triangle: center = circumcenter - height * normal, eq. 11.
  struct BigSphere {
    Vector3 circumcenter, normal;   ///< normal of unit length, outward
    double height, squared_radius;  ///< squared_radius of the circumcircle
    Vector3 from_corner;      ///< center of the sphere, relative to the origin of half edge 3 f
    Vector3 corner, outward;  ///< a given point on the sphere, and the unit vector there: the
                              ///< center is alpha behind
  };
  std::vector<std::int32_t> vertices;  ///< columns of the input, ascending
  std::vector<std::int32_t> origin;    ///< for each half edge: where it starts, an index into
                                       ///< `vertices`
  std::vector<std::int32_t> twin;      ///< the half edge that runs the other way
  std::vector<Vector3> along;  ///< for each half edge: the vector to its end, as the spheres see it
  std::vector<std::uint8_t> wide;  ///< whether the arc of centers of its edge is longer than half a
                                   ///< turn
  std::vector<BigSphere> spheres;  ///< of each triangle
  double deviation = 0.0;  ///< m: no corner is farther from its sphere, and no point farther
                           ///< outside of any sphere
};

/// Topology of the volume of points, at least one and all finite, for balls of radius `alpha`, at
/// least that of the smallest ball around them. Throws InvalidInput when rounding prevents a
/// surface that passes its own check.
StpTopology build_stp(const Points& points, double alpha);

}  // namespace tactum
