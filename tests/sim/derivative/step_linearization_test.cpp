// SPDX-License-Identifier: BSD-2-Clause
// Products with the derivative, forward and backward, against the Jacobians.
#include "sim/derivative/step_linearization.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sim/derivative_check.hpp"

namespace tactum::sim::step_linearization_test {
namespace {

using derivative_check::Case;

/// A quadruped that lands on a plate, which slides on the ground, beside a ball that bounces.
Case busy_scene() {
  ModelBuilder builder;
  const Surface surface{.friction = 0.5, .restitution = 0.4};
  builder.add_ground(surface);
  builder.add_robot(derivative_check::quadruped(), scenes::at(0, 0, 0.3395 + 0.02));
  builder.add_body(Shape{Box{.half_extents = {0.5, 0.4, 0.01}}},
                   scenes::body(1.0, scenes::at(0, 0, 0.01 - 1e-4)));
  BodyOptions ball = scenes::body(0.3, scenes::at(2, 0, 0.1 + 1e-4));
  ball.surface = surface;
  builder.add_body(scenes::ball(0.1), ball);
  Case out{builder.build(), {}, {}};
  out.state = out.model.state();
  out.state.v = Eigen::VectorXd::LinSpaced(out.model.nv(), -0.2, 0.3);
  out.state.v[2] = -0.7;
  out.state.v[out.model.nv() - 4] = -2.0;
  return out;
}

Eigen::VectorXd random_vector(std::mt19937& random, int size) {
  std::normal_distribution<double> normal;
  return Eigen::VectorXd::NullaryExpr(size, [&] { return normal(random); });
}

const std::vector<StepParameter> kAll = {
    StepParameter::friction, StepParameter::restitution, StepParameter::compliance,
    StepParameter::inertia,  StepParameter::gravity,     StepParameter::position_correction,
    StepParameter::slop};

TEST(StepLinearization, ProductsAreThoseOfTheJacobians) {
  const Case given = busy_scene();
  const StepResult result = given.run();
  EXPECT_GE(result.contacts.size(), 6U);
  const StepDerivative derivative = step_derivative(result, {.parameters = kAll});
  const StepJacobians J = derivative.jacobians();
  const int nv = given.model.nv();
  std::mt19937 random(1);
  StepInputTangent change{
      random_vector(random, nv), random_vector(random, nv), random_vector(random, nv), {}};
  const StepOutputTangent gradient{random_vector(random, nv), random_vector(random, nv)};
  Eigen::VectorXd q = J.dq_dq * change.q + J.dq_dv * change.v + J.dq_dtau * change.tau,
                  v = J.dv_dq * change.q + J.dv_dv * change.v + J.dv_dtau * change.tau;
  const StepInputTangent backward = derivative.vjp(gradient);
  const auto expect_near = [](const Eigen::VectorXd& found, const Eigen::VectorXd& expected) {
    EXPECT_LT((found - expected).norm(), 1e-9 * (1.0 + expected.norm()));
  };
  expect_near(backward.q, J.dq_dq.transpose() * gradient.q + J.dv_dq.transpose() * gradient.v);
  expect_near(backward.v, J.dq_dv.transpose() * gradient.q + J.dv_dv.transpose() * gradient.v);
  expect_near(backward.tau,
              J.dq_dtau.transpose() * gradient.q + J.dv_dtau.transpose() * gradient.v);
  for (const StepParameter parameter : kAll) {
    const auto i = static_cast<std::size_t>(parameter);
    const StepParameterJacobians P = derivative.jacobians(parameter);
    change.parameters[i] = random_vector(random, parameter_size(given.model, parameter));
    q += P.dq * change.parameters[i];
    v += P.dv * change.parameters[i];
    expect_near(backward.parameters[i],
                P.dq.transpose() * gradient.q + P.dv.transpose() * gradient.v);
  }
  const StepOutputTangent forward = derivative.jvp(change);
  expect_near(forward.q, q);
  expect_near(forward.v, v);
}

TEST(StepLinearization, EmptyPartsCountAsZero) {
  const Case given = busy_scene();
  const StepDerivative derivative = step_derivative(given.run());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(given.model.nv());
  EXPECT_EQ(derivative.jvp({}).v, zero);
  EXPECT_EQ(derivative.vjp({}).tau, zero);
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(given.model.nv());
  EXPECT_EQ(derivative.jvp({.v = one}).q, derivative.jvp({zero, one, zero, {}}).q);
}

TEST(StepLinearization, WorkspaceServesOneModelAfterAnother) {
  const Case first = busy_scene();
  ModelBuilder builder;
  builder.add_robot(derivative_check::quadruped(), {});
  Case second{builder.build(), {}, {}};
  second.state = second.model.state();
  StepDerivativeWorkspace work;
  for (const Case& given : {first, second, first}) {
    const StepResult result = given.run();
    EXPECT_EQ(step_derivative(result, {}, work).jacobians().dv_dq,
              step_derivative(result).jacobians().dv_dq);
  }
}

}  // namespace
}  // namespace tactum::sim::step_linearization_test
