// SPDX-License-Identifier: BSD-2-Clause
// A simplex of k corners v_i and measure m has the second moment
// m / (k (k + 1)) (sum v_i v_i' + s s') with s = sum v_i, and the first moment m s / k.
#include "mesh/surface/triangle_moments.hpp"

#include <Eigen/Geometry>

namespace tactum {
namespace {

/// Adds up measure(a, b, c) times the moments of the simplex; `corners` is 3 for triangles, 4 for
/// tetrahedra whose fourth corner is the reference.
template <class Measure>
Moments sum_over(const Points& vertices, const Triangles& triangles, const Vector3& reference,
                 double corners, Measure&& measure) {
  Moments total;
  for (Eigen::Index t = 0; t < triangles.cols(); ++t) {
    const Vector3 a = vertices.col(triangles(0, t)) - reference,
                  b = vertices.col(triangles(1, t)) - reference,
                  c = vertices.col(triangles(2, t)) - reference;
    const double m = measure(a, b, c);
    const Vector3 sum = a + b + c;
    total.volume += m;
    total.first += (m / corners) * sum;
    total.second += (m / (corners * (corners + 1.0))) * (a * a.transpose() + b * b.transpose() +
                                                         c * c.transpose() + sum * sum.transpose());
  }
  return total;
}

}  // namespace

Moments solid_moments(const Points& vertices, const Triangles& triangles,
                      const Vector3& reference) {
  return sum_over(
      vertices, triangles, reference, 4.0,
      [](const Vector3& a, const Vector3& b, const Vector3& c) { return a.dot(b.cross(c)) / 6.0; });
}

Moments shell_moments(const Points& vertices, const Triangles& triangles,
                      const Vector3& reference) {
  return sum_over(vertices, triangles, reference, 3.0,
                  [](const Vector3& a, const Vector3& b, const Vector3& c) {
                    return 0.5 * (b - a).cross(c - a).norm();
                  });
}

Vector3 box_middle(const Points& vertices) {
  return 0.5 * vertices.rowwise().minCoeff() + 0.5 * vertices.rowwise().maxCoeff();
}

}  // namespace tactum
