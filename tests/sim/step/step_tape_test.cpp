// SPDX-License-Identifier: BSD-2-Clause
#include "sim/step/step_tape.hpp"

#include <gtest/gtest.h>

#include "sim/scenes.hpp"

namespace tactum::sim::step_tape_test {
namespace {

Model box_on_ground() {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  builder.add_body(scenes::cube(0.1), scenes::body(2.0, scenes::at(0, 0, 0.1)));
  return builder.build();
}

TEST(StepTape, IsThereOnlyWhereItWasAskedFor) {
  const Model model = box_on_ground();
  StepWorkspace work;
  StepResult result;
  step(model, model.state(), {}, 1e-3, {.tape = true}, work, result);
  EXPECT_TRUE(result.tape);
  const State next = result.state;
  step(model, next, {}, 1e-3, {}, work, result);
  EXPECT_FALSE(result.tape);
}

TEST(StepTape, DoesNotChangeTheStep) {
  const Model model = box_on_ground();
  StepWorkspace work;
  StepResult plain, taped;
  State state = model.state();
  state.v << 0.5, 0.0, -0.1, 0.0, 0.0, 1.0;
  for (int i = 0; i < 5; ++i) {
    step(model, state, {}, 1e-3, {}, work, plain);
    step(model, state, {}, 1e-3, {.tape = true}, work, taped);
    EXPECT_EQ(plain.state.q, taped.state.q);
    EXPECT_EQ(plain.state.v, taped.state.v);
    state = plain.state;
  }
}

TEST(StepTape, StaysAsItIsWhileTheWorkspaceGoesOn) {
  const Model model = box_on_ground();
  StepWorkspace work;
  StepResult first, second;
  step(model, model.state(), {}, 1e-3, {.tape = true}, work, first);
  const Eigen::VectorXd g = first.tape->problem.g(), velocity = first.tape->velocity;
  State fast = first.state;
  fast.v << 3.0, 1.0, -2.0, 1.0, 2.0, 3.0;
  step(model, fast, {}, 1e-3, {.tape = true}, work, second);
  EXPECT_EQ(first.tape->problem.g(), g);
  EXPECT_EQ(first.tape->velocity, velocity);
  EXPECT_EQ(first.tape->contacts.size(), 4U);
  EXPECT_EQ(first.tape->queries.size(), 1U);
}

}  // namespace
}  // namespace tactum::sim::step_tape_test
