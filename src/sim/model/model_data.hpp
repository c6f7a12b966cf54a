// SPDX-License-Identifier: BSD-2-Clause
// The contents of a model: free bodies, robots, what is attached to them, what closes loops, and
// the layout of q and v.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/articulation.hpp"
#include "sim/model/free_body.hpp"
#include "tactum/sim/model.hpp"
#include "tactum/sim/robot.hpp"

namespace tactum::sim {

/// A robot and its place in q and v.
struct PlacedArticulation {
  std::shared_ptr<const Articulation> robot;
  int q = 0, v = 0;
  std::vector<RobotJoint> description;  ///< that it was made of
};

/// A body is moved by one of these.
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
  Vector3 center = Vector3::Zero();        ///< of a box around it, in its own frame
  Vector3 half_extents = Vector3::Zero();  ///< of that box; not finite for half-spaces
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

/// Two frames that are held together. In the frames of the bodies they are at X_AC and X_BC.
struct Closure {
  ClosureKind kind = ClosureKind::weld;
  int body_a = 0, body_b = 0;
  Pose X_AC, X_BC;
};

struct ClosureError {
  Vector3 point;        ///< m, in the world: the middle of the origins of both frames
  Vector3 translation;  ///< m, in the world: from A's origin to B's
  Vector3 rotation;     ///< rad, in the world: rotation vector from A's axes to B's
};
ClosureError closure_error(const Closure& closure, const Pose& X_WA, const Pose& X_WB);

/// A joint with one coordinate.
struct CoupledJoint {
  int tree = -1;  ///< -1: none
  int q = 0, v = 0;
  std::string name = {};
};

/// q_a = offset + ratio q_b.
struct Coupling {
  CoupledJoint a, b;
  double ratio = 0.0, offset = 0.0;
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
  std::vector<Closure> closures;
  std::vector<Coupling> couplings;
  std::vector<std::string> names;
  int nq = 0, nv = 0;
  Eigen::VectorXd initial_q, lower, upper, effort_limit;

  bool may_meet(int a, int b) const;
  /// Rows of all closures and couplings.
  int num_closure_rows() const;
  void set_forbidden(int a, int b, bool forbid);
  int add_geometry(ModelGeometry geometry);
  /// Adds a body that has been checked, with a name that no other body has; returns its number.
  int add_free_body(const BodyInertia& inertia, const Pose& X, const std::string& name);
  /// Adds a robot with its joints as bodies; returns the first of them.
  int add_robot(std::shared_ptr<const Articulation> robot, const Eigen::VectorXd& q,
                std::vector<RobotJoint> description);
  /// Adds a closure; a frame that is not given is where the other one is at the initial position.
  void add_closure(ClosureKind kind, int body_a, int body_b, const Pose& X_AC,
                   const std::optional<Pose>& X_BC);
  /// Adds a coupling of joints by name; no name of b: q_a is held at the offset.
  void add_coupling(const std::string& joint_a, const std::string& joint_b, double ratio,
                    double offset);
};

/// Throws InvalidInput for a state that does not belong to the model or has numbers that are not
/// finite.
void check_state(const ModelData& model, const State& state);
void check_size(Eigen::Index size, int wanted, const char* field);
void check_finite(const Eigen::VectorXd& values, const char* field);

/// Poses of all bodies in the world at q.
std::vector<Pose> body_poses(const ModelData& model, const Eigen::VectorXd& q);

/// Pose of a free body in q. The quaternion must not be zero.
Pose free_pose(const Eigen::VectorXd& q, int begin);
void set_free_pose(const Pose& X, int begin, Eigen::VectorXd& q);

}  // namespace tactum::sim
