// SPDX-License-Identifier: BSD-2-Clause
// Geodesic spheres: the faces of an icosahedron divided into frequency^2 triangles, projected on
// the sphere. 10 frequency^2 + 2 points.
#pragma once

#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum::testing {

inline Points geodesic_sphere(int frequency, double radius) {
  const double g = 0.5 * (1.0 + std::sqrt(5.0));
  const Vector3 corners[12] = {{0, 1, g}, {0, -1, g}, {0, 1, -g}, {0, -1, -g},
                               {1, g, 0}, {-1, g, 0}, {1, -g, 0}, {-1, -g, 0},
                               {g, 0, 1}, {-g, 0, 1}, {g, 0, -1}, {-g, 0, -1}};
  std::vector<Vector3> points;
  std::set<std::tuple<long, long, long>> seen;  // points of edges come twice
  for (int i = 0; i < 12; ++i) {
    for (int j = i + 1; j < 12; ++j) {
      for (int k = j + 1; k < 12; ++k) {
        const auto near = [&](int p, int q) { return (corners[p] - corners[q]).norm() < 2.1; };
        if (!near(i, j) || !near(j, k) || !near(i, k)) continue;
        for (int u = 0; u <= frequency; ++u) {
          for (int v = 0; u + v <= frequency; ++v) {
            const Vector3 at =
                (u * corners[i] + v * corners[j] + (frequency - u - v) * corners[k]).normalized();
            const auto key = [](double x) { return std::lround(1e9 * x); };
            if (seen.insert({key(at.x()), key(at.y()), key(at.z())}).second)
              points.push_back(radius * at);
          }
        }
      }
    }
  }
  Points result(3, static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    result.col(static_cast<Eigen::Index>(i)) = points[i];
  return result;
}

}  // namespace tactum::testing
