// SPDX-License-Identifier: BSD-2-Clause
// Integrals over triangles and tetrahedra, against closed forms and against other reference points.
#include "mesh/surface/triangle_moments.hpp"

#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"

namespace tactum::triangle_moments_test {
namespace {

TEST(TriangleMoments, OfTheUnitSimplex) {
  Points vertices(3, 4);
  vertices << 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1;
  Triangles triangles(3, 4);
  triangles << 0, 0, 0, 1, 2, 1, 3, 2, 1, 3, 2, 3;
  const Moments solid = solid_moments(vertices, triangles, Vector3::Zero());
  EXPECT_NEAR(solid.volume, 1.0 / 6.0, 1e-16);
  EXPECT_LE((solid.first - Vector3::Constant(1.0 / 24.0)).norm(), 1e-16);
  EXPECT_NEAR(solid.second(0, 0), 1.0 / 60.0, 1e-16);
  EXPECT_NEAR(solid.second(0, 1), 1.0 / 120.0, 1e-16);
  const Moments face = shell_moments(vertices, triangles.col(0), Vector3::Zero());
  EXPECT_NEAR(face.volume, 0.5, 1e-16);
  EXPECT_NEAR(face.second(0, 0), 1.0 / 12.0, 1e-16);
  EXPECT_NEAR(face.second(0, 1), 1.0 / 24.0, 1e-16);
}

TEST(TriangleMoments, DoNotDependOnTheReference) {
  testing::Random random(7);
  const testing::RawMesh torus = testing::torus_mesh(2.0, 0.5, 12, 9);
  const Moments about_zero = solid_moments(torus.vertices, torus.triangles, Vector3::Zero());
  for (int i = 0; i < 20; ++i) {
    const Vector3 r = random.in_box(3.0);
    const Moments moved = solid_moments(torus.vertices, torus.triangles, r);
    EXPECT_NEAR(moved.volume, about_zero.volume, 1e-13);
    EXPECT_LE((moved.first + r * moved.volume - about_zero.first).norm(), 1e-12);
    const Matrix3 second = moved.second + moved.first * r.transpose() +
                           r * moved.first.transpose() + moved.volume * r * r.transpose();
    EXPECT_LE((second - about_zero.second).norm(), 1e-11);
  }
}

TEST(TriangleMoments, TheMiddleIsThatOfTheBox) {
  Points points(3, 2);
  points << 1, 3, -1, 1, 5, 5;
  EXPECT_EQ(box_middle(points), Vector3(2, 0, 5));
}

}  // namespace
}  // namespace tactum::triangle_moments_test
