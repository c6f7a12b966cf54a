// SPDX-License-Identifier: BSD-2-Clause
// Steps with closed loops against central differences.
#include <gtest/gtest.h>

#include "sim/derivative/tree_derivative.hpp"
#include "sim/derivative_check.hpp"

namespace tactum::sim::closure_derivative_test {
namespace {

using derivative_check::Case;
using derivative_check::expect_derivative;

/// Two bodies in the air, moving, whose closure is a little off.
Case two_bodies(bool weld) {
  ModelBuilder builder;
  const int a = builder.add_body(scenes::cube(0.1), scenes::body(1.0, scenes::at(0, 0, 1))),
            b = builder.add_body(scenes::cube(0.1), scenes::body(2.0, scenes::at(0.5, 0.1, 1.2)));
  if (weld)
    builder.add_weld(a, b, {rotation_exponential({0.2, 0.4, -0.3}), {0.2, 0.1, 0.05}});
  else
    builder.add_connection(a, b, {0.2, 0.1, 0.05});
  builder.add_connection(0, b, {0.6, 0.3, 1.3});
  Case out{builder.build(), {}, Eigen::VectorXd::LinSpaced(12, -1.0, 1.0)};
  out.state = out.model.state();
  out.state.q = out.model.integrate(out.state.q, Eigen::VectorXd::LinSpaced(12, -0.02, 0.03));
  out.state.v = Eigen::VectorXd::LinSpaced(12, 2.0, -1.0);
  return out;
}

TEST(ClosureDerivative, Connections) { expect_derivative(two_bodies(false)); }

TEST(ClosureDerivative, Welds) { expect_derivative(two_bodies(true)); }

TEST(ClosureDerivative, CouplingsOfARobotThatIsTiedToTheWorld) {
  RobotDescription robot = derivative_check::quadruped();
  robot.geometries.clear();
  ModelBuilder builder;
  const int first = builder.add_robot(robot, scenes::at(0, 0, 1));
  builder.add_coupling("leg0_1", "leg1_1", 0.7, 0.1);
  builder.add_coupling("leg2_2", "", 1.0, 0.2);
  builder.add_weld(0, first + 3, scenes::at(0.25, 0.1, 0.7), scenes::at(0.01, 0.0, -0.1));
  Case given{builder.build(), {}, {}};
  const int nv = given.model.nv();
  given.state = given.model.state();
  given.state.q = given.model.integrate(given.state.q, Eigen::VectorXd::LinSpaced(nv, -0.1, 0.2));
  given.state.v = Eigen::VectorXd::LinSpaced(nv, 1.0, -0.5);
  expect_derivative(given);
  const StepDerivative derivative = step_derivative(
      given.run(), {.parameters = {StepParameter::position_correction}});
  Case plus = given, minus = given;
  const double h = 1e-6;
  plus.options.position_correction += h;
  minus.options.position_correction -= h;
  const Eigen::VectorXd expected = (plus.run().state.v - minus.run().state.v) / (2 * h),
                        found = derivative.jacobians(StepParameter::position_correction).dv.col(0);
  EXPECT_LT((found - expected).norm(), 1e-6 * expected.norm());
}

TEST(ClosureDerivative, ForcesBeyondTheLimitOfAJointDoNotCount) {
  RobotDescription robot = derivative_check::quadruped();
  robot.geometries.clear();
  for (RobotJoint& joint : robot.joints) joint.effort_limit = 0.5;
  robot.joints[0].effort_limit = std::numeric_limits<double>::infinity();
  ModelBuilder builder;
  builder.add_robot(robot, scenes::at(0, 0, 1));
  Case given{builder.build(), {}, {}};
  const int nv = given.model.nv();
  given.state = given.model.state();
  given.tau = Eigen::VectorXd::LinSpaced(nv, -1.0, 1.01);
  given.tau.head<6>().setZero();
  expect_derivative(given);
  const StepJacobians J = step_derivative(given.run()).jacobians();
  EXPECT_TRUE(J.dv_dtau.col(nv - 1).isZero(0.0));
  EXPECT_FALSE(J.dv_dtau.col(10).isZero(1e-12));
  given.tau[8] = 0.5;
  EXPECT_FALSE(step_derivative(given.run()).smooth());
}

}  // namespace
}  // namespace tactum::sim::closure_derivative_test
