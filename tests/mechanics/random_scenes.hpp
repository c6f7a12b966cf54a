// SPDX-License-Identifier: BSD-2-Clause
// Random scenes for the simulator, and what has to hold in every step of them.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/step/step_data.hpp"
#include "tactum/sim/robot.hpp"

namespace tactum::sim::random_scenes {

/// What a scene has besides free bodies of one shape each that neither bounce nor yield.
struct Features {
  bool robot = false;
  bool soft = false;  ///< restitution and compliance
  bool compounds = false;
  bool closures = false;  ///< welds and connections of bodies
  bool controls = false;

  /// Every second scene has a robot; the others take turns.
  static Features of(std::uint64_t seed) {
    const std::uint64_t turn = seed / 2 % 6;
    return {.robot = seed % 2 == 1,
            .soft = turn == 1 || turn == 5,
            .compounds = turn == 2 || turn == 5,
            .closures = turn == 3 || turn == 5,
            .controls = turn == 4 || turn == 5};
  }
  /// Whether energy grows by the work of the controls at most. Bodies that bounce at several points
  /// may gain some, and what yields gives back what it took.
  bool keeps_energy() const { return !robot && !soft; }
};

class RandomScene {
 public:
  explicit RandomScene(std::uint64_t seed) : features(Features::of(seed)), random_(seed) {}

  const Features features;

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

  Geometry geometry() {
    if (!features.compounds) return shape();
    std::vector<CompoundPart> parts;
    for (int i = integer(1, 4); i > 0; --i) {
      const Shape part = shape();
      parts.push_back({part, pose(0.2)});
    }
    return Compound(parts);
  }

  Surface surface() {
    Surface out{.friction = integer(0, 3) == 0 ? 0.0 : uniform(0.05, 1.5)};
    if (!features.soft) return out;
    if (integer(0, 1) == 0) out.restitution = uniform(0.0, 1.0);
    if (integer(0, 1) == 0) out.compliance = logarithmic(1e-8, 1e-3);
    return out;
  }

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
          {.geometry = geometry(), .joint = i, .X_JG = pose(0.1), .surface = surface()});
      if (i > 0) out.forbidden.emplace_back(i - 1, i);
    }
    return out;
  }

  /// Free bodies above the ground, and a robot where asked for.
  Model model() {
    ModelBuilder builder(Vector3(0, 0, -uniform(0.0, 20.0)));
    builder.add_ground(surface());
    std::vector<int> bodies;
    for (int i = integer(1, 6); i > 0; --i) {
      BodyOptions options;
      options.mass = logarithmic(0.01, 20.0);
      options.X = pose(0.4);
      options.X.translation.z() += 0.6;
      options.surface = surface();
      const Geometry made = geometry();
      bodies.push_back(builder.add_body(made, options));
    }
    if (features.closures) add_closures(bodies, builder);
    if (features.robot)
      builder.add_robot(robot(), {Matrix3::Identity(), Vector3(0, 0, 0.7)}, "robot");
    return builder.build();
  }

  /// Holds some neighbours of the list together where they are, and maybe one to the world.
  void add_closures(const std::vector<int>& bodies, ModelBuilder& builder) {
    for (std::size_t i = 1; i < bodies.size(); ++i) {
      const int kind = integer(0, 2);
      if (kind == 0) builder.add_weld(bodies[i - 1], bodies[i], pose(0.1));
      if (kind == 1) builder.add_connection(bodies[i - 1], bodies[i], vector(0.1));
    }
    if (integer(0, 1) == 0) builder.add_connection(bodies[0], 0, vector(0.1));
  }

  /// Forces for one step, with accelerations of free bodies up to `size`; none without controls.
  Eigen::VectorXd controls(const Model& model, double size) {
    Eigen::VectorXd out(features.controls ? model.nv() : 0);
    for (double& entry : out) entry = uniform(-size, size);
    if (!features.controls) return out;
    for (const FreeBody& body : model.data().free_bodies)
      out.segment<6>(body.v) = (body.mass_matrix * out.segment<6>(body.v)).eval();
    return out;
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

/// Steps one scene. Free bodies without restitution and compliance must never gain energy beyond
/// the work of the controls and what the residual of the forces explains.
inline Outcome run_scene(std::uint64_t seed, int steps) {
  RandomScene scene(seed);
  const Model model = scene.model();
  State state = scene.state(model, scene.logarithmic(0.01, 10.0));
  const double dt = scene.logarithmic(1e-4, 1e-2);
  StepOptions options;
  options.position_correction = scene.features.robot ? 0.1 : 0.0;
  options.max_iterations = 300;
  const double push = scene.features.controls ? scene.logarithmic(0.1, 100.0) : 0.0;
  StepWorkspace workspace;
  StepResult result;
  Outcome out;
  const auto total = [&](const State& at) {
    const Energy found = energy(model, at);
    return found.kinetic + found.potential;
  };
  double before = total(state);
  double scale = std::max(1e-3, energy(model, state).kinetic + std::abs(before));
  for (int i = 0; i < steps; ++i) {
    const Eigen::VectorXd tau = scene.controls(model, push);
    step(model, state, tau, dt, options, workspace, result);
    ++out.steps;
    if (result.status != StepStatus::converged) ++out.not_converged;
    if (!result.state.q.allFinite() || !result.state.v.allFinite() ||
        !result.solution.force.allFinite()) {
      ++out.broken;
      return out;
    }
    if (scene.features.keeps_energy()) {
      const double after = total(result.state);
      const StepData& work = workspace.data();
      const double explained = 20.0 * static_cast<double>(work.blocks.size()) * dt * dt *
                               work.force_unit * work.velocity_unit *
                               std::max(result.solution.residual, 1e-12);
      const double from_controls = tau.size() == 0 ? 0.0 : dt * tau.dot(work.velocity);
      scale = std::max(scale, std::abs(after));
      const double growth = after - before - from_controls - explained;
      out.largest_growth = std::max(out.largest_growth, growth / scale);
      before = after;
    }
    std::swap(state, result.state);
  }
  return out;
}

}  // namespace tactum::sim::random_scenes
