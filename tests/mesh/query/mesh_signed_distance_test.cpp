// SPDX-License-Identifier: BSD-2-Clause
// Signed distances of points: against boxes, and against all triangles as hulls.
#include <gtest/gtest.h>

#include "mesh/query/mesh_query_checks.hpp"
#include "support/allocation_guard.hpp"
#include "tactum/status.hpp"

namespace tactum::mesh_signed_distance_test {
namespace {

using testing::Random;

TEST(MeshSignedDistance, OfABoxIsThatOfTheShape) {
  Random random(61);
  const Shape box(Box{.half_extents = {1, 2, 3}});
  const Mesh mesh = testing::box_mesh({1, 2, 3}).surface();
  for (int i = 0; i < 5000; ++i) {
    const Pose X = testing::pose_near(random, 5.0);
    const Vector3 point = X * random.in_box(4.0);
    const SignedDistance found = signed_distance(mesh, X, point),
                         expected = signed_distance(box, X, point);
    ASSERT_NEAR(found.distance, expected.distance, 1e-14 * 16);
    ASSERT_EQ(found.status, expected.status);
    if (std::abs(found.distance) < 1e-6) continue;
    // along the gradient the distance grows by as much
    const SignedDistance moved = signed_distance(mesh, X, point + 1e-7 * found.gradient);
    ASSERT_NEAR(moved.distance - found.distance, 1e-7, 1e-13);
  }
}

TEST(MeshSignedDistance, OfATorusIsThatOfItsTriangles) {
  Random random(62);
  const testing::RawMesh raw = testing::torus_mesh(2.0, 0.5, 14, 9);
  const Mesh mesh = raw.solid();
  const std::vector<Shape> hulls = testing::triangle_hulls(mesh);
  const std::vector<Shape> point_shape = {Shape(Sphere{})};
  int inside = 0;
  for (int i = 0; i < 400; ++i) {
    const Vector3 point = random.in_box(2.5).cwiseProduct(Vector3(1, 1, 0.3));
    const double expected = testing::brute_distance(hulls, {}, point_shape, {.translation = point});
    const SignedDistance found = signed_distance(mesh, {}, point);
    ASSERT_NEAR(std::abs(found.distance), std::max(0.0, expected), 1e-14 * 8);
    ASSERT_EQ(found.distance < 0.0, winding_number(mesh, point) > 0);
    inside += found.distance < 0.0 ? 1 : 0;
  }
  EXPECT_GT(inside, 50);
}

TEST(MeshSignedDistance, AnOpenMeshHasNoInside) {
  testing::RawMesh raw = testing::box_mesh({1, 1, 1});
  raw.triangles.conservativeResize(3, 11);
  const SignedDistance found = signed_distance(raw.surface(), {}, Vector3(0.1, 0, 0));
  EXPECT_NEAR(found.distance, 0.9, 1e-15);
  EXPECT_EQ(found.status, Status::separated);
  EXPECT_NEAR((found.gradient - Vector3(-1, 0, 0)).norm(), 0.0, 1e-15);
}

TEST(MeshSignedDistance, OnTheSurfaceTheGradientIsTheNormal) {
  const Mesh mesh = testing::box_mesh({1, 1, 1}).surface();
  const SignedDistance found = signed_distance(mesh, {}, Vector3(1, 0.2, 0.3));
  EXPECT_EQ(found.status, Status::touching);
  EXPECT_NEAR((found.gradient - Vector3::UnitX()).norm(), 0.0, 1e-15);
}

TEST(MeshSignedDistance, ManyPointsAreTheSameAsOneByOne) {
  Random random(63);
  const Mesh mesh = testing::torus_mesh(2.0, 0.5, 14, 9).surface();
  std::vector<Vector3> points;
  for (int i = 0; i < 1000; ++i) points.push_back(random.in_box(3.0));
  points[7] = Vector3(std::nan(""), 0, 0);
  for (const int threads : {1, 2, 5}) {
    std::vector<double> distances(points.size());
    std::vector<Vector3> gradients(points.size());
    std::vector<Status> states(points.size());
    BatchWorkspace work;
    ASSERT_TRUE(signed_distance(mesh, {}, points, {.num_threads = threads}, work,
                                {distances, gradients, states}));
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i == 7) {
        EXPECT_EQ(states[i], Status::invalid_input);
        continue;
      }
      const SignedDistance one = signed_distance(mesh, {}, points[i]);
      ASSERT_EQ(distances[i], one.distance);
      ASSERT_EQ(gradients[i], one.gradient);
      ASSERT_EQ(states[i], one.status);
    }
  }
  EXPECT_THROW(signed_distance(mesh, {}, points[7]), InvalidInput);
}

TEST(MeshSignedDistance, AllocatesNothing) {
  const Mesh mesh = testing::torus_mesh(2.0, 0.5, 14, 9).surface();
  mesh.has_inside();
  const testing::AllocationGuard guard;
  signed_distance(mesh, {}, Vector3(2.0, 0.1, 0.1));
  EXPECT_EQ(guard.count(), 0U);
}

}  // namespace
}  // namespace tactum::mesh_signed_distance_test
