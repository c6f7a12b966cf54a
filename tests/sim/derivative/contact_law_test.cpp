// SPDX-License-Identifier: BSD-2-Clause
// Steps with relaxed complementarity: a closed form, the exact step as a limit, and derivatives
// against differences of the relaxed step itself.
#include "sim/derivative/contact_law.hpp"

#include <gtest/gtest.h>

#include "sim/derivative_check.hpp"

namespace tactum::sim::contact_law_test {
namespace {

using derivative_check::Case;

/// The state after a relaxed step of free bodies.
StepOutputTangent relaxed_state(const Case& given, double relaxation, const State& origin) {
  const StepResult result = given.run();
  const RelaxedTape relaxed = relaxed_tape(*result.tape, relaxation);
  EXPECT_TRUE(relaxed.forces.converged());
  Eigen::VectorXd q(given.model.nq()), v(given.model.nv());
  for (const FreeBody& body : given.model.data().free_bodies) {
    const FreeMotion motion = advance(body, free_pose(given.state.q, body.q),
                                      relaxed.tape->velocity.segment<6>(body.v), given.dt);
    set_free_pose(motion.X, body.q, q);
    v.segment<6>(body.v) = motion.velocity;
  }
  return {given.model.difference(origin.q, q), v};
}

Case ellipsoid(double height, const Vector3& linear) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.6});
  BodyOptions options = scenes::body(1.5, {rotation_exponential({0.4, -1.0, 0.7}), {0, 0, 0.5}});
  const Shape shape{Ellipsoid{.semi_axes = {0.1, 0.06, 0.14}}};
  const Matrix3 R = options.X.rotation;
  options.X.translation.z() = height -
                              shape.support(-R.transpose().col(2)).dot(R.transpose().col(2));
  builder.add_body(shape, options);
  Case out{builder.build(), {}, Eigen::VectorXd::Zero(6)};
  out.options.position_correction = 1.0;
  out.options.slop = 0.0;
  out.state = out.model.state();
  out.state.v << R.transpose() * linear, 1.0, -2.0, 3.0;
  return out;
}

TEST(ContactLaw, BallAboveTheGroundFeelsItBeforeItCloses) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.0});
  builder.add_body(scenes::ball(0.1), scenes::body(2.0, scenes::at(0, 0, 0.1 + 5e-5)));
  Case given{builder.build(), {}, {}};
  given.state = given.model.state();
  given.state.v[2] = -0.1;
  const double dt = given.dt, relaxation = 0.05;
  const RelaxedTape relaxed = relaxed_tape(*given.run().tape, relaxation);
  // u (u - u_free) = relaxation^2, for the speed u at which the gap grows beyond what is asked for
  const double free = -0.1 - 9.81 * dt + 5e-5 / dt,
               u = 0.5 * (free + std::sqrt(free * free + 4.0 * relaxation * relaxation));
  EXPECT_NEAR(relaxed.tape->velocity[2], u - 5e-5 / dt, 1e-9);
  StepDerivativeOptions options;
  options.relaxation = relaxation;
  const StepDerivative derivative = step_derivative(given.run(), options);
  const double slope = 0.5 * (1.0 + free / std::sqrt(free * free + 4.0 * relaxation * relaxation));
  EXPECT_NEAR(derivative.jacobians().dv_dv(2, 2), slope, 1e-8);
}

TEST(ContactLaw, SmallRelaxationsGiveTheExactStep) {
  const Case given = ellipsoid(1e-4, {1.5, -0.3, -1.0});
  const StepResult result = given.run();
  const StepJacobians exact = step_derivative(result).jacobians();
  double last = 1e9;
  for (const double relaxation : {0.1, 0.03, 0.01, 0.003}) {
    const RelaxedTape relaxed = relaxed_tape(*result.tape, relaxation);
    EXPECT_TRUE(relaxed.forces.converged()) << relaxation;
    // kappa is the square of the relaxation
    EXPECT_LT((relaxed.tape->velocity - result.tape->velocity).norm(),
              100.0 * relaxation * relaxation);
    StepDerivativeOptions options;
    options.relaxation = relaxation;
    const double off = derivative_check::largest_error(step_derivative(result, options).jacobians(),
                                                       exact, given.dt);
    EXPECT_LT(off, last) << relaxation;
    last = off;
  }
  EXPECT_LT(last, 1e-2);
}

TEST(ContactLaw, DerivativesAreThoseOfTheRelaxedStep) {
  const double relaxation = 0.02, h = 1e-6, h_q = 1e-8;  // m over dt is a hundred times the speed
  for (const Vector3& linear : {Vector3(1.5, -0.3, -1.0), Vector3(0.0, 0.0, -0.05)}) {
    for (const double height : {5e-5, 4e-5 - 1e-4}) {
      const Case given = ellipsoid(height, linear);
      StepDerivativeOptions options;
      options.relaxation = relaxation;
      options.parameters = {StepParameter::friction};
      const StepResult result = given.run();
      ASSERT_FALSE(result.contacts.empty());
      const StepDerivative derivative = step_derivative(result, options);
      const StepJacobians found = derivative.jacobians();
      Eigen::VectorXd next(given.model.nq());
      const FreeBody& body = given.model.data().free_bodies[0];
      const RelaxedTape here = relaxed_tape(*result.tape, relaxation);
      State origin = given.state;
      set_free_pose(advance(body, free_pose(given.state.q, 0), here.tape->velocity, given.dt).X, 0,
                    origin.q);
      for (int i = 0; i < 6; ++i) {
        Case ahead = given, behind = given;
        ahead.state.v[i] += h;
        behind.state.v[i] -= h;
        StepOutputTangent a = relaxed_state(ahead, relaxation, origin),
                          b = relaxed_state(behind, relaxation, origin);
        EXPECT_LT((found.dv_dv.col(i) - (a.v - b.v) / (2 * h)).norm(), 1e-5) << i;
        EXPECT_LT((found.dq_dv.col(i) - (a.q - b.q) / (2 * h)).norm(), 1e-7) << i;
        ahead = behind = given;
        ahead.state.q = given.model.integrate(given.state.q, h_q * Eigen::VectorXd::Unit(6, i));
        behind.state.q = given.model.integrate(given.state.q, -h_q * Eigen::VectorXd::Unit(6, i));
        a = relaxed_state(ahead, relaxation, origin);
        b = relaxed_state(behind, relaxation, origin);
        const Eigen::VectorXd expected = (a.v - b.v) / (2 * h_q);
        // kappa has the mass along the normal in it, which follows rotations and is held
        const double tolerance = i < 3 ? 1e-5 : 1e-3;
        EXPECT_LT((found.dv_dq.col(i) - expected).norm(), tolerance * (1.0 + expected.norm())) << i;
      }
      // backward is the transpose of forward
      const Eigen::VectorXd by_v = Eigen::VectorXd::LinSpaced(6, -1.0, 1.0);
      const StepInputTangent back = derivative.vjp({{}, by_v});
      EXPECT_LT((back.q - found.dv_dq.transpose() * by_v).norm(), 1e-8 * (1.0 + back.q.norm()));
      EXPECT_LT(
          (back.parameters[0] - derivative.jacobians(StepParameter::friction).dv.transpose() * by_v)
              .norm(),
          1e-9);
    }
  }
}

TEST(ContactLaw, RefusesSpeedsThatAreNone) {
  const Case given = ellipsoid(1e-4, {1.5, -0.3, -1.0});
  StepDerivativeOptions options;
  options.relaxation = -1.0;
  EXPECT_THROW(step_derivative(given.run(), options), InvalidInput);
}

}  // namespace
}  // namespace tactum::sim::contact_law_test
