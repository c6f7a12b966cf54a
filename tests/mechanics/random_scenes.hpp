// SPDX-License-Identifier: BSD-2-Clause
// Random scenes for the simulator, and what has to hold in every step of them.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "sim/step/step_data.hpp"
#include "tactum/sim/robot.hpp"

namespace tactum::sim::random_scenes {

class RandomScene {
 public:
  explicit RandomScene(std::uint64_t seed) : random_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  /// Numbers over orders of magnitude.
  double logarithmic(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  Vector3 vector(double size) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  Pose pose(double size) {
    const Eigen::Quaterniond q = Eigen::Quaterniond(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1),
                                                    uniform(-1, 1))
                                     .normalized();
    return {q.toRotationMatrix(), vector(size)};
  }

  Shape shape() {
    const double a = logarithmic(0.02, 0.3), b = logarithmic(0.02, 0.3), c = logarithmic(0.02, 0.3);
    switch (integer(0, 6)) {
      case 0: return Sphere{.radius = a};
      case 1: return Box{.half_extents = {a, b, c}};
      case 2: return Capsule{.radius = a, .half_length = b};
      case 3: return Cylinder{.radius = a, .half_length = b};
      case 4: return Cone{.radius = a, .half_length = b};
      case 5: return Ellipsoid{.semi_axes = {a, b, c}};
      default: break;
    }
    Points points(3, integer(8, 30));
    for (Eigen::Index i = 0; i < points.cols(); ++i) points.col(i) = vector(a);
    return Convex::from_points(points);
  }

  Surface surface() { return {.friction = integer(0, 3) == 0 ? 0.0 : uniform(0.05, 1.5)}; }

  RobotDescription robot() {
    RobotDescription out;
    const int count = integer(1, 6);
    const bool floats = integer(0, 1) == 0;
    for (int i = 0; i < count; ++i) {
      RobotJoint joint{.name = "joint" + std::to_string(i),
                       .parent = i == 0 ? -1 : i - 1,
                       .kind = i == 0 && floats     ? JointKind::free
                               : integer(0, 3) == 0 ? JointKind::prismatic
                                                    : JointKind::revolute,
                       .axis = vector(1.0).normalized(),
                       .X_PJ = i == 0 && floats ? Pose{} : pose(0.3)};
      const double mass = logarithmic(0.1, 5.0), size = uniform(0.05, 0.2);
      joint.inertia = {mass, vector(0.1), mass * size * size * Matrix3::Identity()};
      if (integer(0, 1) == 0 && joint.kind != JointKind::free) {
        joint.lower = uniform(-1.0, 0.0);
        joint.upper = uniform(0.0, 1.0);
      }
      if (joint.kind != JointKind::free) {
        joint.damping = integer(0, 1) * uniform(0.0, 1.0);
        joint.dry_friction = integer(0, 2) == 0 ? uniform(0.0, 1.0) : 0.0;
      }
      out.joints.push_back(joint);
      out.geometries.push_back(
          {.geometry = shape(), .joint = i, .X_JG = pose(0.1), .surface = surface()});
      if (i > 0) out.forbidden.emplace_back(i - 1, i);
    }
    return out;
  }

  /// Free bodies above the ground, and a robot where asked for.
  Model model(bool with_robot) {
    ModelBuilder builder(Vector3(0, 0, -uniform(0.0, 20.0)));
    builder.add_ground(surface());
    for (int i = integer(1, 6); i > 0; --i) {
      BodyOptions options;
      options.mass = logarithmic(0.01, 20.0);
      options.X = pose(0.4);
      options.X.translation.z() += 0.6;
      options.surface = surface();
      builder.add_body(shape(), options);
    }
    if (with_robot) builder.add_robot(robot(), {Matrix3::Identity(), Vector3(0, 0, 0.7)}, "robot");
    return builder.build();
  }

  State state(const Model& model, double speed) {
    State out = model.state();
    for (double& entry : out.v) entry = uniform(-speed, speed);
    return out;
  }

 private:
  std::mt19937_64 random_;
};

struct Outcome {
  long steps = 0, not_converged = 0, broken = 0;
  double largest_growth = 0.0;  ///< of energy in a step, over the energy of the scene
};

/// Steps one scene; free bodies alone must never gain energy beyond what the residual of the forces
/// explains.
inline Outcome run_scene(std::uint64_t seed, int steps) {
  RandomScene scene(seed);
  const bool with_robot = seed % 2 == 1;
  const Model model = scene.model(with_robot);
  State state = scene.state(model, scene.logarithmic(0.01, 10.0));
  const double dt = scene.logarithmic(1e-4, 1e-2);
  StepOptions options;
  options.position_correction = with_robot ? 0.1 : 0.0;
  options.max_iterations = 300;
  StepWorkspace workspace;
  StepResult result;
  Outcome out;
  const auto total = [&](const State& at) {
    const Energy found = energy(model, at);
    return found.kinetic + found.potential;
  };
  double before = total(state);
  const double scale = std::max(1e-3, energy(model, state).kinetic + std::abs(before));
  for (int i = 0; i < steps; ++i) {
    step(model, state, {}, dt, options, workspace, result);
    ++out.steps;
    if (result.status != StepStatus::converged) ++out.not_converged;
    if (!result.state.q.allFinite() || !result.state.v.allFinite() ||
        !result.solution.force.allFinite()) {
      ++out.broken;
      return out;
    }
    if (!with_robot) {
      const double after = total(result.state);
      const StepData& work = workspace.data();
      const double explained = 20.0 * static_cast<double>(result.contacts.size()) * dt * dt *
                               work.force_unit * work.velocity_unit *
                               std::max(result.solution.residual, 1e-12);
      const double growth = after - before - explained;
      out.largest_growth = std::max(out.largest_growth, growth / scale);
      before = after;
    }
    std::swap(state, result.state);
  }
  return out;
}

}  // namespace tactum::sim::random_scenes
