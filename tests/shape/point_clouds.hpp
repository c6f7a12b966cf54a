// SPDX-License-Identifier: BSD-2-Clause
// Named sets of points for the tests of hulls: round, flat, long, dense, far away.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "tactum/shape.hpp"

namespace tactum::testing {

struct PointCloud {
  std::string name;
  Points points;
};

inline Points sphere_points(int count, Random& random) {
  Points points(3, count);
  for (int i = 0; i < count; ++i) points.col(i) = random.direction();
  return points;
}

inline Points box_points(int count, Random& random) {
  Points points(3, count);
  for (int i = 0; i < count; ++i) points.col(i) = random.in_box(1.0);
  return points;
}

/// Two caps with `corners` corners each on a circle.
inline Points prism_points(int corners) {
  Points points(3, 2 * corners);
  for (int i = 0; i < corners; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / corners;
    points.col(2 * i) = Vector3(std::cos(angle), std::sin(angle), 1.0);
    points.col(2 * i + 1) = Vector3(std::cos(angle), std::sin(angle), -1.0);
  }
  return points;
}

/// The corners of a cube and `per_face` points inside each face.
inline Points dense_cube_points(int per_face, Random& random) {
  Points points(3, 6 * per_face + 8);
  for (int i = 0; i < 6 * per_face; ++i) {
    Vector3 p = random.in_box(1.0);
    p[i % 3] = (i / 3) % 2 == 0 ? 1.0 : -1.0;
    points.col(i) = p;
  }
  for (int k = 0; k < 8; ++k) {
    points.col(6 * per_face + k) = Vector3((k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 1.0 : -1.0,
                                           (k & 4) != 0 ? 1.0 : -1.0);
  }
  return points;
}

inline Points grid_points(int side) {
  Points points(3, side * side * side);
  for (int i = 0; i < points.cols(); ++i)
    points.col(i) = 0.1 * Vector3(i % side, (i / side) % side, i / (side * side));
  return points;
}

/// Every one of these has dimension 3.
inline std::vector<PointCloud> solid_clouds() {
  Random random(7);
  const Matrix3 R = random.rotation();
  std::vector<PointCloud> clouds;
  const auto add = [&](const std::string& name, const Points& points) {
    clouds.push_back({name, points});
    clouds.push_back({name + " turned", R * points});
    clouds.push_back({name + " far", points.colwise() + Vector3(1e6, -3e5, 7e4)});
  };
  add("tetrahedron", sphere_points(4, random));
  add("box of 30", box_points(30, random));
  add("sphere of 200", sphere_points(200, random));
  add("sphere of 1000", sphere_points(1000, random));
  add("prism of 40", prism_points(20));
  add("prism of 2000", prism_points(1000));
  add("dense cube", dense_cube_points(200, random));
  add("grid", grid_points(6));
  const Points round = sphere_points(300, random);
  clouds.push_back({"long", Vector3(1.0, 1e-6, 1e-6).asDiagonal() * round});
  clouds.push_back({"long turned", R * (Vector3(1.0, 1e-6, 1e-6).asDiagonal() * round)});
  clouds.push_back({"plate", Vector3(1.0, 1.0, 1e-8).asDiagonal() * round});
  clouds.push_back({"plate turned", R * (Vector3(1.0, 1.0, 1e-8).asDiagonal() * round)});
  clouds.push_back({"tiny", 1e-25 * round});
  clouds.push_back({"huge", 1e29 * round});
  return clouds;
}

/// Size of one rounding of the points: eps times the larger of extent and largest coordinate.
inline double rounding_of(const Points& points) {
  const double extent = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).maxCoeff();
  return 0x1p-52 * std::max(extent, points.cwiseAbs().maxCoeff());
}

}  // namespace tactum::testing
