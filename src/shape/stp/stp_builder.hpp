// SPDX-License-Identifier: BSD-2-Clause
// Which points, edges and triangles carry the patches of a sphere-torus-patch volume.
#pragma once

#include <cstdint>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// Triangles over the points that touch the volume, as half edges: those of triangle f are 3 f, 3 f
/// + 1 and 3 f + 2, counter-clockwise seen from outside. Two vertices may be joined by several
/// edges. No triangles: one vertex (a point) or two (one edge, all the way round).
struct StpTopology {
  /// The big sphere of a triangle: centre = circumcenter - height * normal, eq. 11.
  struct BigSphere {
    Vector3 circumcenter, normal;   ///< the normal unit and outward
    double height, squared_radius;  ///< the latter of the circumcircle
    Vector3 from_corner;            ///< centre of the sphere, seen from the origin of half edge 3 f
    Vector3 corner, outward;  ///< a point given that the sphere passes, and the unit vector there:
                              ///< the centre is alpha behind
  };
  std::vector<std::int32_t> vertices;  ///< columns of the input, ascending
  std::vector<std::int32_t> origin;  ///< of each half edge: where it starts, counted in `vertices`
  std::vector<std::int32_t> twin;    ///< the half edge that runs the other way
  std::vector<Vector3> along;      ///< of each half edge: the way to its end, as the spheres see it
  std::vector<std::uint8_t> wide;  ///< whether the arc of centres of its edge is longer than half a
                                   ///< turn
  std::vector<BigSphere> spheres;  ///< of each triangle
  double deviation = 0.0;  ///< m: no corner is farther from its sphere, and no point farther
                           ///< outside of any
};

/// Topology of the volume of points, at least one and all finite, for balls of radius `alpha`, at
/// least that of the smallest ball around them. Throws InvalidInput when rounding keeps it from a
/// surface that passes its own check.
StpTopology build_stp(const Points& points, double alpha);

}  // namespace tactum
