// SPDX-License-Identifier: BSD-2-Clause
// A geometry is what it was made of.
#include "tactum/geometry.hpp"

#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"
#include "scene/scene_fixtures.hpp"

namespace tactum::geometry_test {
namespace {

using testing::Random;

TEST(Geometry, KnowsItsKind) {
  Random random(1);
  const Shape shape(Sphere{.radius = 0.5});
  const Compound compound = testing::random_compound(random, 3);
  const Mesh mesh = testing::box_mesh({1, 2, 3}).solid();
  const Geometry of_shape(shape), of_compound(compound), of_mesh(mesh);
  EXPECT_EQ(*of_shape.shape(), shape);
  EXPECT_EQ(*of_compound.compound(), compound);
  EXPECT_EQ(*of_mesh.mesh(), mesh);
  EXPECT_EQ(of_shape.compound(), nullptr);
  EXPECT_EQ(of_compound.mesh(), nullptr);
  EXPECT_EQ(of_mesh.shape(), nullptr);
  EXPECT_EQ(of_shape.num_parts(), 1);
  EXPECT_EQ(of_compound.num_parts(), 3);
  EXPECT_EQ(of_mesh.num_parts(), 12);
  EXPECT_EQ(of_mesh.nbytes(), mesh.nbytes());
  EXPECT_EQ(of_compound.nbytes(), compound.nbytes());
}

TEST(Geometry, IsEqualToTheSameKindAlone) {
  const Mesh mesh = testing::box_mesh({1, 2, 3}).solid();
  EXPECT_EQ(Geometry(mesh), Geometry(testing::box_mesh({1, 2, 3}).solid()));
  EXPECT_NE(Geometry(mesh), Geometry(testing::box_mesh({1, 2, 3}).surface()));
  EXPECT_NE(Geometry(mesh), Geometry(Shape(Box{.half_extents = {1, 2, 3}})));
}

TEST(Geometry, HasTheBoxOfItsKind) {
  Random random(2);
  const Mesh mesh = testing::box_mesh({1, 2, 3}).solid();
  const Shape box(Box{.half_extents = {1, 2, 3}});
  for (int i = 0; i < 100; ++i) {
    const Pose X = testing::pose_near(random, 3.0);
    const Aabb of_mesh = Geometry(mesh).aabb(X), of_box = Geometry(box).aabb(X);
    EXPECT_LE((of_mesh.lower - of_box.lower).norm(), 1e-13);
    EXPECT_LE((of_mesh.upper - of_box.upper).norm(), 1e-13);
  }
}

}  // namespace
}  // namespace tactum::geometry_test
