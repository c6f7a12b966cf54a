// SPDX-License-Identifier: BSD-2-Clause
// A model that was saved and loaded is the same and steps with the same bits; damaged files are
// refused.
#include "tactum/sim/model_file.hpp"

#include <gtest/gtest.h>

#include "sim/robot_files.hpp"
#include "sim/scenes.hpp"

namespace tactum::sim::model_file_test {
namespace {

Model whole_model() {
  ModelBuilder builder({0.1, 0.0, -9.7});
  builder.add_ground({.friction = 0.6});
  builder.add_body(scenes::cube(0.1),
                   scenes::body(1.0, scenes::at(0.0, 1.0, 0.099), "a <cube> & 'more'"));
  builder.add_urdf(robot_files::path("arm.urdf"), {.X = scenes::at(0.3, 0.0, 0.2), .name = "one"});
  builder.add_urdf(robot_files::path("arm.urdf"),
                   {.free_base = true, .X = scenes::at(-1.0, 0.0, 0.15), .name = "two"});
  builder.add_mjcf(robot_files::path("legs.xml"), {.name = "three"});
  return builder.build();
}

TEST(ModelFile, ALoadedModelIsTheSame) {
  const Model model = whole_model();
  robot_files::TemporaryFile file(".model");
  save_model(model, file.path());
  const Model loaded = load_model(file.path());
  EXPECT_EQ(model_text(loaded), model_text(model));
  EXPECT_EQ(loaded.names(), model.names());
  EXPECT_EQ(loaded.lower_position_limit(), model.lower_position_limit());
  EXPECT_EQ(loaded.gravity(), model.gravity());
  ASSERT_EQ(loaded.num_geometries(), model.num_geometries());
  for (int a = 0; a < model.num_geometries(); ++a) {
    EXPECT_EQ(loaded.geometry(a), model.geometry(a));
    EXPECT_EQ(loaded.geometry_name(a), model.geometry_name(a));
    for (int b = 0; b < a; ++b) EXPECT_EQ(loaded.may_meet(a, b), model.may_meet(a, b));
  }
}

TEST(ModelFile, ALoadedModelStepsWithTheSameBits) {
  const Model model = whole_model(), loaded = model_from_text(model_text(model));
  const StepResult a = scenes::run(model, model.state(), 20, 1e-3),
                   b = scenes::run(loaded, loaded.state(), 20, 1e-3);
  EXPECT_GT(a.contacts.size(), 0u);
  EXPECT_EQ(a.state.q, b.state.q);
  EXPECT_EQ(a.state.v, b.state.v);
}

TEST(ModelFile, NoFileDoesHarm) {
  ModelBuilder builder;
  builder.add_ground();
  builder.add_urdf(robot_files::path("arm.urdf"));
  const std::string seed = model_text(builder.build());
  std::mt19937 random(4);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = robot_files::damaged(seed, random);
    refused += !robot_files::message([&] { return model_from_text(text); }).empty();
  }
  EXPECT_GT(refused, 500);
  EXPECT_FALSE(robot_files::message([] { return load_model("/no/such/file"); }).empty());
  EXPECT_FALSE(robot_files::message([] { return load_model("/"); }).empty());
}

}  // namespace
}  // namespace tactum::sim::model_file_test
