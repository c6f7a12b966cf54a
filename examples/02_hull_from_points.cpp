// SPDX-License-Identifier: BSD-2-Clause
// A convex shape from an array of points: duplicates and points inside are dropped.
#include <cstdio>

#include "tactum/tactum.hpp"

int main() {
  tactum::Points points(3, 10);  // a tetrahedron, edges along the axes, then two points inside,
                                 // then the corners again
  points.leftCols<4>() << 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2;
  points.col(4).setConstant(0.25);
  points.col(5).setConstant(0.5);
  points.rightCols<4>() = points.leftCols<4>();
  const tactum::Convex convex = tactum::Convex::from_points(points);
  const tactum::Shape hull{convex};

  std::printf("dimension %d\n", convex.dimension());
  std::printf("vertices %d, faces %d, neighbors of the first %d\n", convex.num_vertices(),
              static_cast<int>(convex.faces().cols()),
              static_cast<int>(convex.neighbors(0).size()));
  std::printf("volume %.6f\n", hull.volume());
  std::printf("center of mass %.6f\n", hull.mass_properties(1000.0).center_of_mass.x());

  // a flat set of points is a shape too
  tactum::Points square(3, 4);
  square << 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0;
  std::printf("dimension %d\n", tactum::Convex::from_points(square).dimension());

  // the slanted face x + y + z = 2 looks at a sphere around (2, 2, 2)
  const tactum::Shape sphere{tactum::Sphere{.radius = 0.5}};
  const tactum::Pose X_WB{.translation = {2.0, 2.0, 2.0}};
  const tactum::Distance result = tactum::distance(hull, {}, sphere, X_WB);
  std::printf("distance %.6f\n", result.distance);
  return 0;
}
