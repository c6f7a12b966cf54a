// SPDX-License-Identifier: BSD-2-Clause
// Meshes with known properties.
#pragma once

#include <cmath>
#include <numbers>

#include "support/random.hpp"
#include "tactum/mesh.hpp"

namespace tactum::testing {

struct RawMesh {
  Points vertices;
  Triangles triangles;
  Mesh solid() const { return Mesh(vertices, triangles, true); }
  Mesh surface() const { return Mesh(vertices, triangles); }
};

/// Twelve triangles, outward.
inline RawMesh box_mesh(const Vector3& half) {
  RawMesh mesh{Points(3, 8), Triangles(3, 12)};
  for (int i = 0; i < 8; ++i)
    mesh.vertices.col(i) = half.cwiseProduct(
        Vector3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1));
  mesh.triangles << 0, 0, 4, 4, 0, 0, 2, 2, 0, 0, 1, 1,  //
      2, 3, 5, 7, 1, 5, 6, 7, 4, 6, 3, 7,                //
      3, 1, 7, 6, 5, 4, 7, 3, 6, 2, 7, 5;
  return mesh;
}

/// A torus about z with radii `large` and `small`, n by m quadrilaterals of two triangles.
inline RawMesh torus_mesh(double large, double small, int n, int m) {
  RawMesh mesh{Points(3, n * m), Triangles(3, 2 * n * m)};
  const auto at = [&](int i, int j) { return (i % n) * m + j % m; };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      const double u = 2 * std::numbers::pi * i / n, v = 2 * std::numbers::pi * j / m;
      const double radius = large + small * std::cos(v);
      mesh.vertices.col(at(i, j)) = Vector3(radius * std::cos(u), radius * std::sin(u),
                                            small * std::sin(v));
      const int t = 2 * (i * m + j);
      mesh.triangles.col(t) << at(i, j), at(i + 1, j), at(i + 1, j + 1);
      mesh.triangles.col(t + 1) << at(i, j), at(i + 1, j + 1), at(i, j + 1);
    }
  }
  return mesh;
}

/// Triangles that have nothing to do with each other.
inline RawMesh triangle_soup(Random& random, int count, double extent, double size) {
  RawMesh mesh{Points(3, 3 * count), Triangles(3, count)};
  for (int t = 0; t < count; ++t) {
    const Vector3 middle = random.in_box(extent);
    for (int k = 0; k < 3; ++k) {
      mesh.vertices.col(3 * t + k) = middle + random.in_box(size);
      mesh.triangles(k, t) = 3 * t + k;
    }
  }
  return mesh;
}

/// The hull of random points as a mesh.
inline RawMesh hull_mesh(Random& random, int count, double extent) {
  Points points(3, count);
  for (int i = 0; i < count; ++i) points.col(i) = extent * random.direction();
  const Convex hull = Convex::from_points(points);
  return {hull.vertices(), hull.faces()};
}

inline Pose pose_near(Random& random, double reach) {
  return {random.rotation(), random.in_box(reach)};
}

}  // namespace tactum::testing
