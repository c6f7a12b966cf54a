// SPDX-License-Identifier: BSD-2-Clause
// Meshes: a ring of triangles, its report, its hull, and what fits through it.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>

#include "tactum/tactum.hpp"

namespace {
const char* text(bool value) { return value ? "True" : "False"; }

/// A ring with a square section of 2 cm around a hole of 8 cm, with corners every 15 degrees.
tactum::Mesh make_ring() {
  constexpr int count = 24;
  constexpr double profile[4][2] = {{0.04, -0.01}, {0.06, -0.01}, {0.06, 0.01}, {0.04, 0.01}};
  tactum::Points vertices(3, 4 * count);
  tactum::Triangles triangles(3, 8 * count);
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / count;
    for (int k = 0; k < 4; ++k) {
      const int a = 4 * i + k, b = 4 * i + (k + 1) % 4;
      const int c = (a + 4) % (4 * count), d = (b + 4) % (4 * count);
      vertices.col(a) << profile[k][0] * std::cos(angle), profile[k][0] * std::sin(angle),
          profile[k][1];
      triangles.col(2 * a) << a, c, d;
      triangles.col(2 * a + 1) << a, d, b;
    }
  }
  return {vertices, triangles, true};
}
}  // namespace

int main() {
  const tactum::Mesh ring = make_ring();
  const tactum::Geometry solid(ring);
  const tactum::MeshReport report = ring.report();
  const auto crossings = static_cast<int>(tactum::self_intersections(ring).size());
  std::printf("closed %s, %d self-intersections\n", text(report.closed), crossings);
  std::printf("volume %.2f cm^3\n", 1e6 * report.volume);
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "tactum_ring.ply";
  tactum::write_mesh(ring, path);
  const bool same = tactum::read_mesh(path, {.solid = true}) == ring;
  std::printf("the same from its file: %s\n", text(same));
  std::filesystem::remove(path);
  const tactum::Shape peg{tactum::Capsule{.radius = 0.03, .half_length = 0.1}};
  const tactum::GeometryDistance gap = tactum::distance(solid, {}, peg, {});
  std::printf("a peg in the hole has %.3f mm to the ring\n", 1000.0 * gap.distance);
  const bool denied = tactum::collide(tactum::Shape(ring.convex_hull()), {}, peg, {}).colliding;
  std::printf("the hull of the ring denies it: %s\n", text(denied));

  const tactum::RayHit hit = tactum::ray_cast(solid, {}, {0.05, 0.0, 1.0}, {0.0, 0.0, -1.0});
  std::printf("a ray from above meets the ring after %.2f m\n", hit.distance);
  const tactum::Vector3 middle(0.05, 0.0, 0.0), center(0.0, 0.0, 0.0);
  const double inside = tactum::signed_distance(solid, {}, middle).distance,
               hole = tactum::signed_distance(solid, {}, center).distance;
  std::printf("inside the ring %.2f mm, in the hole %.2f mm\n", 1000.0 * inside, 1000.0 * hole);
  return 0;
}
