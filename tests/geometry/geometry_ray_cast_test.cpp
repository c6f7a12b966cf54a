// SPDX-License-Identifier: BSD-2-Clause
// Rays on geometries: the nearest hit of all parts.
#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"
#include "scene/scene_fixtures.hpp"
#include "tactum/geometry.hpp"

namespace tactum::geometry_ray_cast_test {
namespace {

using testing::Random;

TEST(GeometryRayCast, HitsTheNearestPart) {
  Random random(4);
  int hits = 0;
  for (int i = 0; i < 500; ++i) {
    const Compound compound = testing::random_compound(random, 1 + random.below(5));
    const Pose X = testing::random_pose(random, 1.0);
    const Vector3 origin = random.in_box(3.0),
                  direction = X.translation + random.in_box(0.5) - origin;
    RayHit expected;
    for (const CompoundPart& part : compound.parts()) {
      const RayHit hit = ray_cast(part.shape, X * part.X_CP, origin, direction);
      if (hit && hit.distance < expected.distance) expected = hit;
    }
    const RayHit found = ray_cast(Geometry(compound), X, origin, direction);
    ASSERT_EQ(found.hit, expected.hit);
    hits += found.hit ? 1 : 0;
    if (found) {
      ASSERT_EQ(found.distance, expected.distance);
    }
  }
  EXPECT_GT(hits, 50);
}

TEST(GeometryRayCast, OfAMeshAndAShapeAreTheirs) {
  Random random(5);
  const Geometry mesh(testing::box_mesh({1, 2, 3}).solid()),
      box(Shape(Box{.half_extents = {1, 2, 3}}));
  for (int i = 0; i < 500; ++i) {
    const Pose X = testing::random_pose(random, 1.0);
    const Vector3 origin = random.in_box(6.0), direction = random.direction();
    const RayHit of_mesh = ray_cast(mesh, X, origin, direction),
                 of_box = ray_cast(box, X, origin, direction);
    ASSERT_EQ(of_mesh.hit, of_box.hit);
    if (of_mesh) {
      ASSERT_NEAR(of_mesh.distance, of_box.distance, 1e-12);
    }
  }
}

}  // namespace
}  // namespace tactum::geometry_ray_cast_test
