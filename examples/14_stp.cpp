// SPDX-License-Identifier: BSD-2-Clause
// A strictly convex volume around points: the normal is continuous, so the distance has a gradient
// everywhere.
#include <algorithm>
#include <cstdio>

#include "tactum/tactum.hpp"

int main() {
  tactum::Points corners(3, 8);
  for (int i = 0; i < 8; ++i)
    corners.col(i) = tactum::Vector3((i & 4) != 0 ? 0.1 : -0.1, (i & 2) != 0 ? 0.2 : -0.2,
                                     (i & 1) != 0 ? 0.3 : -0.3);
  const tactum::Stp stp = tactum::Stp::from_points(corners,
                                                   {.small_radius = 0.01, .big_radius = 5.0});
  const tactum::Shape shape = stp;
  std::printf("%s\n", shape.to_string().c_str());
  std::printf("patches: %d small spheres, %d tori, %d big spheres\n", stp.num_points(),
              stp.num_edges(), stp.num_faces());

  // how far it stands off from the box: the small radius at the corners, a little more over the
  // faces
  const tactum::Vector3 corner = corners.col(7),
                        top = shape.support(tactum::Vector3(0.0, 0.0, 1.0));
  std::printf("off a corner %.4f m, above the middle of a face %.4f m\n",
              (shape.support(corner) - corner).norm(), top.z() - 0.3);

  // the farthest point along a direction glides where that of a box jumps from corner to corner
  for (const double tilt : {0.005, 0.010, 0.015}) {
    std::printf("tilt %.3f: farthest point at x = %.4f m\n", tilt,
                shape.support(tactum::Vector3(tilt, 0.0, 1.0)).x());
  }

  // a big radius that is too small is refused, with the smallest one that works
  try {
    tactum::Stp::from_points(corners, {.small_radius = 0.01, .big_radius = 0.25});
  } catch (const tactum::InvalidInput& error) {
    std::printf("%s\n", error.what());
  }

  const tactum::StpMesh mesh = stp.to_mesh(4);
  const auto on_big_spheres = std::count(mesh.patches.begin(), mesh.patches.end(),
                                         tactum::StpPatch::big_sphere);
  std::printf("mesh: %d triangles, %d of them on big spheres\n",
              static_cast<int>(mesh.triangles.cols()), static_cast<int>(on_big_spheres));
}
