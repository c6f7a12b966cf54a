// SPDX-License-Identifier: BSD-2-Clause
// Small scenes that several tests of the simulator use.
#pragma once

#include <Eigen/Geometry>
#include <numbers>
#include <string>

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

}  // namespace tactum::sim::scenes
