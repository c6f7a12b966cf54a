// SPDX-License-Identifier: BSD-2-Clause
// The nearest triangle by the tree against a look at all triangles.
#include "mesh/query/nearest_triangle.hpp"

#include <gtest/gtest.h>

#include "mesh/query/mesh_query_checks.hpp"

namespace tactum::nearest_triangle_test {
namespace {

TEST(NearestTriangle, IsThatOfALookAtAllTriangles) {
  testing::Random random(71);
  const Mesh mesh = testing::torus_mesh(2.0, 0.5, 14, 9).surface();
  for (int i = 0; i < 500; ++i) {
    const Double3 p = to_double3(random.in_box(3.0));
    double least = std::numeric_limits<double>::infinity();
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(mesh.triangles().cols()); ++k)
      least = std::min(least, (nearest_on_triangle(mesh_triangle(mesh, k), p) - p).norm());
    const NearestTriangle found = nearest_triangle(mesh, p);
    EXPECT_EQ(found.distance, least);
    EXPECT_EQ((nearest_on_triangle(mesh_triangle(mesh, found.triangle), p) - found.point).norm(),
              0.0);
  }
}

}  // namespace
}  // namespace tactum::nearest_triangle_test
