// SPDX-License-Identifier: BSD-2-Clause
// Scenes as models: what moves, what it weighs, what it meets.
#include <gtest/gtest.h>

#include "sim/model/model_data.hpp"
#include "sim/scenes.hpp"
#include "tactum/scene.hpp"

namespace tactum::sim::add_scene_test {
namespace {

using scenes::at;

TEST(AddScene, StaticObjectsStayAndTheOthersFall) {
  Scene scene;
  SceneObject table{.geometry = scenes::cube(0.5), .X = at(0, 0, -0.5)};
  table.is_static = true;
  table.material.friction = 0.9;
  scene.add(table);
  scene.add({.geometry = scenes::ball(0.1), .X = at(0, 0, 0.3), .name = "ball"});
  scene.add({.geometry = scenes::ball(0.1), .X = at(0.4, 0, 0.3), .name = "ball"});
  scene.add({.geometry = Shape{HalfSpace{}}, .X = at(0, 0, -5)});
  scene.forbid(0, 2);
  ModelBuilder builder;
  builder.add_scene(scene, 500.0);
  const Model model = builder.build();
  EXPECT_EQ(model.num_bodies(), 3);
  EXPECT_EQ(model.num_geometries(), 4);
  EXPECT_EQ(model.body_name(1), "ball");
  EXPECT_EQ(model.body_name(2), "ball_1");
  EXPECT_FALSE(model.may_meet(0, 2));
  EXPECT_TRUE(model.may_meet(0, 1));
  EXPECT_NEAR(model.data().free_bodies[0].inertia.mass, 500.0 * 4.0 / 3.0 * std::numbers::pi * 1e-3,
              1e-9);
  const StepResult result = scenes::run(model, model.state(), 1000, 1e-3);
  EXPECT_NEAR(result.state.q[2], 0.1, 1e-6);
  EXPECT_LT(result.state.q[9], -1.0);
}

TEST(AddScene, ChangesNothingWhereSomethingIsRefused) {
  Scene scene;
  scene.add({.geometry = scenes::ball(0.1)});
  scene.add({.geometry = Shape{Sphere{.radius = 0.0}}});  // a point has no mass
  ModelBuilder builder;
  EXPECT_THROW(builder.add_scene(scene), InvalidInput);
  EXPECT_THROW(builder.add_scene(scene, -1.0), InvalidInput);
  EXPECT_EQ(builder.build().num_bodies(), 1);
}

}  // namespace
}  // namespace tactum::sim::add_scene_test
