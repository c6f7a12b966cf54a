// SPDX-License-Identifier: BSD-2-Clause
// Nearest points of triangles against a dense scan of the triangle, and tetrahedra against the
// signs of barycentric coordinates.
#include "gpu/simplex.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "support/random.hpp"

namespace tactum::gpu {
namespace simplex_tests {

Vector<double> to_double3(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

/// Smallest distance of the triangle from the origin, from above: a grid, then a finer one around
/// its best point.
double scanned_distance(const Vector3& a, const Vector3& b, const Vector3& c) {
  double best = a.norm(), best_u = 0.0, best_v = 0.0, width = 1.0;
  for (int level = 0; level < 6; ++level) {
    const double middle_u = best_u, middle_v = best_v;
    for (int i = -20; i <= 20; ++i) {
      for (int j = -20; j <= 20; ++j) {
        const double u = std::clamp(middle_u + width * i / 20.0, 0.0, 1.0),
                     v = std::clamp(middle_v + width * j / 20.0, 0.0, 1.0 - u);
        const double distance = (a + u * (b - a) + v * (c - a)).norm();
        if (distance < best) best = distance, best_u = u, best_v = v;
      }
    }
    width *= 0.2;
  }
  return best;
}

template <class Real>
void check_triangle(const Vector3& a, const Vector3& b, const Vector3& c, double tolerance) {
  const TrianglePoint<Real> found = closest_on_triangle<true>(converted<Real>(to_double3(a)),
                                                              converted<Real>(to_double3(b)),
                                                              converted<Real>(to_double3(c)));
  const double u = found.weight_b, v = found.weight_c;
  EXPECT_GE(u, 0.0);
  EXPECT_GE(v, 0.0);
  EXPECT_LE(u + v, 1.0 + tolerance);
  const Vector3 combined = (1.0 - u - v) * a + u * b + v * c;
  EXPECT_NEAR(combined.norm(), scanned_distance(a, b, c), tolerance);
  EXPECT_NEAR(std::sqrt(static_cast<double>(found.squared)), combined.norm(), tolerance);
}

TEST(GpuSimplex, TriangleAgainstAScan) {
  testing::Random random(3);
  for (int i = 0; i < 300; ++i) {
    const Vector3 middle = random.in_box(1.0);
    const Vector3 a = middle + random.in_box(1.0), b = middle + random.in_box(1.0),
                  c = middle + random.in_box(1.0);
    check_triangle<double>(a, b, c, 2e-5);
    check_triangle<float>(a, b, c, 2e-5);
  }
}

TEST(GpuSimplex, PointsAndEdgesAsTriangles) {
  testing::Random random(4);
  for (int i = 0; i < 300; ++i) {
    const Vector3 a = random.in_box(1.0), b = random.in_box(1.0);
    for (const auto& found :
         {closest_on_triangle<false>(to_double3(a), to_double3(b), to_double3(b)),
          closest_on_triangle<true>(to_double3(a), to_double3(b), to_double3(b))}) {
      EXPECT_FALSE(found.on_face);
      const double t = std::clamp(-a.dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
      EXPECT_NEAR(std::sqrt(found.squared), (a + t * (b - a)).norm(), 1e-14);
    }
    const TrianglePoint<double> point = closest_on_triangle<false>(to_double3(a), to_double3(a),
                                                                   to_double3(a));
    EXPECT_EQ(point.squared, squared_norm(to_double3(a)));
  }
}

TEST(GpuSimplex, CornersOnALineSpanNoFace) {
  // with fused products the normal of such a triangle is noise, not zero: the third corner must not
  // count
  testing::Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const Vector3 a = random.in_box(1.0), b = random.in_box(1.0);
    const Vector3 c = a + random.uniform(0.0, 2.0) * (b - a);
    EXPECT_FALSE(closest_on_triangle<true>(converted<float>(to_double3(a)),
                                           converted<float>(to_double3(b)),
                                           converted<float>(to_double3(b)))
                     .on_face);
    EXPECT_FALSE(closest_on_triangle<true>(to_double3(a), to_double3(b), to_double3(c)).on_face);
  }
}

TEST(GpuSimplex, TetrahedronSeesTheOrigin) {
  testing::Random random(6);
  int inside = 0;
  for (int i = 0; i < 5000; ++i) {
    const Vector3 a = random.in_box(1.0), b = random.in_box(1.0), c = random.in_box(1.0),
                  d = random.in_box(1.0);
    Matrix3 edges;
    edges << b - a, c - a, d - a;
    const Vector3 weights = edges.fullPivLu().solve(-a);
    const double smallest = std::min(1.0 - weights.sum(), weights.minCoeff());
    const TetrahedronView<double> view = view_of_tetrahedron(to_double3(a), to_double3(b),
                                                             to_double3(c), to_double3(d));
    EXPECT_NEAR(view.volume, std::abs(edges.determinant()), 1e-12);
    EXPECT_NEAR(view.opposite_b, weights[0] * view.volume, 1e-10);
    EXPECT_NEAR(view.opposite_c, weights[1] * view.volume, 1e-10);
    EXPECT_NEAR(view.opposite_d, weights[2] * view.volume, 1e-10);
    EXPECT_NEAR(view.smallest_share(), smallest * view.volume, 1e-10);
    inside += view.smallest_share() > 0.0 ? 1 : 0;
  }
  EXPECT_GT(inside, 100);
  const Vector<double> flat_a{1, 0, 0}, flat_b{0, 1, 0}, flat_c{-1, 0, 0}, flat_d{0, -1, 0};
  EXPECT_TRUE(view_of_tetrahedron(flat_a, flat_b, flat_c, flat_d).flat);
  EXPECT_FALSE(view_of_tetrahedron(flat_a, flat_b, flat_c, flat_d).holds_origin());
}

}  // namespace simplex_tests
}  // namespace tactum::gpu
