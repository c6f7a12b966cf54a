// SPDX-License-Identifier: BSD-2-Clause
// The contents of a model: free bodies, robots, what is attached to them, and the layout of q and
// v.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/articulation.hpp"
#include "sim/free_body.hpp"
#include "tactum/sim/model.hpp"
#include "tactum/sim/robot.hpp"

namespace tactum::sim {

/// A robot and its place in q and v.
struct PlacedArticulation {
  std::shared_ptr<const Articulation> robot;
  int q = 0, v = 0;
  std::vector<RobotJoint> description;  ///< that it was made of
};

/// What moves a body.
enum class Carrier : std::uint8_t { world, free_body, joint };

struct Body {
  Carrier carrier = Carrier::world;
  int index = 0;  ///< of the free body or of the robot
  int joint = 0;  ///< of the robot
  int tree = -1;  ///< that it belongs to; -1: the world
  std::string name;
};

struct ModelGeometry {
  Geometry geometry;
  Pose X_BG;  ///< in the frame of its body
  int body = 0;
  Surface surface;
  double margin = 0.0;  ///< m
  double reach = 0.0;   ///< m, no point is farther from the origin of the body; inf for half-spaces
  std::string name;
};

/// Bodies that move together: a free body, or all joints of a robot. The mass matrix has no entries
/// between trees.
struct Tree {
  Carrier carrier = Carrier::free_body;
  int index = 0;
  int v = 0, nv = 0;  ///< its entries in v
};

/// A joint with one coordinate that has a limit or dry friction.
struct ScalarJoint {
  int tree = 0;
  int q = 0, v = 0;  ///< in q and v of the model
  double lower = 0.0, upper = 0.0;
  double dry_friction = 0.0;  ///< N or N m
};

struct ModelData {
  Vector3 gravity = {0.0, 0.0, -9.81};
  std::vector<FreeBody> free_bodies;
  std::vector<PlacedArticulation> robots;
  std::vector<Body> bodies = {{Carrier::world, 0, 0, -1, "world"}};
  std::vector<ModelGeometry> geometries;
  std::vector<std::vector<int>> forbidden;  ///< for each geometry, ascending: partners of a higher
                                            ///< number that it does not meet
  std::vector<Tree> trees;
  std::vector<ScalarJoint> scalar_joints;
  std::vector<std::string> names;
  int nq = 0, nv = 0;
  Eigen::VectorXd initial_q, lower, upper, effort_limit;

  bool may_meet(int a, int b) const;
  void set_forbidden(int a, int b, bool forbid);
  int add_geometry(ModelGeometry geometry);
  /// Adds a body that has been checked, with a name that no other body has; returns its number.
  int add_free_body(const BodyInertia& inertia, const Pose& X, const std::string& name);
  /// Adds a robot with its joints as bodies; returns the first of them.
  int add_robot(std::shared_ptr<const Articulation> robot, const Eigen::VectorXd& q,
                std::vector<RobotJoint> description);
};

/// Throws InvalidInput for a state that does not belong to the model or has numbers that are not
/// finite.
void check_state(const ModelData& model, const State& state);
void check_size(Eigen::Index size, int wanted, const char* field);
void check_finite(const Eigen::VectorXd& values, const char* field);

/// Pose of a free body in q. The quaternion must not be zero.
Pose free_pose(const Eigen::VectorXd& q, int begin);
void set_free_pose(const Pose& X, int begin, Eigen::VectorXd& q);

}  // namespace tactum::sim
