// SPDX-License-Identifier: BSD-2-Clause
// Surfaces of solids whose triangles were turned at random come back outward; surfaces that are
// open, dented, or miss a point are refused.
#include "shape/hull/hull_surface.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>

#include "shape/hull/exact_hull.hpp"
#include "shape/point_clouds.hpp"

namespace tactum::hull_surface_test {
namespace {

using testing::Random;
using Triangles = std::vector<std::array<std::int32_t, 3>>;
constexpr double kSlack = 1e-14;

std::vector<std::int32_t> all_columns(const Points& points) {
  std::vector<std::int32_t> columns(static_cast<std::size_t>(points.cols()));
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

bool orient(const Points& points, Triangles& faces) {
  const std::vector<std::int32_t> columns = all_columns(points);
  std::vector<std::int32_t> vertices;
  for (const auto& face : faces) vertices.insert(vertices.end(), face.begin(), face.end());
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return orient_hull_surface(points, columns, affine_frame(points, columns, kSlack), kSlack,
                             vertices, faces);
}

Points unit_sphere_points(Random& random) { return 0.5 * testing::sphere_points(60, random); }

TEST(HullSurface, TurnedTrianglesComeBackOutward) {
  Random random(41);
  for (int trial = 0; trial < 20; ++trial) {
    const Points points = unit_sphere_points(random);
    Triangles faces = exact_hull(points, 0x1p-52);
    for (auto& face : faces) {
      if (random.below(2) == 0) std::swap(face[1], face[2]);
    }
    ASSERT_TRUE(orient(points, faces));
    for (const auto& face : faces) {
      const Vector3 a = points.col(face[0]);
      const Vector3 normal = (points.col(face[1]) - a).cross(points.col(face[2]) - a);
      EXPECT_GT(normal.dot(a), 0.0);  // the sphere is about the origin
    }
  }
}

TEST(HullSurface, OpenSurfacesAreRefused) {
  Random random(42);
  const Points points = unit_sphere_points(random);
  Triangles faces = exact_hull(points, 0x1p-52);
  faces.pop_back();
  EXPECT_FALSE(orient(points, faces));
}

TEST(HullSurface, DentedSurfacesAreRefused) {
  Random random(43);
  Points points = unit_sphere_points(random);
  Triangles faces = exact_hull(points, 0x1p-52);
  points.col(7) *= 0.8;
  EXPECT_FALSE(orient(points, faces));
}

TEST(HullSurface, PointsOutsideAreRefusedAndPointsInsideAreNot) {
  Random random(44);
  const Points sphere = unit_sphere_points(random);
  Points more(3, sphere.cols() + 1);
  more << sphere, Vector3(0.1, 0.2, -0.1);
  Triangles faces = exact_hull(sphere, 0x1p-52);
  EXPECT_TRUE(orient(more, faces));
  more.rightCols(1) = Vector3(0.0, 0.0, 0.6);
  EXPECT_FALSE(orient(more, faces));
}

}  // namespace
}  // namespace tactum::hull_surface_test
