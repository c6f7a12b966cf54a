// SPDX-License-Identifier: BSD-2-Clause
// Products of the derivative of a step with random changes, against differences of the step, in
// random states that touch.
//
// Reference  Central differences of fourth order of next q and v, along a change of q and along one
//            of v and tau. It is known where the two of second order that it is made of agree, and
//            no end has other modes than the step itself; a shorter difference is tried where they
//            do not. The derivative is not looked at.
// Judgement  A state fails where a reference is not known, or is another than the product by more
//            than kGoal. Every state that fails must be flagged: `smooth` false, or `mode_margin`
//            below kNear. States that are flagged and do not fail are counted too.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "mesh/mesh_fixtures.hpp"
#include "sim/derivative_check.hpp"

namespace tactum::sim::step_differences {

using derivative_check::Case;
using scenes::random_rotation;
using scenes::random_vector;

constexpr double kGoal = 1e-6;    // relative error
constexpr double kKnown = 1e-4;   // of the second order, whose square is the error of the fourth
constexpr double kExact = 1e-11;  // residual of the forces at the ends
constexpr double kNear = 1e-2;    // mode_margin below which ends of differences may cross a border
constexpr double kFloor = 1e-3;   // share of the change without contact that is no error yet

// -------------------------------------------------------------------------------------------------
// differences
struct Reference {
  StepOutputTangent change;
  bool known = true;
};

inline Eigen::VectorXd random_numbers(std::mt19937& random, Eigen::Index size) {
  std::normal_distribution<double> normal;
  return Eigen::VectorXd::NullaryExpr(size, [&] { return normal(random); });
}

/// Largest difference, relative to the largest number or to `floor`.
inline double relative(const Eigen::VectorXd& x, const Eigen::VectorXd& y, double floor) {
  return (x - y).cwiseAbs().maxCoeff() / std::max(floor, y.cwiseAbs().maxCoeff());
}

inline double error(const StepOutputTangent& x, const StepOutputTangent& y, double size,
                    double dt) {
  return std::max(relative(x.q, y.q, kFloor * dt * size), relative(x.v, y.v, kFloor * size));
}

/// Modes of what carries a force: a contact that is open may as well be out of reach. A point on an
/// edge that two triangles share is found once or twice, as rounding has it, and counts once.
inline std::vector<ContactMode> modes_that_count(const StepResult& result) {
  std::vector<ContactMode> out;
  const std::vector<StepContact>& contacts = result.contacts;
  const auto is_repeated = [&](std::size_t i) {
    for (std::size_t k = 0; k < i; ++k)
      if (contacts[k].mode == contacts[i].mode &&
          contacts[k].geometry_b == contacts[i].geometry_b &&
          (contacts[k].point - contacts[i].point).norm() < 1e-6)
        return true;
    return false;
  };
  for (std::size_t i = 0; i < result.solution.modes.size(); ++i)
    if (result.solution.modes[i] != ContactMode::breaking &&
        (i >= contacts.size() || !is_repeated(i)))
      out.push_back(result.solution.modes[i]);
  return out;
}

/// The step from a state that is moved along a change.
inline StepResult moved_step(const Case& given, const StepInputTangent& change, double by) {
  Case moved = given;
  moved.options.tape = false;
  if (change.q.size() > 0) moved.state.q = given.model.integrate(given.state.q, by * change.q);
  if (change.v.size() > 0) moved.state.v += by * change.v;
  if (change.tau.size() > 0) {
    if (moved.tau.size() == 0) moved.tau.setZero(given.model.nv());
    moved.tau += by * change.tau;
  }
  return moved.run();
}

/// `size` is that of the change without contact.
inline Reference reference(const Case& given, const StepResult& here,
                           const StepInputTangent& change, double size, double h) {
  const Eigen::MatrixXd tangent = position_maps(given.model, here.state.q).tangent_by_numbers;
  Reference out;
  std::array<StepOutputTangent, 2> of_second_order;
  for (std::size_t k = 0; k < 2; ++k) {
    const double by = k == 0 ? h : 2.0 * h;
    const StepResult plus = moved_step(given, change, by), minus = moved_step(given, change, -by);
    for (const StepResult* each : {&plus, &minus})
      out.known &= each->solution.residual <= kExact && each->corrected == here.corrected &&
                   modes_that_count(*each) == modes_that_count(here);
    of_second_order[k] = {tangent * (plus.state.q - minus.state.q) / (2.0 * by),
                          (plus.state.v - minus.state.v) / (2.0 * by)};
  }
  const auto& [near, wide] = of_second_order;
  out.change = {(4.0 * near.q - wide.q) / 3.0, (4.0 * near.v - wide.v) / 3.0};
  out.known &= error(wide, near, size, given.dt) <= kKnown;
  return out;
}

/// The error of the product with a change; infinite where no difference is known.
inline double product_error(const Case& given, const StepResult& here,
                            const StepDerivative& derivative, const StepInputTangent& change,
                            double size, double h) {
  for (const double shorter : {1.0, 0.1, 0.01}) {
    const Reference expected = reference(given, here, change, size, shorter * h);
    if (expected.known) return error(derivative.jvp(change), expected.change, size, given.dt);
  }
  return std::numeric_limits<double>::infinity();
}

// -------------------------------------------------------------------------------------------------
// judging
struct Tally {
  int states = 0, failed = 0, flagged = 0;
  int unflagged_failures = 0;
  double worst = 0.0;             ///< error of states that are not flagged
  std::array<int, 3> modes = {};  ///< contacts of states that do not fail, in the order of kModes
  int limits = 0;                 ///< states that do not fail with a joint at its limit
  static constexpr std::array<ContactMode, 3> kModes = {
      ContactMode::breaking, ContactMode::sticking, ContactMode::sliding};
};

inline void judge(const Case& given, std::mt19937& random, Tally& tally) {
  const int nv = given.model.nv();
  const StepResult here = given.run();
  const StepDerivative derivative = step_derivative(here);
  StepInputTangent by_q, by_v;
  by_q.q = random_numbers(random, nv);
  by_v.v = random_numbers(random, nv);
  by_v.tau = random_numbers(random, nv);
  const double off = std::max(product_error(given, here, derivative, by_q, 1.0 / given.dt, 1e-6),
                              product_error(given, here, derivative, by_v, 1.0, 1e-5));
  const bool is_flagged = !derivative.smooth() || derivative.mode_margin() < kNear,
             fails = !(off <= kGoal);
  ++tally.states;
  tally.flagged += is_flagged ? 1 : 0;
  tally.failed += fails ? 1 : 0;
  tally.unflagged_failures += fails && !is_flagged ? 1 : 0;
  if (!is_flagged) tally.worst = std::max(tally.worst, off);
  if (fails) return;
  for (std::size_t i = 0; i < here.contacts.size(); ++i)
    for (std::size_t k = 0; k < Tally::kModes.size(); ++k)
      tally.modes[k] += here.contacts[i].mode == Tally::kModes[k] ? 1 : 0;
  for (const double force : here.joint_force) tally.limits += force != 0.0 ? 1 : 0;
}

// -------------------------------------------------------------------------------------------------
// states
inline const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names = {"ellipsoid", "capsule", "box", "hull", "stp"};
  return names;
}

inline Shape shape(const std::string& name) {
  Points corners(3, 6);
  corners << 0.09, -0.05, -0.06, 0.03, -0.04, 0.05,  //
      0.0, 0.08, -0.07, 0.05, 0.02, -0.06,           //
      -0.05, -0.06, -0.04, 0.07, 0.09, 0.05;
  if (name == "ellipsoid") return Ellipsoid{.semi_axes = {0.1, 0.06, 0.08}};
  if (name == "capsule") return Capsule{.radius = 0.05, .half_length = 0.08};
  if (name == "box") return Box{.half_extents = {0.08, 0.06, 0.05}};
  if (name == "hull") return Convex::from_points(corners);
  return Stp::from_points(corners, {.small_radius = 0.01, .big_radius = 1.0});
}

/// What a body touches: a plane, another body that is free as well, or a mesh.
enum class Partner { plane, body, mesh };

inline BodyOptions lopsided(const Pose& X, const Surface& surface) {
  BodyOptions options;
  Matrix3 inertia;
  inertia << 0.012, 0.001, -0.002, 0.001, 0.015, 0.0005, -0.002, 0.0005, 0.009;
  options.inertia = BodyInertia{1.5, {0.01, -0.02, 0.015}, inertia};
  options.X = X;
  options.surface = surface;
  return options;
}

/// A body within 3e-4 m of what it touches, that sticks, slides, bounces, leaves or yields.
inline Case touching(const Shape& moving, Partner partner, const Shape& other, int kind,
                     std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto between = [&](double low, double high) {
    return low + (high - low) * uniform(random);
  };
  struct Kind {
    double friction, restitution, compliance, approach, slide;
  };
  const Kind kinds[] = {{1.2, 0.0, 0.0, 0.6, 0.05},
                        {0.25, 0.0, 0.0, 0.4, 1.5},
                        {0.4, 0.6, 0.0, 1.0, 0.8},
                        {0.5, 0.0, 0.0, -0.6, 0.5},
                        {0.5, 0.0, 1e-5, 0.3, 0.5}};
  // how much a mesh yields is up to how often a shared edge counts
  const Kind& wanted = kinds[kind % (partner == Partner::mesh ? 4 : 5)];
  const Surface surface{.friction = wanted.friction,
                        .restitution = wanted.restitution,
                        .compliance = wanted.compliance};
  const Geometry on = partner == Partner::plane ? Geometry(Shape(HalfSpace{}))
                      : partner == Partner::body
                          ? Geometry(other)
                          : Geometry(tactum::testing::torus_mesh(0.4, 0.15, 14, 9).solid());
  const Pose X_A{partner == Partner::plane ? Matrix3(Matrix3::Identity()) : random_rotation(random),
                 {0.1, -0.2, 0.3}};
  Vector3 direction = random_vector(random, 1.0).normalized();
  if (partner == Partner::plane) direction.z() = std::abs(direction.z()) + 0.3;
  Pose X_B{random_rotation(random), X_A.translation + 2.0 * direction};
  GeometryDistance apart = distance(on, X_A, moving, X_B);
  // the features that are nearest from afar are corners: those that overlap first are others
  X_B.translation -= (apart.distance + 0.004) * apart.normal;
  apart = distance(on, X_A, moving, X_B);
  X_B.translation += (between(-3e-4, 3e-4) - apart.distance) * apart.normal;
  ModelBuilder builder;
  if (partner == Partner::body)
    builder.add_body(on, lopsided(X_A, surface));
  else
    builder.add_fixed(on, X_A, surface);
  builder.add_body(moving, lopsided(X_B, surface));
  Case out{builder.build(), {}, {}};
  const int nv = out.model.nv();
  out.state = out.model.state();
  out.tau = 0.3 * random_numbers(random, nv);
  for (int at = 0; at < nv; at += 6) out.state.v.segment<3>(at + 3) = random_vector(random, 1.0);
  const Vector3 across = random_vector(random, 1.0).cross(apart.normal).normalized(),
                linear = -wanted.approach * between(0.7, 1.3) * apart.normal +
                         wanted.slide * between(0.3, 1.0) * across;
  // the twist moves the point of contact, not the origin
  const Vector3 arm = apart.point_a - X_B.translation,
                angular = X_B.rotation * out.state.v.tail<3>();
  out.state.v.segment<3>(nv - 6) = X_B.rotation.transpose() * (linear - angular.cross(arm));
  return out;
}

/// A pendulum of two links, of which the last swings against a wall or stops at its limit.
inline Case pendulum(bool at_limit, std::mt19937& random) {
  RobotDescription robot = scenes::arm_of_links(2);
  for (RobotJoint& joint : robot.joints) joint.damping = 0.05;
  if (at_limit) {
    robot.joints[1].lower = -0.5;
    robot.joints[1].upper = 0.5;
  }
  robot.joints[1].dry_friction = 0.02;
  robot.geometries.push_back({.geometry = Shape(Capsule{.radius = 0.03, .half_length = 0.05}),
                              .joint = 1,
                              .X_JG = {random_rotation(random), {0.5, 0.0, 0.0}},
                              .surface = {.friction = 0.4}});
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Eigen::VectorXd angles(2);
  angles << 0.6 * uniform(random), 0.4 * uniform(random);
  if (at_limit) angles[1] = (angles[1] > 0.0 ? 0.5 : -0.5) + 2e-3 * uniform(random);
  ModelBuilder free_builder;
  free_builder.add_robot(robot);
  const Model alone = free_builder.build();
  const Eigen::VectorXd q = alone.integrate(alone.state().q, angles);
  const Aabb box = alone.geometry(0).aabb(alone.geometry_poses(q)[0]);
  ModelBuilder builder;
  const double gap = at_limit ? 1.0 : 3e-4 * uniform(random);
  builder.add_ground({.friction = 0.4}, Vector3::UnitZ(), box.lower.z() - gap);
  builder.add_robot(robot);
  Case out{builder.build(), {}, {}};
  out.state = out.model.state();
  out.state.q = q;
  out.tau = random_numbers(random, 2);
  out.state.v = random_numbers(random, 2);
  return out;
}

/// Two bodies in a loop with the world.
inline Case loop(std::mt19937& random) {
  ModelBuilder builder;
  const int a = builder.add_body(scenes::cube(0.1), scenes::body(1.0, scenes::at(0, 0, 1))),
            b = builder.add_body(scenes::cube(0.1), scenes::body(2.0, scenes::at(0.5, 0.1, 1.2)));
  builder.add_connection(a, b, {0.2, 0.1, 0.05});
  builder.add_connection(0, b, {0.6, 0.3, 1.3});
  Case out{builder.build(), {}, random_numbers(random, 12)};
  out.state = out.model.state();
  out.state.q = out.model.integrate(out.state.q, 0.02 * random_numbers(random, 12));
  out.state.v = random_numbers(random, 12);
  return out;
}

// -------------------------------------------------------------------------------------------------
// many states
inline Tally touching_states(Partner partner, const std::string& name, int states,
                             std::uint32_t seed) {
  std::mt19937 random(seed);
  const std::vector<std::string>& names = shape_names();
  const Shape moving = shape(name);
  Tally tally;
  for (int i = 0; i < states; ++i) {
    const Shape other = shape(names[static_cast<std::size_t>(i) % names.size()]);
    judge(touching(moving, partner, other, i / 5, random), random, tally);
  }
  return tally;
}

inline Tally pendulum_states(bool at_limit, int states, std::uint32_t seed) {
  std::mt19937 random(seed);
  Tally tally;
  for (int i = 0; i < states; ++i) judge(pendulum(at_limit, random), random, tally);
  return tally;
}

inline Tally loop_states(int states, std::uint32_t seed) {
  std::mt19937 random(seed);
  Tally tally;
  for (int i = 0; i < states; ++i) judge(loop(random), random, tally);
  return tally;
}

}  // namespace tactum::sim::step_differences
