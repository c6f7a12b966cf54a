// SPDX-License-Identifier: BSD-2-Clause
// Triangles of regular polygons add up to their area, few meet at a corner, and corners on a
// straight side still get triangles with an area.
#include "shape/hull/ring_triangulation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace tactum::ring_triangulation_test {
namespace {

using Triangles = std::vector<std::array<std::int32_t, 3>>;

Triangles triangulated(const Points& points) {
  std::vector<std::int32_t> ring(static_cast<std::size_t>(points.cols()));
  std::iota(ring.begin(), ring.end(), 0);
  Triangles faces;
  triangulate_ring(points, ring, 1e-14, faces);
  return faces;
}

double signed_area(const Points& points, const std::array<std::int32_t, 3>& face) {
  const Vector3 a = points.col(face[0]);
  return 0.5 * (points.col(face[1]) - a).cross(points.col(face[2]) - a).z();
}

TEST(RingTriangulation, TrianglesAddUpAndFewMeetAtACorner) {
  for (const int corners : {3, 4, 5, 64, 1000}) {
    Points points(3, corners);
    const double angle = 2.0 * std::numbers::pi / corners;
    for (int i = 0; i < corners; ++i)
      points.col(i) = Vector3(std::cos(angle * i), std::sin(angle * i), 0.0);
    const Triangles faces = triangulated(points);
    ASSERT_EQ(static_cast<int>(faces.size()), corners - 2);
    double area = 0.0;
    std::vector<int> uses(static_cast<std::size_t>(corners), 0);
    for (const auto& face : faces) {
      EXPECT_GT(signed_area(points, face), 0.0);
      area += signed_area(points, face);
      for (const std::int32_t corner : face) ++uses[corner];
    }
    EXPECT_NEAR(area, 0.5 * corners * std::sin(angle), 1e-12);
    EXPECT_LE(*std::ranges::max_element(uses), 3 + 2 * static_cast<int>(std::log2(corners)));
  }
}

TEST(RingTriangulation, CornersOnStraightSidesGetAnArea) {
  Points points(3, 16);  // the boundary of a square, three points inside each side
  for (int i = 0; i < 4; ++i) {
    const double t = 0.25 * i;
    points.col(i) = Vector3(t, 0.0, 0.0);
    points.col(4 + i) = Vector3(1.0, t, 0.0);
    points.col(8 + i) = Vector3(1.0 - t, 1.0, 0.0);
    points.col(12 + i) = Vector3(0.0, 1.0 - t, 0.0);
  }
  const Triangles faces = triangulated(points);
  ASSERT_EQ(faces.size(), 14U);
  for (const auto& face : faces) EXPECT_GT(signed_area(points, face), 1e-3);
}

}  // namespace
}  // namespace tactum::ring_triangulation_test
