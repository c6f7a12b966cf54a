// SPDX-License-Identifier: BSD-2-Clause
// Rollouts against single steps, resumed ones against whole ones, many threads against one.
#include "tactum/sim/rollout.hpp"

#include <gtest/gtest.h>

#include "sim/scenes.hpp"
#include "support/allocation_guard.hpp"

namespace tactum::sim::rollout_test {
namespace {

Model tumbling_box() {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.4});
  builder.add_body(Shape{Box{.half_extents = {0.1, 0.15, 0.2}}},
                   scenes::body(1.0, scenes::at(0, 0, 0.35)));
  return builder.build();
}

State thrown(const Model& model, double spin) {
  State state = model.state();
  state.v << 0.3, 0.1, 0.0, spin, 1.0, -0.5;
  return state;
}

TEST(Rollout, IsTheSameAsSingleSteps) {
  const Model model = tumbling_box();
  TrajectoryMatrix controls = TrajectoryMatrix::Zero(300, 6);
  controls.col(0).setConstant(0.5);
  StepWorkspace work, other;
  Trajectory trajectory;
  rollout(model, thrown(model, 2.0), controls, 2e-3, {}, work, trajectory);
  ASSERT_EQ(trajectory.q.rows(), 301);
  StepResult result;
  State state = thrown(model, 2.0);
  for (Eigen::Index i = 0; i < 300; ++i) {
    step(model, state, controls.row(i), 2e-3, {}, other, result);
    state = result.state;
    ASSERT_EQ(trajectory.q.row(i + 1).transpose(), state.q);
    ASSERT_EQ(trajectory.v.row(i + 1).transpose(), state.v);
  }
}

TEST(Rollout, AllocatesNothingInAStep) {
  const Model model = tumbling_box();
  const TrajectoryMatrix many = TrajectoryMatrix::Zero(200, 6), few = many.topRows(100);
  StepWorkspace work;
  Trajectory trajectory;
  rollout(model, model.state(), many, 2e-3, {}, work, trajectory);
  const State rests = trajectory.last;
  const auto allocations = [&](const TrajectoryMatrix& controls) {
    rollout(model, rests, controls, 2e-3, {}, work, trajectory);
    const testing::AllocationGuard guard;
    rollout(model, rests, controls, 2e-3, {}, work, trajectory);
    return guard.count();
  };
  EXPECT_EQ(allocations(many), allocations(few));
}

TEST(Rollout, GoesOnFromTheLastStateWithTheSameBits) {
  const Model model = tumbling_box();
  StepWorkspace work;
  Trajectory whole, first, second;
  rollout(model, thrown(model, 1.0), TrajectoryMatrix::Zero(400, 6), 2e-3, {}, work, whole);
  rollout(model, thrown(model, 1.0), TrajectoryMatrix::Zero(250, 6), 2e-3, {}, work, first);
  rollout(model, first.last, TrajectoryMatrix::Zero(150, 6), 2e-3, {}, work, second);
  EXPECT_EQ(second.last.q, whole.last.q);
  EXPECT_EQ(second.last.v, whole.last.v);
  EXPECT_EQ(second.last.time, whole.last.time);
}

TEST(Rollout, AsksTheControllerAtEachStep) {
  ModelBuilder builder(Vector3::Zero());
  builder.add_body(scenes::ball(0.1), scenes::body(2.0, {}));
  const Model model = builder.build();
  // a spring and a damper bring the body to x = 1
  const Controller controller = [](double, const State& state) {
    Eigen::VectorXd force = Eigen::VectorXd::Zero(6);
    force[0] = 50.0 * (1.0 - state.q[0]) - 20.0 * state.v[0];
    return force;
  };
  StepWorkspace work;
  Trajectory trajectory;
  rollout(model, model.state(), controller, 5000, 1e-3, {}, work, trajectory);
  EXPECT_NEAR(trajectory.last.q[0], 1.0, 1e-6);
  EXPECT_THROW(rollout(model, model.state(), controller, -1, 1e-3, {}, work, trajectory),
               InvalidInput);
}

TEST(Rollout, ManyHaveTheSameBitsForAnyNumberOfThreads) {
  const Model model = tumbling_box();
  std::vector<State> states;
  for (int i = 0; i < 12; ++i) states.push_back(thrown(model, 0.3 * i));
  const std::vector<TrajectoryMatrix> controls(states.size(), TrajectoryMatrix::Zero(100, 6));
  std::vector<Trajectory> one(states.size()), three(states.size());
  BatchWorkspace work;
  EXPECT_TRUE(rollouts(model, states, controls, 2e-3, {.num_threads = 1}, work, one));
  EXPECT_TRUE(rollouts(model, states, controls, 2e-3, {.num_threads = 3}, work, three));
  for (std::size_t i = 0; i < states.size(); ++i) {
    EXPECT_EQ(one[i].q, three[i].q);
    StepWorkspace own;
    Trajectory alone;
    rollout(model, states[i], controls[i], 2e-3, {}, own, alone);
    EXPECT_EQ(one[i].q, alone.q);
  }
}

TEST(Rollout, RefusesControlsThatDoNotFit) {
  const Model model = tumbling_box();
  StepWorkspace work;
  Trajectory out;
  EXPECT_THROW(rollout(model, model.state(), TrajectoryMatrix::Zero(2, 5), 1e-3, {}, work, out),
               InvalidInput);
  TrajectoryMatrix bad = TrajectoryMatrix::Zero(2, 6);
  bad(1, 3) = std::nan("");
  EXPECT_THROW(rollout(model, model.state(), bad, 1e-3, {}, work, out), InvalidInput);
  std::vector<Trajectory> none;
  BatchWorkspace batch;
  const std::vector<State> states(2, model.state());
  EXPECT_THROW(rollouts(model, states, {}, 1e-3, {}, batch, none), InvalidInput);
}

}  // namespace
}  // namespace tactum::sim::rollout_test
