// SPDX-License-Identifier: BSD-2-Clause
// A state that was saved goes on with the same bits; damaged files are refused.
#include <gtest/gtest.h>

#include "sim/robot_files.hpp"
#include "sim/scenes.hpp"
#include "sim/step/step_data.hpp"
#include "tactum/sim/model_file.hpp"

namespace tactum::sim::state_file_test {
namespace {

using scenes::at;

/// Boxes on the ground, an arm that rests on its limit, and a loop: all that a state remembers.
Model everything() {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  builder.add_body(scenes::cube(0.1), scenes::body(1.0, at(0, 0, 0.1)));
  builder.add_body(scenes::cube(0.1), scenes::body(1.0, at(0.01, 0.02, 0.31)));
  RobotDescription arm = scenes::arm_of_links(2);
  arm.joints[0].upper = 0.0;
  arm.joints[1].dry_friction = 0.3;
  const int first = builder.add_robot(arm, at(2, 0, 1));
  builder.add_connection(first + 1, 0, Vector3(0.5, 0, 0));
  return builder.build();
}

TEST(StateFile, GoesOnWithTheSameBits) {
  const Model model = everything();
  const State half = scenes::run(model, model.state(), 50, 2e-3).state;
  ASSERT_FALSE(half.memory->contacts.empty());
  ASSERT_FALSE(half.memory->joints.empty());
  ASSERT_FALSE(half.memory->closures.empty());
  const robot_files::TemporaryFile file(".state");
  save_state(half, file.path());
  const State loaded = load_state(file.path());
  EXPECT_EQ(loaded.q, half.q);
  EXPECT_EQ(loaded.v, half.v);
  EXPECT_EQ(loaded.time, half.time);
  EXPECT_EQ(state_text(loaded), state_text(half));
  const State a = scenes::run(model, half, 50, 2e-3).state,
              b = scenes::run(model, loaded, 50, 2e-3).state;
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
}

TEST(StateFile, KeepsThePauseOfPositionCorrection) {
  State state = everything().state();
  auto memory = std::make_shared<ContactMemory>();
  memory->pause = {3, 5};
  state.memory = memory;
  const State loaded = state_from_text(state_text(state));
  ASSERT_NE(loaded.memory, nullptr);
  EXPECT_EQ(loaded.memory->pause.vain, 3);
  EXPECT_EQ(loaded.memory->pause.steps_left, 5);
}

TEST(StateFile, AMemoryThatSaysNothingOfPausesHasNone) {
  State state = everything().state();
  state.memory = std::make_shared<ContactMemory>();
  std::string text = state_text(state);
  const std::string attributes = " vain_corrections=\"0\" pause=\"0\"";
  const std::size_t at = text.find(attributes);
  ASSERT_NE(at, std::string::npos);
  const State loaded = state_from_text(text.erase(at, attributes.size()));
  ASSERT_NE(loaded.memory, nullptr);
  EXPECT_EQ(loaded.memory->pause.vain, 0);
  EXPECT_EQ(loaded.memory->pause.steps_left, 0);
}

TEST(StateFile, AStateWithoutMemoryHasNone) {
  const Model model = everything();
  const State loaded = state_from_text(state_text(model.state()));
  EXPECT_EQ(loaded.memory, nullptr);
  EXPECT_EQ(loaded.q, model.state().q);
}

TEST(StateFile, DamagedTextsAreRefusedOrHarmless) {
  const Model model = everything();
  const std::string whole = state_text(scenes::run(model, model.state(), 5, 2e-3).state);
  std::mt19937 random(9);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    try {
      const State state = state_from_text(robot_files::damaged(whole, random));
      const StepResult result = step(model, state, {}, 1e-3);
      EXPECT_TRUE(result.state.q.allFinite());
    } catch (const InvalidInput&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace tactum::sim::state_file_test
