// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of steps against central differences, mode by mode, and against closed forms.
#include "tactum/sim/step_derivative.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "sim/derivative_check.hpp"
#include "sim/robot_files.hpp"
#include "support/repetitions.hpp"

namespace tactum::sim::step_derivative_test {
namespace {

using derivative_check::Case;
using derivative_check::exact_options;
using derivative_check::expect_derivative;
using derivative_check::expect_mode;
using derivative_check::largest_error;
using derivative_check::numerical_jacobians;
using scenes::at;
using scenes::ball;
using scenes::body;
using scenes::cube;
using scenes::random_rotation;
using scenes::random_vector;
using testing::repetitions;

Shape hull(std::uint32_t seed) {
  std::mt19937 random(seed);
  Points points(3, 20);
  for (int i = 0; i < 20; ++i) points.col(i) = random_vector(random, 0.1);
  return Shape{Convex::from_points(points)};
}

BodyOptions lopsided(const Pose& X, const Surface& surface = {}) {
  BodyOptions options;
  Matrix3 inertia;
  inertia << 0.012, 0.001, -0.002, 0.001, 0.015, 0.0005, -0.002, 0.0005, 0.009;
  options.inertia = BodyInertia{1.5, {0.01, -0.02, 0.015}, inertia};
  options.X = X;
  options.surface = surface;
  return options;
}

/// One body on the ground, at a distance from it, with a velocity in the world.
Case on_ground(const Shape& shape, const Matrix3& rotation, double distance, const Vector3& linear,
               const Vector3& angular, const Surface& surface = {.friction = 0.6}) {
  ModelBuilder builder;
  builder.add_ground(surface);
  const double lowest = shape.support(rotation.transpose() * -Vector3::UnitZ())
                            .dot(rotation.transpose() * Vector3::UnitZ());
  builder.add_body(shape, lopsided({rotation, {0.1, -0.2, distance - lowest}}));
  Case out{builder.build(), {}, {}};
  out.state = out.model.state();
  out.state.v << rotation.transpose() * linear, rotation.transpose() * angular;
  out.tau = Eigen::VectorXd::LinSpaced(6, -0.2, 0.3);
  return out;
}

TEST(StepDerivative, FreeFlightOfASpinningBodyIsExact) {
  std::mt19937 random(1);
  ModelBuilder builder;
  builder.add_body(cube(0.1), lopsided({random_rotation(random), {0, 0, 5}}));
  Case given{builder.build(), {}, Eigen::VectorXd::LinSpaced(6, -1.0, 1.0), 1e-2};
  given.state = given.model.state();
  given.state.v << 1.0, -2.0, 0.5, 6.0, -4.0, 9.0;
  expect_derivative(given);
}

TEST(StepDerivative, ContactThatStaysApartDoesNotCount) {
  const Case given = on_ground(ball(0.1), Matrix3::Identity(), 1.2e-3, {0, 0, -1}, {1, 2, 3});
  expect_mode(given, ContactMode::breaking);
  expect_derivative(given);
}

TEST(StepDerivative, EllipsoidThatSticks) {
  std::mt19937 random(2);
  const Shape shape{Ellipsoid{.semi_axes = {0.1, 0.06, 0.14}}};
  const Case given = on_ground(shape, random_rotation(random), -1e-3, {0.0, 0.0, -0.5}, {});
  expect_mode(given, ContactMode::sticking);
  expect_derivative(given);
}

TEST(StepDerivative, EllipsoidThatSlidesAndSpins) {
  std::mt19937 random(3);
  const Shape shape{Ellipsoid{.semi_axes = {0.1, 0.06, 0.14}}};
  const Case given = on_ground(shape, random_rotation(random), 1e-4, {2.0, -1.0, -0.7}, {5, -3, 8});
  expect_mode(given, ContactMode::sliding);
  expect_derivative(given);
}

TEST(StepDerivative, FrozenContactsMissMostOfIt) {
  std::mt19937 random(3);
  const Shape shape{Ellipsoid{.semi_axes = {0.1, 0.06, 0.14}}};
  const Case given = on_ground(shape, random_rotation(random), 1e-4, {2.0, -1.0, -0.7}, {5, -3, 8});
  const StepResult result = given.run();
  const StepJacobians exact = step_derivative(result).jacobians(),
                      frozen = step_derivative(result, {.frozen_contacts = true}).jacobians();
  EXPECT_GT(largest_error(frozen, exact, given.dt), 0.01);
}

TEST(StepDerivative, FrozenContactsAreSmoothWhereTheStepIs) {
  const testing::TrapsOff converges_on_an_edge;
  // a box on an edge has two points that are at the border of its features
  const Case edge = on_ground(cube(0.1),
                              Eigen::AngleAxisd(0.05, Vector3::UnitY()).toRotationMatrix(), -1e-4,
                              {0.3, 0.1, -0.5}, {});
  const StepResult result = edge.run();
  const bool is_exact_smooth = step_derivative(result).smooth();
  EXPECT_FALSE(is_exact_smooth);
  EXPECT_EQ(step_derivative(result, {.frozen_contacts = true}).smooth(), is_exact_smooth);
}

TEST(StepDerivative, EllipsoidThatBounces) {
  std::mt19937 random(4);
  const Shape shape{Ellipsoid{.semi_axes = {0.1, 0.06, 0.14}}};
  const Surface rubber{.friction = 0.3, .restitution = 0.7};
  const Case given = on_ground(shape, random_rotation(random), 1e-4, {1.0, 0.4, -2.0}, {1, -3, 2},
                               rubber);
  expect_derivative(given);
}

TEST(StepDerivative, CompliantContact) {
  std::mt19937 random(5);
  const Shape shape{Capsule{.radius = 0.05, .half_length = 0.1}};
  const Surface soft{.friction = 0.8, .compliance = 1e-5};
  const Case given = on_ground(shape, random_rotation(random), -1e-4, {0.01, 0.0, -0.1}, {}, soft);
  expect_derivative(given);
}

TEST(StepDerivative, FrictionlessContact) {
  std::mt19937 random(6);
  const Case given = on_ground(hull(7), random_rotation(random), -1e-4, {1.0, 0.3, -0.2},
                               {1, 2, -1}, {.friction = 0.0});
  expect_derivative(given);
}

TEST(StepDerivative, BoxFlatOnTheGroundIsHyperstaticButMovesUniquely) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.9});
  builder.add_body(cube(0.1), body(2.0, at(0, 0, 0.1 + 2e-6)));
  Case given{builder.build(), {}, Eigen::VectorXd::Zero(6)};
  given.state = given.model.state();
  given.tau << 1.0, 2.0, 0.0, 0.1, 0.0, 0.2;
  expect_mode(given, ContactMode::sticking);
  const StepDerivative derivative = step_derivative(given.run());
  EXPECT_EQ(derivative.rule(), HyperstaticRule::minimum_norm);
  expect_derivative(given, 1e-5, 1e-7);
}

TEST(StepDerivative, BoxThatSpinsWhileItSlidesHasNoUniqueForces) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  builder.add_body(cube(0.1), body(2.0, at(0, 0, 0.1 - 1e-3)));
  Case given{builder.build(), {}, {}};
  given.state = given.model.state();
  given.state.v << 1.0, 0.0, 0.0, 0.0, 0.0, 8.0;
  expect_mode(given, ContactMode::sliding);
  EXPECT_FALSE(step_derivative(given.run()).smooth());
}

TEST(StepDerivative, CompliantBoxThatSpinsWhileItSlides) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5, .compliance = 1e-6});
  builder.add_body(cube(0.1), body(2.0, at(0, 0, 0.1 - 1e-5)));
  Case given{builder.build(), {}, {}};
  given.state = given.model.state();
  given.state.v << 1.0, 0.2, 0.0, 0.0, 0.0, 8.0;
  expect_mode(given, ContactMode::sliding);
  expect_derivative(given);
}

/// Two bodies that touch: A rests on the ground, B comes down on it.
Case two_bodies(const Shape& a, const Shape& b, std::uint32_t seed, double depth) {
  std::mt19937 random(seed);
  const Pose X_A{random_rotation(random), {0, 0, 1}};
  const Vector3 direction = random_vector(random, 1.0).normalized();
  Pose X_B{random_rotation(random), X_A.translation + 2.0 * direction};
  const Distance apart = distance(a, X_A, b, X_B);
  X_B.translation -= (apart.distance + depth) * apart.normal;
  ModelBuilder builder;
  builder.add_body(a, lopsided(X_A, {.friction = 0.4}));
  builder.add_body(b, lopsided(X_B, {.friction = 0.9}));
  Case out{builder.build(), {}, Eigen::VectorXd::LinSpaced(12, -0.5, 0.5)};
  out.state = out.model.state();
  for (int i = 0; i < 12; i += 3) out.state.v.segment<3>(i) = random_vector(random, 1.0);
  out.state.v.segment<3>(6) -= 2.0 * X_B.rotation.transpose() * apart.normal;
  return out;
}

TEST(StepDerivative, PairsOfShapes) {
  Points corners(3, 4);
  corners << 0.1, -0.1, 0.0, 0.0, 0.0, 0.02, 0.1, 0.0, 0.0, 0.0, 0.0, 0.1;
  const Shape ellipsoid{Ellipsoid{.semi_axes = {0.1, 0.06, 0.14}}},
      capsule{Capsule{.radius = 0.05, .half_length = 0.1}},
      box = cube(0.1), stp{Stp::from_points(corners, {.small_radius = 0.01, .big_radius = 0.5})};
  const Shape shapes[] = {ellipsoid, capsule, box, hull(11), stp};
  std::uint32_t seed = 20;
  for (const Shape& a : shapes)
    for (const Shape& b : shapes) {
      SCOPED_TRACE(seed);
      expect_derivative(two_bodies(a, b, seed++, 1e-4));
    }
}

TEST(StepDerivative, RandomStatesAgreeWithDifferencesOrSaySo) {
  std::mt19937 random(77);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const Shape shapes[] = {Shape{Ellipsoid{.semi_axes = {0.1, 0.06, 0.14}}}, cube(0.1), hull(5),
                          Shape{Capsule{.radius = 0.05, .half_length = 0.1}}};
  int compared = 0, sliding = 0, sticking = 0, breaking = 0;
  for (int i = 0; i < repetitions(300); ++i) {
    const Surface surface{.friction = 0.5 + 0.4 * uniform(random),
                          .restitution = i % 3 == 0 ? 0.5 : 0.0,
                          .compliance = i % 5 == 0 ? 1e-5 : 0.0};
    const Case given = on_ground(shapes[i % 4], random_rotation(random), 3e-4 * uniform(random),
                                 random_vector(random, 1.0), random_vector(random, 4.0), surface);
    const StepResult result = given.run();
    const StepDerivative derivative = step_derivative(result);
    // central differences need a state that stays in its modes over their step
    if (!derivative.smooth() || derivative.mode_margin() < 1e-2) continue;
    ++compared;
    for (const StepContact& contact : result.contacts) {
      sliding += contact.mode == ContactMode::sliding ? 1 : 0;
      sticking += contact.mode == ContactMode::sticking ? 1 : 0;
      breaking += contact.mode == ContactMode::breaking ? 1 : 0;
    }
    EXPECT_LT(largest_error(derivative.jacobians(), numerical_jacobians(given), given.dt), 1e-5)
        << i;
  }
  EXPECT_GT(compared, repetitions(300) / 3);
  EXPECT_GT(sliding, repetitions(300) / 30);
  EXPECT_GT(sticking, repetitions(300) / 30);
  EXPECT_GT(breaking, repetitions(300) / 30);
}

/// Every solver whose equations have a derivative, each against differences of its own steps.
TEST(StepDerivative, EverySolver) {
  std::mt19937 random(12);
  const Shape shape{Ellipsoid{.semi_axes = {0.1, 0.06, 0.14}}};
  const Matrix3 rotation = random_rotation(random);
  const Case sticks = on_ground(shape, rotation, -1e-3, {0.0, 0.0, -0.5}, {}),
             slides = on_ground(shape, rotation, 1e-4, {2.0, -1.0, -0.7}, {5, -3, 8}),
             yields = on_ground(shape, rotation, -1e-4, {0.01, 0.0, -0.1}, {},
                                {.friction = 0.8, .compliance = 1e-5}),
             bounces = on_ground(shape, rotation, 1e-4, {1.0, 0.4, -2.0}, {1, -3, 2},
                                 {.friction = 0.3, .restitution = 0.7});
  for (int i = 0; i < contact_solver_count; ++i) {
    const auto solver = static_cast<ContactSolver>(i);
    if (solver == ContactSolver::raisim) continue;
    for (const Case& each : {sticks, slides, yields, bounces}) {
      SCOPED_TRACE(to_string(solver));
      Case given = each;
      given.options.solver = solver;
      expect_derivative(given);
    }
  }
}

// -------------------------------------------------------------------------------------------------
// robots
TEST(StepDerivative, ArmAtItsLimitWithSpringDampingAndDryFriction) {
  ModelBuilder builder;
  builder.add_urdf(robot_files::path("arm.urdf"),
                   {.package_dirs = {std::string(TACTUM_TEST_DATA)}, .geometries = false});
  Case given{builder.build(), {}, {}};
  given.state = given.model.state();
  const int nv = given.model.nv();
  given.tau = Eigen::VectorXd::LinSpaced(nv, -2.0, 3.0);
  given.state.q = given.model.integrate(given.state.q, Eigen::VectorXd::LinSpaced(nv, 0.3, -0.8));
  given.state.v = Eigen::VectorXd::LinSpaced(nv, -1.0, 2.0);
  expect_derivative(given);
  given.state.q[0] = 1.5 + 1e-4;  // beyond the limit of the shoulder
  given.state.v[0] = 1.0;
  EXPECT_GT(given.run().joint_force.size(), 0U);
  expect_derivative(given);
  given.state.q[0] = 1.5 - 1e-4;  // it reaches the limit in this step
  expect_derivative(given);
}

Case standing_quadruped(double height, const Vector3& linear) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.7});
  builder.add_robot(derivative_check::quadruped(), {});
  Case given{builder.build(), {}, {}};
  given.state = given.model.state();
  const int nv = given.model.nv();
  Eigen::VectorXd posture = Eigen::VectorXd::Zero(nv);
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(-0.05, 0.05);
  for (int leg = 0; leg < 4; ++leg)
    posture.segment<3>(6 + 3 * leg) << 0.05 * (leg + 1), 0.6 + uniform(random),
        -1.2 + uniform(random);
  given.state.q = given.model.integrate(given.state.q, posture);
  const std::vector<Pose> poses = given.model.geometry_poses(given.state.q);
  double lowest = 1e9;
  for (int i = 1; i < given.model.num_geometries(); ++i)
    lowest = std::min(lowest, poses[static_cast<std::size_t>(i)].translation.z() - 0.02);
  given.state.q[2] += height - lowest;
  for (int i = 6; i < nv; ++i) given.state.v[i] = uniform(random);
  given.state.v.head<3>() = linear;
  given.state.v.segment<3>(3) << 0.1, -0.05, 0.2;
  given.tau = Eigen::VectorXd::LinSpaced(nv, -0.3, 0.4);
  given.tau.head<6>().setZero();
  return given;
}

TEST(StepDerivative, QuadrupedThatLands) {
  expect_derivative(standing_quadruped(-0.02, {0.0, 0.0, -0.3}));
}

TEST(StepDerivative, QuadrupedThatSlides) {
  expect_derivative(standing_quadruped(-0.02, {3.0, 1.0, -0.3}));
}

TEST(StepDerivative, QuadrupedInFlight) {
  Case given = standing_quadruped(1.0, {1.0, 2.0, 3.0});
  given.state.v.segment<3>(3) << 3.0, -5.0, 4.0;
  expect_derivative(given);
}

// -------------------------------------------------------------------------------------------------
// closed forms
TEST(StepDerivative, TwoBallsPassTheirVelocityOn) {
  ModelBuilder builder(Vector3::Zero());
  for (int i = 0; i < 2; ++i) {
    BodyOptions options = body(1.0, at(0.2 * i, 0, 0));
    options.surface = {.friction = 0.0, .restitution = 1.0};
    builder.add_body(ball(0.1), options);
  }
  Case given{builder.build(), {}, {}};
  given.options.slop = 0.0;
  given.options.position_correction = 1.0;
  given.state = given.model.state();
  given.state.v[0] = 1.0;
  const StepJacobians J = step_derivative(given.run()).jacobians();
  EXPECT_NEAR(J.dv_dv(0, 0), 0.0, 1e-12);
  EXPECT_NEAR(J.dv_dv(0, 6), 1.0, 1e-12);
  EXPECT_NEAR(J.dv_dv(6, 0), 1.0, 1e-12);
  EXPECT_NEAR(J.dv_dv(6, 6), 0.0, 1e-12);
}

TEST(StepDerivative, RollingBallFollowsItsCenter) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.6});
  builder.add_body(ball(0.1), body(1.0, at(0, 0, 0.1 - 1e-4)));
  Case given{builder.build(), {}, {}};
  given.state = given.model.state();
  given.state.v << 1.0, 0.0, 0.0, 0.0, 10.0, 0.0;
  expect_mode(given, ContactMode::sticking);
  // a push of the center is shared with the rotation as 5 to 2
  const StepJacobians J = step_derivative(given.run()).jacobians();
  EXPECT_NEAR(std::hypot(J.dv_dv(0, 0), J.dv_dv(2, 0)), 5.0 / 7.0, 1e-3);
  EXPECT_NEAR(J.dv_dtau(4, 4), given.dt / (0.4 * 0.01 + 0.01), 1e-3 * J.dv_dtau(4, 4));
}

// -------------------------------------------------------------------------------------------------
// bad input and borders
TEST(StepDerivative, RefusesWhatItCannotDo) {
  const testing::TrapsOff compares_a_nan;
  ModelBuilder builder;
  builder.add_body(cube(0.1), body(2.0, at(0, 0, 1)));
  const Model model = builder.build();
  EXPECT_THROW(step_derivative(step(model, model.state(), {}, 1e-3)), InvalidInput);
  StepOptions options = exact_options();
  options.solver = ContactSolver::raisim;
  EXPECT_THROW(step_derivative(step(model, model.state(), {}, 1e-3, options)), InvalidInput);
  options.solver = ContactSolver::ncp_admm;
  const StepDerivative derivative = step_derivative(step(model, model.state(), {}, 1e-3, options));
  EXPECT_THROW(derivative.jvp({.q = Eigen::VectorXd::Zero(5)}), InvalidInput);
  EXPECT_THROW(derivative.jvp({.v = Eigen::VectorXd::Constant(6, NAN)}), InvalidInput);
  EXPECT_THROW(derivative.vjp({.q = Eigen::VectorXd::Zero(7)}), InvalidInput);
  EXPECT_THROW(derivative.jacobians(StepParameter::gravity), InvalidInput);
}

TEST(StepDerivative, BoxThatTouchesIsOnTheBorderOfTwoRules) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.8});
  builder.add_body(cube(0.1), body(2.0, at(0, 0, 0.1)));
  Case given{builder.build(), {}, {}};
  given.state = given.model.state();
  EXPECT_FALSE(step_derivative(given.run()).smooth());
  given.options.position_correction = 1.0;  // one rule for gaps and for penetration
  given.options.slop = 0.0;
  EXPECT_TRUE(step_derivative(given.run()).smooth());
}

}  // namespace
}  // namespace tactum::sim::step_derivative_test
