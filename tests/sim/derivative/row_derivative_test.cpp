// SPDX-License-Identifier: BSD-2-Clause
#include "sim/derivative/row_derivative.hpp"

#include <gtest/gtest.h>

#include "sim/derivative_check.hpp"
#include "sim/step/row_blocks.hpp"

namespace tactum::sim::row_derivative_test {
namespace {

using derivative_check::Case;

Case ball_on_ground(double distance, double speed, const Surface& surface) {
  ModelBuilder builder;
  builder.add_ground(surface);
  builder.add_body(scenes::ball(0.1), scenes::body(1.0, scenes::at(0, 0, 0.1 + distance)));
  Case out{builder.build(), {}, {}};
  out.state = out.model.state();
  out.state.v[2] = speed;
  return out;
}

RowDerivative only_row(const Case& given, bool frozen = false) {
  const StepResult result = given.run();
  const std::vector<ArticulationDerivative> none;
  const std::vector<RowDerivative> rows = row_derivatives(
      *result.tape, BodyMotion(*result.tape, none), {.frozen_contacts = frozen});
  EXPECT_EQ(rows.size(), 1U);
  return rows.at(0);
}

TEST(RowDerivative, SharesOfTheDistanceAreThoseOfTheStep) {
  const Surface hard{.friction = 0.5}, soft{.friction = 0.5, .compliance = 1e-6};
  EXPECT_EQ(only_row(ball_on_ground(1e-5, -1.0, hard)).gap_share, 1.0);
  EXPECT_EQ(only_row(ball_on_ground(-5e-6, -1.0, hard)).gap_share, 0.0);
  EXPECT_EQ(only_row(ball_on_ground(-1e-4, -1.0, hard)).gap_share, 0.1);
  EXPECT_EQ(only_row(ball_on_ground(-5e-6, -1.0, soft)).gap_share, 1.0);
  // the share is the slope of the velocity that is asked for
  for (const double d : {1e-4, -5e-6, -1e-4}) {
    const StepOptions options;
    const double h = 1e-7, dt = 1e-3;
    const auto asked_for = [&](double at) {
      const GapVelocity velocity = gap_velocity(at, 0.0, options, dt);
      return velocity.gap + velocity.correction;
    };
    const double slope = (asked_for(d + h) - asked_for(d - h)) / (2 * h);
    EXPECT_NEAR(only_row(ball_on_ground(d, -1.0, hard)).gap_share / dt, slope, 1e-6);
  }
}

TEST(RowDerivative, MarginIsZeroWhereTwoRulesMeet) {
  const Surface hard{.friction = 0.5};
  EXPECT_LT(only_row(ball_on_ground(0.0, -1.0, hard)).margin, 1e-9);
  EXPECT_LT(only_row(ball_on_ground(-1e-5, -1.0, hard)).margin, 1e-9);
  EXPECT_GT(only_row(ball_on_ground(-1e-4, -1.0, hard)).margin, 1e-3);
}

TEST(RowDerivative, BouncesWhereTheStepDoes) {
  const Surface rubber{.friction = 0.5, .restitution = 0.6};
  const RowDerivative fast = only_row(ball_on_ground(1e-4, -1.0, rubber)),
                      slow = only_row(ball_on_ground(1e-5, -5e-4, rubber)),
                      late = only_row(ball_on_ground(1e-3 + 1e-9, -1.0, rubber));
  EXPECT_TRUE(fast.bounces);
  EXPECT_DOUBLE_EQ(fast.approach, -1.0);
  EXPECT_FALSE(slow.bounces);
  EXPECT_FALSE(late.bounces);
  EXPECT_LT(late.margin, 1e-3);  // a little nearer, it would bounce in this step
}

TEST(RowDerivative, FrozenContactKeepsItsPlace) {
  const Case given = ball_on_ground(-1e-4, -1.0, {.friction = 0.5});
  const RowDerivative frozen = only_row(given, true), moving = only_row(given);
  EXPECT_EQ(frozen.J, moving.J);
  EXPECT_TRUE(frozen.force_by_q.isZero(1e-12));
  EXPECT_FALSE(moving.force_by_q.isZero(1e-12));
}

}  // namespace
}  // namespace tactum::sim::row_derivative_test
