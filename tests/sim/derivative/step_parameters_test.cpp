// SPDX-License-Identifier: BSD-2-Clause
// Derivatives by parameters against steps of models that have other parameters.
#include "sim/derivative/step_parameters.hpp"

#include <gtest/gtest.h>

#include "sim/derivative_check.hpp"

namespace tactum::sim::step_parameters_test {
namespace {

using derivative_check::Case;

/// What the scenes below are made of.
struct Parameters {
  Surface ground{.friction = 0.5}, body{.friction = 0.8};
  Eigen::VectorXd inertia;  ///< ten numbers
  Vector3 gravity{0.3, 0.1, -9.81};
  StepOptions options = derivative_check::exact_options();

  Parameters() : inertia(10) {
    inertia << 1.5, 0.015, -0.03, 0.02, 0.014, 0.001, 0.017, -0.002, 0.0005, 0.011;
  }
  BodyInertia body_inertia() const {
    const Vector3 moment = inertia.segment<3>(1), center = moment / inertia[0];
    Matrix3 about_origin;
    about_origin << inertia[4], inertia[5], inertia[7], inertia[5], inertia[6], inertia[8],
        inertia[7], inertia[8], inertia[9];
    const Matrix3 hat = cross_matrix(center);
    return {inertia[0], center, about_origin + inertia[0] * hat * hat};
  }
};

enum class Scene { slides, bounces, yields, penetrates };

/// An ellipsoid on the ground.
Case scene(Scene kind, Parameters parameters) {
  if (kind == Scene::bounces) parameters.ground.restitution += 0.6;
  if (kind == Scene::yields) parameters.body.compliance += 1e-5;
  ModelBuilder builder(parameters.gravity);
  builder.add_ground(parameters.ground);
  const Shape shape{Ellipsoid{.semi_axes = {0.1, 0.06, 0.14}}};
  const Matrix3 R = rotation_exponential({0.4, -1.0, 0.7});
  const double lowest = shape.support(-R.transpose().col(2)).dot(R.transpose().col(2));
  BodyOptions options;
  options.inertia = parameters.body_inertia();
  options.surface = parameters.body;
  options.X = {R, {0, 0, (kind == Scene::penetrates ? -1e-3 : 1e-5) - lowest}};
  builder.add_body(shape, options);
  Case out{builder.build(), {}, {}, 1e-3, parameters.options};
  out.state = out.model.state();
  const Vector3 linear(kind == Scene::yields ? 0.0 : 2.0, -0.3,
                       kind == Scene::yields ? -0.1 : -1.0);
  out.state.v << R.transpose() * linear, 1.0, -2.0, 3.0;
  return out;
}

/// Compares with differences of a number of the parameters.
void expect_parameter(Scene kind, StepParameter parameter, int entry,
                      double& (*number)(Parameters&, int), double h, double tolerance = 1e-6) {
  Parameters plus, minus;
  number(plus, entry) += h;
  number(minus, entry) -= h;
  const Case given = scene(kind, {});
  const State here = given.run().state, ahead = scene(kind, plus).run().state,
              behind = scene(kind, minus).run().state;
  const Eigen::VectorXd dq = (given.model.difference(here.q, ahead.q) -
                              given.model.difference(here.q, behind.q)) /
                             (2 * h),
                        dv = (ahead.v - behind.v) / (2 * h);
  const StepDerivative derivative = step_derivative(given.run(), {.parameters = {parameter}});
  EXPECT_TRUE(derivative.smooth());
  const StepParameterJacobians found = derivative.jacobians(parameter);
  ASSERT_EQ(found.dq.cols(), parameter_size(given.model, parameter));
  EXPECT_GT(dv.norm(), 0.0);
  EXPECT_LT((found.dq.col(entry) - dq).norm(), tolerance * dq.norm() + 1e-10) << entry;
  EXPECT_LT((found.dv.col(entry) - dv).norm(), tolerance * dv.norm() + 1e-9) << entry;
}

TEST(StepParameters, Friction) {
  expect_parameter(
      Scene::slides, StepParameter::friction, 0,
      [](Parameters& p, int) -> double& { return *p.ground.friction; }, 1e-5);
  expect_parameter(
      Scene::slides, StepParameter::friction, 1,
      [](Parameters& p, int) -> double& { return *p.body.friction; }, 1e-5);
}

TEST(StepParameters, FrictionOfTheOnlySurfaceThatHasOne) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  builder.add_body(scenes::ball(0.1), scenes::body(1.0, scenes::at(0, 0, 0.1 - 1e-3)));
  Case given{builder.build(), {}, {}};
  given.state = given.model.state();
  given.state.v[0] = 1.0;
  const StepParameterJacobians found = step_derivative(given.run(),
                                                       {.parameters = {StepParameter::friction}})
                                           .jacobians(StepParameter::friction);
  const StepResult result = given.run();
  const double normal_force = result.contacts.at(0).force.z();
  // friction takes mu N off the push; the axes that v is in turn a little
  EXPECT_NEAR(found.dv(0, 0), -given.dt * normal_force, 0.01 * given.dt * normal_force);
  EXPECT_TRUE(found.dv.col(1).isZero(0.0));
}

TEST(StepParameters, Restitution) {
  expect_parameter(
      Scene::bounces, StepParameter::restitution, 0,
      [](Parameters& p, int) -> double& { return p.ground.restitution; }, 1e-5);
}

TEST(StepParameters, Compliance) {
  expect_parameter(
      Scene::yields, StepParameter::compliance, 1,
      [](Parameters& p, int) -> double& { return p.body.compliance; }, 1e-9);
}

TEST(StepParameters, Inertia) {
  for (int i = 0; i < 10; ++i) {
    for (const Scene kind : {Scene::slides, Scene::bounces}) {
      Parameters plus, minus;
      const double h = i == 0 ? 1e-5 : 1e-7;
      plus.inertia[i] += h;
      minus.inertia[i] -= h;
      const Case given = scene(kind, {});
      const State here = given.run().state, ahead = scene(kind, plus).run().state,
                  behind = scene(kind, minus).run().state;
      const StepParameterJacobians found = step_derivative(given.run(),
                                                           {.parameters = {StepParameter::inertia}})
                                               .jacobians(StepParameter::inertia);
      const Eigen::VectorXd dq = (given.model.difference(here.q, ahead.q) -
                                  given.model.difference(here.q, behind.q)) /
                                 (2 * h),
                            dv = (ahead.v - behind.v) / (2 * h);
      EXPECT_LT((found.dq.col(10 + i) - dq).norm(), 1e-5 * dq.norm() + 1e-9) << i;
      EXPECT_LT((found.dv.col(10 + i) - dv).norm(), 1e-5 * dv.norm() + 1e-8) << i;
    }
  }
}

TEST(StepParameters, InertiaAndGravityOfARobot) {
  const double h = 1e-5, of_gravity = 1e-2;
  const auto robot = [](int joint, double mass_change, double gravity_change) {
    RobotDescription description = derivative_check::quadruped();
    description.joints[static_cast<std::size_t>(joint)].inertia.mass += mass_change;
    ModelBuilder builder(Vector3(0.5, gravity_change, -9.81));
    builder.add_ground({.friction = 0.7});
    builder.add_robot(description, scenes::at(0, 0, 0.3395));
    Case out{builder.build(), {}, {}};
    out.state = out.model.state();
    out.state.v = Eigen::VectorXd::LinSpaced(out.model.nv(), -0.2, 0.3);
    out.state.v[2] = -0.7;
    return out;
  };
  const int joint = 5, body = 1 + joint;
  const Case given = robot(joint, 0.0, 0.0);
  const StepDerivative derivative = step_derivative(
      given.run(), {.parameters = {StepParameter::inertia, StepParameter::gravity}});
  EXPECT_FALSE(given.run().contacts.empty());
  // more mass at the same center, with the same inertia about the center
  const Vector3 c =
      derivative_check::quadruped().joints[static_cast<std::size_t>(joint)].inertia.center;
  const Matrix3 at_center = -cross_matrix(c) * cross_matrix(c);
  Eigen::VectorXd change = Eigen::VectorXd::Zero(10 * given.model.num_bodies());
  change.segment<10>(10 * body) << 1.0, c.x(), c.y(), c.z(), at_center(0, 0), at_center(0, 1),
      at_center(1, 1), at_center(0, 2), at_center(1, 2), at_center(2, 2);
  Eigen::VectorXd expected = (robot(joint, h, 0.0).run().state.v -
                              robot(joint, -h, 0.0).run().state.v) /
                             (2 * h);
  EXPECT_LT((derivative.jacobians(StepParameter::inertia).dv * change - expected).norm(),
            1e-6 * expected.norm());
  expected = (robot(joint, 0.0, of_gravity).run().state.v -
              robot(joint, 0.0, -of_gravity).run().state.v) /
             (2 * of_gravity);
  EXPECT_LT((derivative.jacobians(StepParameter::gravity).dv.col(1) - expected).norm(),
            1e-6 * expected.norm());
}

TEST(StepParameters, Gravity) {
  for (int i = 0; i < 3; ++i)
    expect_parameter(
        Scene::slides, StepParameter::gravity, i,
        [](Parameters& p, int k) -> double& { return p.gravity[k]; }, 1e-2);
}

TEST(StepParameters, PositionCorrection) {
  expect_parameter(
      Scene::penetrates, StepParameter::position_correction, 0,
      [](Parameters& p, int) -> double& { return p.options.position_correction; }, 1e-6);
  expect_parameter(
      Scene::penetrates, StepParameter::slop, 0,
      [](Parameters& p, int) -> double& { return p.options.slop; }, 1e-8);
}

/// Compares with differences of steps that are longer and shorter.
void expect_by_time(const Case& given, double h, double tolerance) {
  const testing::TrapsOff pinocchio_divides_by_zero;
  Case longer = given, shorter = given;
  longer.dt += h;
  shorter.dt -= h;
  const StepResult here = given.run();
  const StepDerivative derivative = step_derivative(here, {.parameters = {StepParameter::dt}});
  EXPECT_EQ(here.status, StepStatus::converged) << here.solution.residual;
  EXPECT_TRUE(derivative.smooth()) << derivative.mode_margin();
  const State ahead = longer.run().state, behind = shorter.run().state;
  const Eigen::VectorXd dq = position_maps(given.model, here.state.q).tangent_by_numbers *
                             (ahead.q - behind.q) / (2 * h),
                        dv = (ahead.v - behind.v) / (2 * h);
  const StepParameterJacobians found = derivative.jacobians(StepParameter::dt);
  EXPECT_GT(dv.norm(), 0.0);
  EXPECT_LT((found.dq - dq).norm(), tolerance * dq.norm());
  EXPECT_LT((found.dv - dv).norm(), tolerance * dv.norm());
}

TEST(StepParameters, LengthOfTheStepOfABody) {
  for (const Scene kind : {Scene::slides, Scene::bounces, Scene::yields, Scene::penetrates})
    expect_by_time(scene(kind, {}), 1e-8, 1e-6);
}

TEST(StepParameters, LengthOfTheStepOfARobotWithSpringsAndDampers) {
  RobotDescription description = derivative_check::quadruped();
  for (std::size_t i = 1; i < description.joints.size(); ++i) {
    description.joints[i].damping = 0.3;
    description.joints[i].stiffness = 40.0;
    description.joints[i].rest_position = 0.05;
  }
  for (const double height : {-1e-3, 0.3}) {
    ModelBuilder builder;
    builder.add_ground({.friction = 0.7});
    builder.add_robot(description, {});
    Case given{builder.build(), {}, {}};
    given.state = given.model.state();
    Eigen::VectorXd posture = Eigen::VectorXd::Zero(given.model.nv());
    for (int leg = 0; leg < 4; ++leg)
      posture.segment<3>(6 + 3 * leg) << 0.05 * (leg + 1), 0.6 + 0.01 * leg, -1.2;
    given.state.q = given.model.integrate(given.state.q, posture);
    double lowest = 1e9;
    const std::vector<Pose> poses = given.model.geometry_poses(given.state.q);
    for (std::size_t i = 1; i < poses.size(); ++i)
      lowest = std::min(lowest, poses[i].translation.z() - 0.02);
    given.state.q[2] += height - lowest;
    given.state.v = Eigen::VectorXd::LinSpaced(given.model.nv(), -0.6, 0.9);
    given.state.v[2] = -0.7;
    expect_by_time(given, 1e-8, 1e-6);
  }
}

// -------------------------------------------------------------------------------------------------
// surfaces on the border of their rules
bool is_smooth(const Case& given, StepParameter parameter) {
  const StepResult result = given.run();
  EXPECT_TRUE(step_derivative(result).smooth());
  return step_derivative(result, {.parameters = {parameter}}).smooth();
}

/// Change of the next velocity from a parameter of the body that is 0 to one of `size`.
double jump(Scene kind, const Parameters& from, const Parameters& to) {
  return (scene(kind, to).run().state.v - scene(kind, from).run().state.v).norm();
}

TEST(StepParameters, FrictionThatBegins) {
  Parameters smooth_ground, little;
  smooth_ground.ground.friction = 0.0;
  EXPECT_FALSE(is_smooth(scene(Scene::slides, smooth_ground), StepParameter::friction));
  EXPECT_TRUE(is_smooth(scene(Scene::slides, {}), StepParameter::friction));
  // the mean of both coefficients has no slope at 0
  const double h = 1e-8;
  little.ground.friction = h;
  EXPECT_GT(jump(Scene::slides, smooth_ground, little), 1e3 * h);
}

TEST(StepParameters, RestitutionThatBegins) {
  Parameters little;
  little.body.restitution = 1e-9;
  EXPECT_FALSE(is_smooth(scene(Scene::slides, {}), StepParameter::restitution));
  // a gap of 1e-5 m is closed in the step, and by a bounce it is not
  EXPECT_GT(jump(Scene::slides, {}, little), 1e-3);
  Parameters both;
  both.ground.restitution = both.body.restitution = 0.4;
  EXPECT_FALSE(is_smooth(scene(Scene::slides, both), StepParameter::restitution));
  // what does not come near fast enough would not bounce
  Case slow = scene(Scene::penetrates, {});
  slow.state.v.setZero();
  EXPECT_TRUE(is_smooth(slow, StepParameter::restitution));
}

TEST(StepParameters, ComplianceThatBegins) {
  Parameters little;
  little.body.compliance = 1e-12;
  EXPECT_FALSE(is_smooth(scene(Scene::penetrates, {}), StepParameter::compliance));
  EXPECT_GT(jump(Scene::penetrates, {}, little), 0.1);
  // gaps have one rule for both, and so has penetration that is taken back at once
  EXPECT_TRUE(is_smooth(scene(Scene::slides, {}), StepParameter::compliance));
  Parameters at_once;
  at_once.options.position_correction = 1.0;
  at_once.options.slop = 0.0;
  EXPECT_TRUE(is_smooth(scene(Scene::penetrates, at_once), StepParameter::compliance));
}

/// An open contact in penetration, on its way out: surfaces that yield would throw it back.
TEST(StepParameters, OpenContactsThatWouldClose) {
  Case given = scene(Scene::penetrates, {});
  const auto leave = [&](double speed) {
    const Matrix3 R = rotation_exponential({0.4, -1.0, 0.7});
    given.state.v << R.transpose() * Vector3(0.0, 0.0, speed), Vector3::Zero();
  };
  leave(0.5);  // 1e-3 m in 1e-3 s is 1 m/s
  EXPECT_FALSE(is_smooth(given, StepParameter::compliance));
  leave(2.0);
  EXPECT_TRUE(is_smooth(given, StepParameter::compliance));
  EXPECT_TRUE(is_smooth(given, StepParameter::friction));
}

TEST(StepParameters, NamesAndSizes) {
  const Case given = scene(Scene::slides, {});
  EXPECT_EQ(to_string(StepParameter::inertia), "inertia");
  EXPECT_EQ(parameter_size(given.model, StepParameter::friction), 2);
  EXPECT_EQ(parameter_size(given.model, StepParameter::inertia), 20);
  EXPECT_EQ(parameter_size(given.model, StepParameter::gravity), 3);
  EXPECT_EQ(parameter_size(given.model, StepParameter::slop), 1);
  EXPECT_EQ(to_string(StepParameter::dt), "dt");
  EXPECT_EQ(parameter_size(given.model, StepParameter::dt), 1);
}

}  // namespace
}  // namespace tactum::sim::step_parameters_test
