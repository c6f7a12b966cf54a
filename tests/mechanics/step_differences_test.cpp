// SPDX-License-Identifier: BSD-2-Clause
// The derivative of a step against differences of the step in random states: a share of what
// tactum_step_differences does.
#include "mechanics/step_differences.hpp"

#include <gtest/gtest.h>

#include "support/repetitions.hpp"

namespace tactum::sim::step_differences_test {
namespace {

using step_differences::kGoal;
using step_differences::Partner;
using step_differences::Tally;
using testing::repetitions;

/// Expects that all states that fail are flagged, and that not too many are.
void expect_held(const Tally& tally, double most_flagged) {
  EXPECT_EQ(tally.unflagged_failures, 0) << "error " << tally.worst;
  EXPECT_LE(tally.worst, kGoal);
  EXPECT_LT(tally.flagged, most_flagged * tally.states) << tally.failed << " fail";
}

/// Every shape on `partner`, a thousand states each; every mode in a tenth of them.
void expect_shapes(Partner partner, double most_flagged) {
  const int states = repetitions(1000);
  for (const std::string& name : step_differences::shape_names()) {
    SCOPED_TRACE(name);
    const Tally tally = step_differences::touching_states(
        partner, name, states, static_cast<std::uint32_t>(17 + 31 * name.size()));
    expect_held(tally, most_flagged);
    for (const int count : tally.modes) EXPECT_GT(count, states / 10);
  }
}

TEST(StepDifferences, ShapesOnAPlane) { expect_shapes(Partner::plane, 0.25); }
TEST(StepDifferences, ShapesOnEachOther) { expect_shapes(Partner::body, 0.25); }
TEST(StepDifferences, ShapesOnAMesh) { expect_shapes(Partner::mesh, 0.25); }

TEST(StepDifferences, PendulumAtAWall) {
  const Tally tally = step_differences::pendulum_states(false, repetitions(1000), 3);
  expect_held(tally, 0.3);
  EXPECT_GT(tally.modes[2], tally.states / 10);
}

TEST(StepDifferences, PendulumAtItsLimit) {
  const Tally tally = step_differences::pendulum_states(true, repetitions(1000), 4);
  expect_held(tally, 0.3);
  EXPECT_GT(tally.limits, tally.states / 5);
}

TEST(StepDifferences, Loops) {
  expect_held(step_differences::loop_states(repetitions(1000), 5), 0.01);
}

}  // namespace
}  // namespace tactum::sim::step_differences_test
