// SPDX-License-Identifier: BSD-2-Clause
// A mesh and a convex shape of any kind: against all triangles as hulls.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "mesh/query/mesh_query_checks.hpp"
#include "support/allocation_guard.hpp"
#include "tactum/status.hpp"

namespace tactum::mesh_shape_distance_test {
namespace {

using testing::Random;

std::vector<Shape> shapes(Random& random) {
  Points points(3, 30);
  for (int i = 0; i < 30; ++i) points.col(i) = random.in_box(0.4);
  return {Sphere{.radius = 0.3},
          Sphere{},
          Ellipsoid{.semi_axes = {0.2, 0.3, 0.5}},
          Box{.half_extents = {0.2, 0.3, 0.4}, .margin = 0.05},
          Capsule{.radius = 0.2, .half_length = 0.5},
          Cylinder{.radius = 0.3, .half_length = 0.4},
          Cone{.radius = 0.3, .half_length = 0.4},
          HalfSpace{.normal = {0.1, 0.2, 0.9}, .offset = -0.3},
          Convex::from_points(points),
          Stp::from_points(points.leftCols(5), {.small_radius = 0.1, .big_radius = 3.0})};
}

TEST(MeshShapeDistance, IsThatOfTheNearestTriangle) {
  Random random(91);
  const Mesh mesh = testing::torus_mesh(1.0, 0.3, 7, 5).surface();
  const std::vector<Shape> hulls = testing::triangle_hulls(mesh);
  for (const Shape& shape : shapes(random)) {
    int crossing = 0;
    const std::vector<Shape> other = {shape};
    for (int i = 0; i < 60; ++i) {
      const Pose X_WA = testing::pose_near(random, 1.0), X_WB = testing::pose_near(random, 1.5);
      const double expected = testing::brute_distance(hulls, X_WA, other, X_WB);
      const GeometryDistance found = distance(mesh, X_WA, shape, X_WB);
      ASSERT_NEAR(found.distance, expected, 1e-9) << shape.to_string();
      ASSERT_LE(found.lower, expected + 1e-12) << shape.to_string();
      ASSERT_GE(found.upper, expected - 1e-12) << shape.to_string();
      ASSERT_NE(found.status, Status::not_converged) << shape.to_string();
      ASSERT_EQ(found.status == Status::penetrating, expected < -1e-12) << shape.to_string();
      ASSERT_LE((found.point_b - found.point_a - found.distance * found.normal).norm(), 1e-5);
      const GeometryDistance turned = distance(shape, X_WB, mesh, X_WA);
      ASSERT_EQ(turned.distance, found.distance);
      ASSERT_EQ(turned.point_a, found.point_b);
      ASSERT_EQ(turned.normal, -found.normal);
      ASSERT_EQ(turned.part_b, found.part_a);
      const GeometryDistance warm = distance(shape, X_WB, mesh, X_WA,
                                             {.warm_start = &turned.warm_start});
      ASSERT_NEAR(warm.distance, found.distance, 1e-9);
      const Collision collision = collide(mesh, X_WA, shape, X_WB);
      ASSERT_EQ(collision.colliding, expected <= 1e-13) << shape.to_string();
      if (!collision.colliding) {
        ASSERT_LE(collision.lower, expected + 1e-12);
      }
      ASSERT_EQ(collide(shape, X_WB, mesh, X_WA).colliding, collision.colliding);
      crossing += expected < 0.0 ? 1 : 0;
    }
    const bool is_point = shape == Shape(Sphere{});  // which crosses nothing
    EXPECT_GT(crossing, is_point ? -1 : 2) << shape.to_string();
    EXPECT_LT(crossing, 59) << shape.to_string();
  }
}

TEST(MeshShapeDistance, ASolidIsFilled) {
  const Mesh solid = testing::box_mesh({2, 2, 2}).solid(),
             surface = testing::box_mesh({2, 2, 2}).surface();
  const Shape ball(Sphere{.radius = 0.5});
  EXPECT_EQ(distance(surface, {}, ball, {}).distance, 1.5);
  EXPECT_FALSE(collide(surface, {}, ball, {}));
  const GeometryDistance inside = distance(solid, {}, ball, {});
  EXPECT_LE(inside.lower, -2.5);
  EXPECT_GE(inside.lower, -2.5 - 1e-12);
  EXPECT_LE(inside.upper, -2.0 + 1e-12);
  EXPECT_TRUE(collide(solid, {}, ball, {}));
  EXPECT_LT(distance(solid, {}, ball, {}, {.cutoff = 0.1}).upper, 0.0);
}

TEST(MeshShapeDistance, AHalfSpaceIsExactInPenetration) {
  const Mesh solid = testing::torus_mesh(1.0, 0.25, 8, 4).solid();
  const Shape ground(HalfSpace{});
  const GeometryDistance found = distance(solid, {.translation = {0, 0, 0.1}}, ground, {});
  EXPECT_NEAR(found.distance, -0.15, 1e-15);
  EXPECT_EQ(found.status, Status::penetrating);
  EXPECT_NEAR(found.normal.z(), -1.0, 1e-15);
}

TEST(MeshShapeDistance, ApartAllocatesNothing) {
  Random random(92);
  const Mesh mesh = testing::torus_mesh(1.0, 0.3, 7, 5).solid();
  const std::vector<Shape> all = shapes(random);
  const Pose X{Matrix3::Identity(), Vector3(0.0, 0.0, 2.5)};
  mesh.hull();  // what the first query of a mesh makes
  const testing::AllocationGuard guard;
  for (const Shape& shape : all) {
    distance(mesh, X, shape, {});
    collide(mesh, X, shape, {});
  }
  EXPECT_EQ(guard.count(), 0U);
}

TEST(MeshShapeDistance, ABallInAFaceOfASolidIsAsDeepAsTheFaceProves) {
  Random random(97);
  const Mesh solid = testing::hull_mesh(random, 40, 1.0).solid();
  const Shape ball(Sphere{.radius = 0.3});
  int proved = 0;
  for (Eigen::Index t = 0; t < solid.triangles().cols(); ++t) {
    const Vector3 a = solid.vertices().col(solid.triangles()(0, t)),
                  b = solid.vertices().col(solid.triangles()(1, t)),
                  c = solid.vertices().col(solid.triangles()(2, t));
    const Vector3 normal = (b - a).cross(c - a).normalized();
    const Pose X{.translation = (a + b + c) / 3.0 + 0.29 * normal};
    const GeometryDistance found = distance(solid, {}, ball, X);
    ASSERT_LE(found.lower, -0.01 + 1e-12);
    if (found.status != Status::penetrating) continue;
    ASSERT_NEAR(found.distance, -0.01, 1e-10);
    ++proved;
  }
  EXPECT_GT(proved, solid.triangles().cols() / 2);
}

}  // namespace
}  // namespace tactum::mesh_shape_distance_test
