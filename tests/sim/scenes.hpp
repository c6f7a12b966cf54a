// SPDX-License-Identifier: BSD-2-Clause
// Small scenes that several tests of the simulator use.
#pragma once

#include <Eigen/Geometry>
#include <numbers>
#include <random>
#include <string>

#include "tactum/sim/robot.hpp"
#include "tactum/sim/step.hpp"

namespace tactum::sim::scenes {

inline Shape cube(double half) { return Shape{Box{.half_extents = {half, half, half}}}; }
inline Shape ball(double radius) { return Shape{Sphere{.radius = radius}}; }

inline Pose at(double x, double y, double z) { return {Matrix3::Identity(), {x, y, z}}; }

inline BodyOptions body(double mass, const Pose& X, const std::string& name = {}) {
  BodyOptions options;
  options.mass = mass;
  options.X = X;
  options.name = name;
  return options;
}

/// An arm of links of 1 kg and 0.5 m along x, with joints about y named link0, link1, ...
inline RobotDescription arm_of_links(int count) {
  RobotDescription robot;
  for (int i = 0; i < count; ++i) {
    RobotJoint joint{.name = "link" + std::to_string(i),
                     .parent = i - 1,
                     .kind = JointKind::revolute,
                     .axis = Vector3::UnitY(),
                     .X_PJ = at(i == 0 ? 0.0 : 0.5, 0.0, 0.0)};
    joint.inertia = {1.0, {0.25, 0.0, 0.0}, Vector3(1e-3, 0.021, 0.021).asDiagonal()};
    robot.joints.push_back(joint);
  }
  return robot;
}

/// Steps a model without controls and returns the last result.
inline StepResult run(const Model& model, State state, int steps, double dt,
                      const StepOptions& options = {}) {
  StepWorkspace work;
  StepResult result;
  result.state = std::move(state);
  for (int i = 0; i < steps; ++i) {
    const State before = result.state;
    step(model, before, {}, dt, options, work, result);
  }
  return result;
}

inline Vector3 random_vector(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  return {uniform(random), uniform(random), uniform(random)};
}

inline Matrix3 random_rotation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  // arguments of a call would be drawn in an order that depends on the compiler
  const double z = normal(random), y = normal(random), x = normal(random), w = normal(random);
  return Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix();
}

}  // namespace tactum::sim::scenes
