// SPDX-License-Identifier: BSD-2-Clause
// Points for sphere-torus-patch volumes: random ones, and all kinds of ties.
#pragma once

#include <cmath>

#include "shape/check/smallest_sphere.hpp"
#include "shape/stp/stp_surface.hpp"
#include "support/random.hpp"

namespace tactum::testing {

inline constexpr int kCloudSorts = 7;

/// Sort 0: anywhere in a box; 1: on a sphere; 2: corners and middles of a cube, repeated; 3: on a
/// plane; 4: a grid; 5: flat and long; 6: a prism over a regular polygon, turned.
inline Points stp_cloud(int sort, int count, Random& random) {
  Points points(3, count);
  const Vector3 sizes(random.log_uniform(0.01, 1.0), random.log_uniform(0.01, 1.0), 1.0);
  const Matrix3 turn = random.rotation();
  for (int i = 0; i < count; ++i) {
    Vector3 p = random.in_box(1.0);
    if (sort == 1) p = random.direction();
    if (sort == 2) p = p.array().round();
    if (sort == 3) p = turn * Vector3(p.x(), p.y(), 0.3);
    if (sort == 4) p = (4.0 * p).array().round() / 4.0;
    if (sort == 5) p = p.cwiseProduct(sizes);
    if (sort == 6) {
      const double angle = 6.283185307179586 * (i / 2) / ((count + 1) / 2);
      p = turn * Vector3(std::cos(angle), std::sin(angle), i % 2 == 0 ? 0.5 : -0.5);
    }
    points.col(i) = p;
  }
  return points;
}

/// Needles, discs and boxes turned anywhere, up to 10^4 times as long as wide; three to eight
/// points.
inline Points thin_cloud(Random& random) {
  Points points(3, 3 + random.below(6));
  const double thin = random.log_uniform(1e-4, 1.0);
  const Vector3 sizes(random.chance(0.5) ? thin : 1.0, thin, 1.0);
  const Matrix3 turn = random.rotation();
  for (auto point : points.colwise()) point = turn * random.in_box(4.0).cwiseProduct(sizes);
  return points;
}

/// From the least that works times 1 + 1e-9 to 10^4 sizes.
inline double thin_alpha(const Points& points, Random& random) {
  const double least = (1.0 + 1e-12) * smallest_sphere(points).radius;
  return random.chance(0.5) ? least * (1.0 + random.log_uniform(1e-9, 1.0))
                            : least * random.log_uniform(1.0 + 1e-9, 1e4);
}

inline StpSurface stp_surface(const Points& points, double alpha) {
  return StpSurface(points, build_stp(points, alpha), alpha);
}

/// Directions that matter to a surface: anywhere, normals of faces, along axes, across edges, to
/// the borders of patches.
inline Vector3 stp_direction(const StpSurface& surface, Random& random) {
  const Vector3 any = random.direction();
  const int sort = random.below(5);
  if (sort == 1) return Vector3::Unit(random.below(3)) * random.sign();
  if (surface.faces().empty()) return any;
  const auto& face = surface.faces()[static_cast<std::size_t>(
      random.below(static_cast<int>(surface.faces().size())))];
  const auto& edge = surface.edges()[static_cast<std::size_t>(
      random.below(static_cast<int>(surface.edges().size())))];
  if (sort == 2) return to_vector3(face.normal);
  if (sort == 3)
    return to_vector3(surface.vertices()[static_cast<std::size_t>(face.vertices[0])].point -
                      face.center)
        .normalized();
  if (sort == 4) return (any - any.dot(to_vector3(edge.axis)) * to_vector3(edge.axis)).normalized();
  return any;
}

}  // namespace tactum::testing
