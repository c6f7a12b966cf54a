// SPDX-License-Identifier: BSD-2-Clause
// Outer normals of a box are those of its support features; inside a flat floor there is one.
#include "mesh/query/outer_normal.hpp"

#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"

namespace tactum::outer_normal_test {
namespace {

using testing::Random;

TEST(OuterNormal, OfAConvexSolidIsASupportDirection) {
  Random random(7);
  for (int k = 0; k < 20; ++k) {
    const Mesh mesh = testing::hull_mesh(random, 20, 1.0).solid();
    for (int i = 0; i < 200; ++i) {
      const Vector3 n = random.direction();
      const double height = (n.transpose() * mesh.vertices()).maxCoeff();
      int outer = 0;
      for (std::int32_t t = 0; t < mesh.triangles().cols(); ++t) {
        double top = -2.0;
        for (int c = 0; c < 3; ++c)
          top = std::max(top, n.dot(mesh.vertices().col(mesh.triangles()(c, t))));
        const bool is_outer = is_outer_normal(mesh, t, n);
        if (is_outer) {
          ASSERT_NEAR(top, height, 1e-6);
        }
        outer += is_outer ? 1 : 0;
      }
      // one triangle at least has the support point and does not face away
      ASSERT_GE(outer, 1);
    }
  }
}

TEST(OuterNormal, InsideAFloorIsUpOrDown) {
  Points vertices(3, 9);
  for (int i = 0; i < 9; ++i) vertices.col(i) = Vector3(i % 3, i / 3, 0.0);
  Triangles triangles(3, 8);
  for (int cell = 0; cell < 4; ++cell) {
    const int at = cell % 2 + 3 * (cell / 2);
    triangles.col(2 * cell) << at, at + 1, at + 4;
    triangles.col(2 * cell + 1) << at, at + 4, at + 3;
  }
  const Mesh floor(vertices, triangles);
  EXPECT_TRUE(is_outer_normal(floor, 0, Vector3(0, 0, 1)));
  EXPECT_TRUE(is_outer_normal(floor, 0, Vector3(0, 0, -1)));
  // towards the neighbor on the right of the first cell, and towards the corner in the middle
  EXPECT_FALSE(is_outer_normal(floor, 0, Vector3(0.1, 0, 1).normalized()));
  EXPECT_FALSE(is_outer_normal(floor, 0, Vector3(0.1, 0.1, 1).normalized()));
  // at the border of the floor there is no neighbor
  EXPECT_TRUE(is_outer_normal(floor, 0, Vector3(-0.1, -0.2, 1).normalized()));
}

TEST(OuterNormal, OfASolidDoesNotPointInward) {
  const testing::RawMesh raw = testing::box_mesh({1, 1, 1});
  for (std::int32_t t = 0; t < 12; ++t) {
    const Vector3 a = raw.vertices.col(raw.triangles(0, t)),
                  b = raw.vertices.col(raw.triangles(1, t)),
                  c = raw.vertices.col(raw.triangles(2, t));
    const Vector3 outward = (b - a).cross(c - a).normalized();
    EXPECT_TRUE(is_outer_normal(raw.solid(), t, outward));
    EXPECT_FALSE(is_outer_normal(raw.solid(), t, -outward));
    EXPECT_TRUE(is_outer_normal(raw.surface(), t, -outward));
  }
}

}  // namespace
}  // namespace tactum::outer_normal_test
